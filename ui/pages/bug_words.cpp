// SPDX-License-Identifier: GPL-3.0-or-later
// What the bug lab says in sentences.
#include "ui/charts/number_format.h"
#include "ui/pages/bug_values.h"
#include "ui/pages/layer_words.h"
#include "ui/panels/scheme_words.h"
#include "ui/run_words.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr std::size_t kMostNamed = 3; ///< wrong results that a title names

std::optional<double> errorOf(const BugResult &result, bool expected)
{
    return expected ? result.expected : result.error;
}

struct ErrorGroup {
    QString error;
    QStringList names;
};

/// Results that a reader sees off by the same, in their order.
std::vector<ErrorGroup> groupsOf(const std::vector<BugResult> &results, bool expected)
{
    std::vector<ErrorGroup> groups;
    for (const BugResult &result : results) {
        const std::optional<double> error = errorOf(result, expected);
        if (!error)
            continue;
        const QString words = errorWords(*error);
        auto alike = std::ranges::find(groups, words, &ErrorGroup::error);
        if (alike == groups.end())
            alike = groups.insert(groups.end(), ErrorGroup{words, {}});
        alike->names << result.name;
    }
    return groups;
}

/// "Y and dW".
QString listed(const QStringList &names)
{
    if (names.size() == 1)
        return names.front();
    return tr("%1 and %2").arg(names.mid(0, names.size() - 1).join(QStringLiteral(", ")), names.back());
}

/// "Y and dW are off by 1.73 times their size, dX by 0.87".
QString offBy(const std::vector<BugResult> &wrong, bool expected)
{
    const std::vector<ErrorGroup> groups = groupsOf(wrong, expected);
    if (groups.empty())
        return {};
    if (wrong.size() > kMostNamed && groups.size() == 1)
        return tr("%1 results are off by %2 times their size").arg(wrong.size()).arg(groups.front().error);
    if (wrong.size() > kMostNamed) {
        const auto largest = std::ranges::max_element(
            wrong, {}, [expected](const BugResult &result) { return errorOf(result, expected).value_or(0); });
        return tr("%1 results are off, %2 by %3 times its size")
            .arg(wrong.size())
            .arg(largest->name, errorWords(*errorOf(*largest, expected)));
    }
    const ErrorGroup &first = groups.front();
    QString words =
        (first.names.size() == 1 ? tr("%1 is off by %2 times its size") : tr("%1 are off by %2 times their size"))
            .arg(listed(first.names), first.error);
    for (std::size_t i = 1; i < groups.size(); ++i)
        words += tr(", %1 by %2").arg(listed(groups[i].names), groups[i].error);
    return words;
}

} // namespace

QString bugHabit(Scheme bug)
{
    switch (bug) {
    case Scheme::BugRowBiasEachRank:
        return tr("A row layer adds its bias on each rank, before the sum.");
    case Scheme::BugAllReduceColumns:
        return tr("A column layer's outputs are all-reduced, not joined.");
    case Scheme::BugNonlinearityOnPartial:
        return tr("GELU follows a row layer at once, before its sum.");
    case Scheme::BugAllReduceWeightGradient:
        return tr("Weight gradients are all-reduced over the TP ranks.");
    case Scheme::BugMissingInputGradientReduce:
        return tr("A column layer needs nothing forward, so nothing back.");
    case Scheme::BugAverageInsteadOfSum:
        return tr("The all-reduce takes the mean, as of replicas.");
    case Scheme::BugConcatPartials:
        return tr("A row layer's outputs are joined, not added up.");
    case Scheme::BugUnshardedHeads:
        return tr("The weights are cut, the number of heads is not.");
    case Scheme::BugUnreducedKv:
        return tr("Ranks that share KV heads keep their gradients.");
    case Scheme::BugNaiveExercise:
        return tr("A popular script reduces Y and dW, and not dX.");
    default:
        return {};
    }
}

QString lawFormula(ErrorLaw law)
{
    switch (law) {
    case ErrorLaw::OthersAdded:
        return QStringLiteral("\u221a(N \u2212 1)");
    case ErrorLaw::OneAddend:
        return QStringLiteral("\u221a((N \u2212 1)/N)");
    case ErrorLaw::MeanForSum:
        return QStringLiteral("1 \u2212 1/N");
    case ErrorLaw::OneReplica:
        return QStringLiteral("\u221a(1 \u2212 k/N)");
    case ErrorLaw::BiasRepeated:
        break;
    }
    return QStringLiteral("(N \u2212 1)/\u221a(f + 1)");
}

QString lawWords(ErrorLaw law)
{
    switch (law) {
    case ErrorLaw::OthersAdded:
        return tr("N \u2212 1 unlike parts are added to the right one");
    case ErrorLaw::OneAddend:
        return tr("one of N addends stands for their sum");
    case ErrorLaw::MeanForSum:
        return tr("the sum is divided by N");
    case ErrorLaw::OneReplica:
        return tr("one of N/k replicas' addends stands for their sum");
    case ErrorLaw::BiasRepeated:
        break;
    }
    return tr("N \u2212 1 biases too many, each 1/\u221a(f + 1) of Y here: a small bias hides it");
}

QString errorWords(double relativeError)
{
    if (relativeError < 0)
        return QStringLiteral("NaN");
    // "1.00 times", not "1 times"; a small one keeps two digits.
    return relativeError >= 0.1 ? QString::number(relativeError, 'f', 2) : formatNumber(relativeError, 2);
}

QString errorsWords(const std::vector<BugResult> &results, bool expected)
{
    QStringList words;
    for (const ErrorGroup &group : groupsOf(results, expected))
        words << group.names.join(QStringLiteral(", ")) + QChar::Nbsp + group.error;
    return words.join(QStringLiteral(" \u00b7 "));
}

QString bugFinding(const BugLabValues &values)
{
    const BugCase &shown = values.shown();
    const QString title = schemeTitle(shown.scheme());
    const std::vector<BugResult> wrong = shown.wrongResults();
    const int ranks = shown.experiment.ranks();
    if (shown.run)
        return wrong.empty() ? tr("%1: every check passed, the bug did not show").arg(title)
                             : tr("%1: %2, measured on %3\u00a0ranks").arg(title, offBy(wrong, false)).arg(ranks);
    const QString expected = offBy(wrong, true);
    return expected.isEmpty() ? tr("%1: how far off it is no formula says; it has to be run").arg(title)
                              : tr("%1: %2, by formula for %3\u00a0ranks").arg(title, expected).arg(ranks);
}

QString bugSetting(const BugLabValues &values)
{
    const BugCase &shown = values.shown();
    const QString layer = layerWords(shown.experiment);
    return shown.hint.isEmpty() ? layer : tr("%1 (%2)").arg(layer, shown.hint);
}

QString sentWords(const Plan &plan)
{
    const Traffic sent = traffic(plan);
    const auto of = [&](Pass pass) { return bytesWords(sent.passes[static_cast<std::size_t>(pass)].sentBytesPerRank); };
    if (plan.experiment.phase != Phase::Training)
        return tr("a rank sends %1 a step").arg(bytesWords(sent.total().sentBytesPerRank));
    return tr("a rank sends %1 a step: forward %2, backward %3")
        .arg(bytesWords(sent.total().sentBytesPerRank), of(Pass::Forward), of(Pass::Backward));
}

QString bugProvenance(const BugLabValues &values)
{
    QStringList parts;
    const auto measured = std::ranges::count_if(values.cases, [](const BugCase &each) { return each.run != nullptr; });
    const auto first = std::ranges::find_if(values.cases, [](const BugCase &each) { return each.run != nullptr; });
    if (first == values.cases.end()) {
        parts << tr("errors by formula for independent values, not measured");
    } else {
        parts << tr("errors of %1 of %2 bugs %3 against an unsharded float64 reference")
                     .arg(measured)
                     .arg(values.cases.size())
                     .arg(sourcePhrase(values.shown().run ? *values.shown().run : *first->run));
        parts << tr("expected: by formula for independent values");
    }
    parts << tr("bytes counted from the plan");
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope

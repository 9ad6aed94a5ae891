// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/check_words.h"

#include "engine/record/statistics.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <limits>

namespace shardscope {

namespace {

constexpr int kFailedCheck = 3; ///< the exit code of such a run

/// "3.2e-02", as the command line writes it; -1 stands for NaN.
QString scientific(double value)
{
    return value == -1 ? QStringLiteral("NaN") : QString::number(value, 'e', 1);
}

QString errorText(const CheckEvent &check)
{
    const QString name = QString::fromStdString(check.name);
    // Copies on several ranks are compared bit by bit: no error has a size.
    if (check.limit == 0)
        return check.passed ? tr("%1: bit for bit").arg(name) : tr("%1: not bit for bit").arg(name);
    return tr("%1, relative error %2, limit %3").arg(name, scientific(check.relativeError), scientific(check.limit));
}

/// How many times the limit; NaN is worse than any number.
double excess(const CheckEvent &check)
{
    const bool measurable = check.relativeError >= 0 && check.limit > 0;
    return measurable ? check.relativeError / check.limit : std::numeric_limits<double>::max();
}

bool hasVerdict(const Run *run)
{
    if (!run || run->isPrediction() || !run->end)
        return false;
    return run->end->status == EndEvent::Status::Done || run->end->exitCode == kFailedCheck;
}

struct Count {
    int made = 0;
    int failed = 0;
    int runsUnlikePlan = 0;
    bool endedSo = false; ///< the run's own end says that a check failed
    const CheckEvent *worst = nullptr;
    const Run *broken = nullptr;
};

void add(Count &count, const Run &run, bool asPlanned)
{
    for (const CheckEvent &check : run.checks) {
        ++count.made;
        if (check.passed)
            continue;
        ++count.failed;
        // A result is more telling than that its copies differ.
        const bool first = !count.worst || (count.worst->limit == 0 && check.limit > 0);
        if (first || (check.limit > 0 && excess(check) > excess(*count.worst)))
            count.worst = &check;
    }
    count.runsUnlikePlan += asPlanned ? 0 : 1;
    count.endedSo |= run.end->exitCode == kFailedCheck;
    if (!run.plan.brokenRules.empty() && !count.broken)
        count.broken = &run;
}

QString detailsOf(const Run &run, bool asPlanned)
{
    QStringList parts;
    for (const CheckEvent &check : run.checks)
        parts << (check.passed ? errorText(check) : tr("FAILED %1").arg(errorText(check)));
    parts << (asPlanned ? tr("collectives as planned") : tr("FAILED collectives differ from the plan"));
    return tr("%1, N = %2: %3")
        .arg(QString::fromUtf8(name(run.experiment().phase).data()))
        .arg(run.experiment().ranks())
        .arg(parts.join(QStringLiteral("; ")));
}

QString failureLine(const Count &count)
{
    if (count.worst) {
        const QString line = tr("check failed: %1").arg(errorText(*count.worst));
        return count.failed == 1 ? line : tr("%1 (%2 of %3 checks failed)").arg(line).arg(count.failed).arg(count.made);
    }
    return count.runsUnlikePlan > 0 ? tr("check failed: the collectives that ran differ from the plan")
                                    : tr("check failed: the engine does not say which");
}

} // namespace

CheckVerdict checkVerdict(const std::vector<const Run *> &runs)
{
    CheckVerdict verdict;
    Count count;
    QStringList details;
    for (const Run *run : runs) {
        if (!hasVerdict(run))
            continue;
        const bool asPlanned = summarize(*run).observedAsPlanned;
        add(count, *run, asPlanned);
        details << detailsOf(*run, asPlanned);
    }
    if (count.failed > 0 || count.runsUnlikePlan > 0 || count.endedSo) {
        verdict.state = CheckVerdict::State::Failed;
        verdict.line = failureLine(count);
        if (count.broken)
            verdict.rule = sentence(count.broken->plan.brokenRules.front().rule);
    } else if (count.made > 0) {
        verdict.state = CheckVerdict::State::Passed;
        verdict.line = counted(count.made, tr("%1 of %1 check passed|%1 of %1 checks passed"));
    } else {
        return verdict;
    }
    details.prepend(tr("Results against an unsharded float64 reference; copies on several ranks against each other; "
                       "collectives against the plan"));
    verdict.details = details.join(QLatin1Char('\n'));
    return verdict;
}

} // namespace shardscope

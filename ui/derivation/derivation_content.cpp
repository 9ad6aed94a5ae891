// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/derivation/derivation_content.h"

#include "engine/plan/derivation.h"
#include "ui/charts/number_format.h"
#include "ui/derivation/derivation_times.h"
#include "ui/diagram/words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QRegularExpression>
#include <algorithm>

namespace shardscope {

namespace {

constexpr qlonglong kKibibyte = 1024;

QString separator()
{
    return QStringLiteral(" · ");
}

QString placeOf(const Plan &plan, const Step &step)
{
    QStringList parts{tr("step %1 of %2").arg(step.id + 1).arg(plan.steps.size()), passName(step.pass)};
    if (plan.experiment.layers > 1 && step.pass != Pass::Optimizer)
        parts << tr("layer %1").arg(step.layer + 1);
    if (plan.experiment.microBatches > 1 && step.pass != Pass::Optimizer)
        parts << tr("micro-batch %1").arg(step.microBatch + 1);
    return parts.join(separator());
}

/// Lines of one caption are one row.
void addLine(std::vector<DerivationContent::Row> &rows, const QString &caption, const QString &line)
{
    if (rows.empty() || rows.back().caption != caption)
        rows.push_back({caption, {}});
    rows.back().lines << line;
}

/// A count of bytes in the unit in which it is talked about, too.
QString textOf(const DerivationLine &line)
{
    const QString text = sentence(line.text);
    if (line.text.id != TextId::BytesByFormula && line.text.id != TextId::BytesCounted)
        return text;
    const qlonglong bytes = QString::fromStdString(line.text.args.back()).toLongLong();
    return bytes < kKibibyte ? text : text + QStringLiteral(" = ") + formatBytes(static_cast<double>(bytes));
}

/// A shape, and a number and its unit, stay on one line.
QString unbroken(QString line)
{
    static const QRegularExpression shape(QStringLiteral("\\[[^\\]]*\\]"));
    static const QRegularExpression unit(QStringLiteral("(\\d) B\\b"));
    for (auto match = shape.match(line); match.hasMatch(); match = shape.match(line, match.capturedEnd()))
        line.replace(match.capturedStart(), match.capturedLength(), match.captured().replace(u' ', QChar::Nbsp));
    return line.replace(unit, QStringLiteral("\\1\u00a0B"));
}

bool isDerived(const Plan &plan, const Step &step)
{
    return step.collective || std::ranges::any_of(step.outputs, [&](TensorId id) {
               const Tensor &tensor = plan.tensor(id);
               return tensor.role == TensorRole::WeightGradient && step.kind == StepKind::MatMul;
           });
}

} // namespace

QString DerivationContent::asText() const
{
    QStringList lines{title, place, QString(), reason, QString()};
    for (const Row &row : rows)
        lines << row.caption + QStringLiteral(": ") + row.lines.join(QStringLiteral("; "));
    return lines.join(QLatin1Char('\n')).replace(QChar::Nbsp, QLatin1Char(' '));
}

DerivationContent derivationContent(const Plan &plan, int step, const Results &results, const RunSummary &ran)
{
    const Step &shown = plan.steps[static_cast<std::size_t>(step)];
    DerivationContent content;
    content.place = placeOf(plan, shown);
    content.title = unbroken(sentence(shown.title));
    content.reason = unbroken(sentence(shown.reason));
    // Where formulas come from stands at the end, where sources stand; a wire that carries what is computed is no news.
    std::vector<DerivationContent::Row> sources;
    for (const DerivationLine &line : derivation(plan, shown)) {
        if (line.text.id != TextId::WireAsIs)
            addLine(line.caption.id == TextId::DerivedSource ? sources : content.rows, sentence(line.caption),
                    unbroken(textOf(line)));
    }
    std::ranges::move(derivationTimes(plan, shown, results, ran), std::back_inserter(content.rows));
    std::ranges::move(sources, std::back_inserter(content.rows));
    return content;
}

std::vector<DerivedStep> derivedSteps(const Plan &plan)
{
    std::vector<DerivedStep> steps;
    for (const Step &step : plan.steps) {
        if (!isDerived(plan, step))
            continue;
        QStringList parts{QString::number(step.id + 1), formulaText(step.label), passName(step.pass)};
        if (plan.experiment.layers > 1 && step.pass != Pass::Optimizer)
            parts << tr("layer %1").arg(step.layer + 1);
        steps.push_back({step.id, parts.join(separator())});
    }
    return steps;
}

} // namespace shardscope

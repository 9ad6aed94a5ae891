// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_details.h"

#include "engine/plan/sent_formula.h"
#include "ui/charts/number_format.h"
#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {
namespace {

QString heading(const SummarizedRun &run)
{
    const QString phase = phaseTitle(run.run->experiment().phase);
    const QString ranks = tr("N = %1").arg(run.run->experiment().ranks());
    switch (run.run->source) {
    case Source::Predicted:
        return tr("%1, %2, predicted for %3").arg(phase, ranks, predictedMachine(*run.run));
    case Source::Recorded:
        return tr("%1, %2, recorded").arg(phase, ranks);
    case Source::Measured:
        break;
    }
    return tr("%1, %2, measured").arg(phase, ranks);
}

QStringList collectiveLines(const RunSummary &summary)
{
    QStringList lines;
    for (const CollectiveSummary &collective : summary.collectives)
        lines << tr("%1 of %2, %3 pass: %4 × per step")
                     .arg(opName(collective.op), QString::fromStdString(collective.tensor),
                          QString::fromStdString(std::string(name(collective.pass))))
                     .arg(collective.count);
    return lines;
}

/// The factor is only written out for the collectives and schedules whose bytes are 2(N-1)/N·S or (N-1)/N·S.
QString sentLine(const CollectiveSummary &collective, int ranks)
{
    const auto factor = busFactor(collective.op, ranks);
    const QString sent = formatExactBytes(collective.sentBytesPerRank);
    const QString payload = formatExactBytes(collective.payloadBytes);
    const QString what = tr("%1 of %2").arg(opName(collective.op), QString::fromStdString(collective.tensor));
    const bool byFormula =
        factor && *factor != 1 &&
        static_cast<double>(collective.payloadBytes) * *factor == static_cast<double>(collective.sentBytesPerRank);
    if (!byFormula)
        return tr("%1: S = %2, sent per rank %3").arg(what, payload, sent);
    const QString formula = collective.op == "all_reduce" ? tr("2(N−1)/N × S") : tr("(N−1)/N × S");
    return tr("%1: %2 = %3 × %4 = %5").arg(what, formula, formatNumber(*factor), payload, sent);
}

QString spread(const std::optional<Distribution> &distribution)
{
    if (!distribution)
        return undefinedText();
    if (distribution->samples < 2)
        return formatDuration(distribution->median);
    return tr("median %1, p10 %2, p90 %3 of %4 steps")
        .arg(formatDuration(distribution->median), formatDuration(distribution->p10), formatDuration(distribution->p90))
        .arg(distribution->samples);
}

QStringList timeLines(const RunSummary &summary)
{
    QStringList lines{tr("inside collectives: %1").arg(spread(summary.stepCommunication))};
    lines << tr("of each step the slowest rank, waiting included");
    if (summary.step.waitNs)
        lines << tr("of it waiting for other ranks: %1").arg(formatDuration(summary.step.waitNs));
    return lines;
}

QStringList linesOf(Metric metric, const SummarizedRun &run)
{
    const RunSummary &summary = run.summary;
    QStringList lines;
    switch (metric) {
    case Metric::Collectives:
        lines = collectiveLines(summary);
        if (lines.isEmpty())
            lines << tr("no collective");
        break;
    case Metric::SentBytes:
        for (const CollectiveSummary &collective : summary.collectives)
            lines << sentLine(collective, run.run->experiment().ranks());
        lines << (ranksSendAlike(run.run->plan) ? tr("sent by each rank: %1") : tr("sent by the busiest rank: %1"))
                     .arg(formatExactBytes(summary.step.sentBytesPerRank));
        break;
    case Metric::CommunicationTime:
        return timeLines(summary);
    case Metric::CommunicationShare:
        return {tr("communication / step = %1 / %2")
                    .arg(formatDuration(summary.step.communicationNs), formatDuration(summary.step.elapsedNs))};
    case Metric::StepTime:
        return {tr("whole step: %1").arg(spread(summary.stepElapsed))};
    }
    return lines;
}

} // namespace

bool ranksSendAlike(const Plan &plan)
{
    return std::ranges::all_of(
        plan.steps, [&plan](const Step &step) { return !step.collective || ranksSendAlike(plan, *step.collective); });
}

QString barDetails(Metric metric, const SummarizedRun &run, double tokens)
{
    QStringList lines{heading(run)};
    lines << linesOf(metric, run);
    if (tokens > 1)
        lines << tr("per token: divided by %1 tokens").arg(formatNumber(tokens));
    return lines.join(QLatin1Char('\n'));
}

} // namespace shardscope

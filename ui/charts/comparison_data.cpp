// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_data.h"

#include "ui/charts/chart_details.h"
#include "ui/charts/number_format.h"
#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QRegularExpression>
#include <algorithm>

namespace shardscope {
namespace {

constexpr Phase kPhases[] = {Phase::Training, Phase::Prefill, Phase::Decode};

using Summaries = std::map<Phase, SummarizedRun>;

Summaries summariesOf(const std::map<Phase, const Run *> &runs)
{
    Summaries summaries;
    for (const auto &[phase, run] : runs) {
        if (run)
            summaries.emplace(phase, SummarizedRun{run, summarize(*run)});
    }
    return summaries;
}

std::optional<ChartValue> timeValue(const std::optional<Distribution> &times, const std::optional<double> &fallback,
                                    double tokens)
{
    if (times && times->samples > 1)
        return ChartValue{times->median / tokens, times->p10 / tokens, times->p90 / tokens};
    if (times)
        return ChartValue{times->median / tokens, {}, {}};
    return fallback ? std::optional(ChartValue{*fallback / tokens, {}, {}}) : std::nullopt;
}

/// Ratios and charts speak of forward and backward; a later version's optimizer pass has charts of its own.
std::optional<ChartValue> valueOf(Metric metric, const RunSummary &summary, double tokens)
{
    const PassSummary &step = summary.withoutOptimizer;
    switch (metric) {
    case Metric::Collectives:
        return ChartValue{step.collectives / tokens, {}, {}};
    case Metric::SentBytes:
        return ChartValue{static_cast<double>(step.sentBytesPerRank) / tokens, {}, {}};
    case Metric::CommunicationTime:
        return timeValue(summary.stepCommunication, step.communicationNs, tokens);
    case Metric::CommunicationShare:
        if (!summary.step.communicationNs || !summary.step.elapsedNs || !(*summary.step.elapsedNs > 0))
            return std::nullopt;
        return ChartValue{*summary.step.communicationNs / *summary.step.elapsedNs, {}, {}};
    case Metric::StepTime:
        return timeValue(summary.stepElapsed, summary.step.elapsedNs, tokens);
    }
    return std::nullopt;
}

QString quantityOf(Metric metric, bool perToken)
{
    switch (metric) {
    case Metric::Collectives:
        return perToken ? tr("Collectives per token, calls") : tr("Collectives per step, calls");
    case Metric::SentBytes:
        return perToken ? tr("Sent per rank and token, 1 KiB = 1024 B") : tr("Sent per rank and step, 1 KiB = 1024 B");
    case Metric::CommunicationTime:
        return perToken ? tr("Time in communication per token, longest of the ranks, waiting included, median")
                        : tr("Time in communication per step, longest of the ranks, waiting included, median");
    case Metric::CommunicationShare:
        return tr("Share of the step's time, largest of the ranks, %");
    case Metric::StepTime:
        break;
    }
    return tr("Time of the whole step");
}

/// Only what every token shares can be divided by tokens; a share cannot.
double tokensFor(Metric metric, const Run &run, bool perToken)
{
    const bool divides = perToken && metric != Metric::CommunicationShare && metric != Metric::StepTime;
    return divides ? static_cast<double>(run.experiment().globalTokens()) : 1;
}

void fill(ChartRow &row, Metric metric, const SummarizedRun &run, bool perToken)
{
    const double tokens = tokensFor(metric, *run.run, perToken);
    auto &value = run.run->source == Source::Predicted ? row.predicted : row.measured;
    value = valueOf(metric, run.summary, tokens);
    if (!row.details.isEmpty())
        row.details += QStringLiteral("\n\n");
    row.details += barDetails(metric, run, tokens);
}

bool anyUneven(const Summaries &runs)
{
    return std::ranges::any_of(runs, [](const auto &entry) { return !ranksSendAlike(entry.second.run->plan); });
}

ChartGroup phaseGroup(Metric metric, const ComparisonFrame &frame, const Summaries &predicted,
                      const Summaries &measured)
{
    ChartGroup group;
    group.metric = metric;
    group.quantity = quantityOf(metric, frame.perToken);
    if (metric == Metric::SentBytes && (anyUneven(predicted) || anyUneven(measured)))
        group.quantity = frame.perToken ? tr("Sent by the busiest rank per token, 1 KiB = 1024 B")
                                        : tr("Sent by the busiest rank per step, 1 KiB = 1024 B");
    for (const Phase phase : kPhases) {
        ChartRow row;
        row.label = phaseTitle(phase);
        row.colour = frame.theme->phase(phase);
        for (const Summaries *runs : {&measured, &predicted}) {
            if (const auto found = runs->find(phase); found != runs->end())
                fill(row, metric, found->second, frame.perToken);
        }
        group.rows.push_back(row);
    }
    return group;
}

/// The run of N ranks that was made the same way as the one of one rank, measured beside measured, and did the same
/// work.
const SummarizedRun *beside(const Run &one, const Summaries &predicted, const Summaries &measured)
{
    const Summaries &runs = one.source == Source::Predicted ? predicted : measured;
    const auto found = runs.find(one.experiment().phase);
    if (found == runs.end())
        return nullptr;
    const Experiment &many = found->second.run->experiment();
    const bool comparable = many.ranks() > 1 && many.globalTokens() == one.experiment().globalTokens() &&
                            many.layers == one.experiment().layers;
    return comparable ? &found->second : nullptr;
}

ChartGroup speedupGroup(const ComparisonFrame &frame, const SummarizedRun &many)
{
    ChartGroup group;
    group.metric = Metric::StepTime;
    group.quantity = tr("Time of one %1 step, median").arg(phaseTitle(many.run->experiment().phase).toLower());
    const SummarizedRun one{frame.oneRank, summarize(*frame.oneRank)};
    for (const SummarizedRun *run : {&one, &many}) {
        ChartRow row;
        const int ranks = run->run->experiment().ranks();
        row.label = counted(ranks, tr("%1 rank|%1 ranks"));
        row.colour = frame.theme->phase(run->run->experiment().phase);
        fill(row, Metric::StepTime, *run, false);
        group.rows.push_back(row);
    }
    return group;
}

/// The phases that the sentence speaks of: all measured, or all predicted, never mixed; not those of other settings.
const std::map<Phase, const Run *> &spokenOf(const ComparisonFrame &frame)
{
    const bool whole = frame.measured.size() >= frame.predicted.size();
    return !frame.measured.empty() && ((whole && !frame.stale) || frame.predicted.empty()) ? frame.measured
                                                                                           : frame.predicted;
}

/// In the card's short form: "2×", not "2.0×".
QString shortWords(const Text &text)
{
    static const QRegularExpression whole(QStringLiteral("(?<=\\d)\\.0(?=×)"));
    return typeset(sentence(text)).replace(whole, QString());
}

QString phaseFinding(const ComparisonFrame &frame)
{
    const auto &runs = spokenOf(frame);
    if (runs.empty())
        return tr("No run yet");
    const Text finding = findingOf(comparePhases(runs), frame.perToken);
    if (english(finding).empty())
        return tr("Training and inference of one layer");
    const bool predicted = runs.begin()->second->source == Source::Predicted;
    const QString words = shortWords(finding);
    return predicted ? tr("Predicted: %1").arg(words) : words;
}

QString speedupOf(const ComparisonFrame &frame)
{
    if (!frame.oneRank || (frame.stale && frame.oneRank->source != Source::Predicted))
        return {};
    const auto &runs = frame.oneRank->source == Source::Predicted ? frame.predicted : frame.measured;
    const auto many = runs.find(frame.oneRank->experiment().phase);
    if (many == runs.end() || many->second->experiment().ranks() == 1)
        return {};
    const std::optional<Text> finding = speedupFinding(*frame.oneRank, *many->second);
    if (!finding)
        return {};
    const QString words = shortWords(*finding);
    // It may stand below a measured sentence.
    return frame.oneRank->source == Source::Predicted
               ? tr("Predicted for %1: %2").arg(predictedMachine(*frame.oneRank), words)
               : words;
}

/// Numbers of other settings never stand beside those of the chosen ones: once something is predicted for these, what
/// was measured before is gone.
std::map<Phase, const Run *> measuredShown(const ComparisonFrame &frame)
{
    return frame.stale && !frame.predicted.empty() ? std::map<Phase, const Run *>() : frame.measured;
}

bool anyWhisker(const ChartGroup &group)
{
    for (const ChartRow &row : group.rows) {
        if (row.measured && row.measured->p10)
            return true;
    }
    return false;
}

} // namespace

QString valueText(Metric metric, double value)
{
    switch (metric) {
    case Metric::Collectives:
        return formatNumber(value);
    case Metric::SentBytes:
        return formatBytes(value);
    case Metric::CommunicationShare:
        return formatShare(value);
    case Metric::CommunicationTime:
    case Metric::StepTime:
        break;
    }
    return formatDuration(value);
}

QString phaseTitle(Phase phase)
{
    switch (phase) {
    case Phase::Training:
        return tr("Training");
    case Phase::Prefill:
        return tr("Prefill");
    case Phase::Decode:
        break;
    }
    return tr("Decode");
}

ComparisonData comparisonData(const ComparisonFrame &frame)
{
    ComparisonData data;
    const Summaries predicted = summariesOf(frame.predicted);
    const Summaries measured = summariesOf(measuredShown(frame));
    data.predicted = !predicted.empty();
    data.measured = !measured.empty();
    data.recorded = std::any_of(measured.begin(), measured.end(),
                                [](const auto &entry) { return entry.second.run->source == Source::Recorded; });
    data.stale = frame.stale && data.measured;
    if (data.predicted)
        data.predictedFor = predictedMachine(*predicted.begin()->second.run);
    std::vector<const Run *> solid;
    for (const auto &[phase, measuredRun] : measured)
        solid.push_back(measuredRun.run);
    data.partial = partialNote(solid);
    data.finding = phaseFinding(frame);
    data.speedup = speedupOf(frame);
    for (const Metric metric :
         {Metric::Collectives, Metric::SentBytes, Metric::CommunicationTime, Metric::CommunicationShare})
        data.groups.push_back(phaseGroup(metric, frame, predicted, measured));
    int ranks = 1;
    if (frame.oneRank) {
        if (const SummarizedRun *many = beside(*frame.oneRank, predicted, measured)) {
            data.groups.push_back(speedupGroup(frame, *many));
            ranks = many->run->experiment().ranks();
        }
    }
    for (ChartGroup &group : data.groups) {
        scaleAxis(group);
        group.title = chartTitle(group, frame.perToken, ranks);
        data.whiskers |= anyWhisker(group);
    }
    return data;
}

QString findingSentence(const ComparisonFrame &frame)
{
    const QString speedup = speedupOf(frame);
    return speedup.isEmpty() ? phaseFinding(frame) : phaseFinding(frame) + QStringLiteral(". ") + speedup;
}

} // namespace shardscope

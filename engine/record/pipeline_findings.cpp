// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"
#include "engine/record/format.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Below the formula by less than that is no difference worth a cause.
constexpr double kWorthACause = 0.01;
/// What one micro-batch is held against.
constexpr int kSomeMicroBatches = 8;

double idealBubble(int stages, int microBatches)
{
    return (stages - 1.0) / (microBatches + stages - 1.0);
}

Text shortPadding(TextId id, const Padding &padding)
{
    return {id,
            {formatTime(padding.workNs), formatTime(padding.paddedNs), std::to_string(padding.tooShort),
             std::to_string(padding.paddings)}};
}

} // namespace

std::optional<Text> bubbleFinding(const RunSummary &summary, const Experiment &experiment)
{
    const int stages = experiment.extent(MeshAxis::Pp);
    if (!summary.step.bubbleShare || stages < 2)
        return std::nullopt;
    const double bubble = *summary.step.bubbleShare;
    const double formula = idealBubble(stages, experiment.microBatches);
    if (experiment.microBatches == 1) {
        return Text{TextId::FindingBubbleOne,
                    {formatPercent(bubble), std::to_string(stages), formatPercent(formula),
                     std::to_string(kSomeMicroBatches), formatPercent(idealBubble(stages, kSomeMicroBatches))}};
    }
    std::vector<std::string> args{formatPercent(bubble), std::to_string(stages),
                                  std::to_string(experiment.microBatches), formatPercent(formula)};
    const auto &times = summary.pipeline;
    const bool explained = times && times->besideNs > 0 && times->expectedBubble < formula - kWorthACause;
    if (!explained || bubble > formula - kWorthACause)
        return Text{TextId::FindingBubble, std::move(args)};
    const double computed = times->chainNs * experiment.microBatches + times->besideNs;
    args.push_back(formatPercent(times->besideNs / computed));
    args.push_back(formatPercent(times->expectedBubble));
    return Text{TextId::FindingBubbleBelow, std::move(args)};
}

std::vector<Text> pipelineFindings(const RunSummary &summary, const Experiment &experiment)
{
    std::vector<Text> findings;
    if (const auto bubble = bubbleFinding(summary, experiment))
        findings.push_back(*bubble);
    if (!summary.pipeline)
        return findings;
    const PassSummary &step = summary.step;
    if (step.communicationNs && step.elapsedNs && *step.elapsedNs > 0) {
        const double communication = std::min(1.0, *step.communicationNs / *step.elapsedNs);
        const double waiting = std::min(communication, summary.pipeline->stageWaitNs / *step.elapsedNs);
        findings.push_back(
            {TextId::FindingStageWait,
             {formatPercent(communication), formatPercent(waiting), formatPercent(communication - waiting)}});
    }
    for (const Text &padding : paddingFindings(summary))
        findings.push_back(padding);
    return findings;
}

std::vector<Text> paddingFindings(const RunSummary &summary)
{
    std::vector<Text> findings;
    if (!summary.pipeline)
        return findings;
    const PipelineTimes &times = *summary.pipeline;
    if (times.forward && !times.forward->covers())
        findings.push_back(shortPadding(TextId::PaddingForwardShort, *times.forward));
    if (times.backward && !times.backward->covers())
        findings.push_back(shortPadding(TextId::PaddingBackwardShort, *times.backward));
    return findings;
}

} // namespace shardscope

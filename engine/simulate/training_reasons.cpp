// SPDX-License-Identifier: MIT
// What the verdict on each training layout stands on.
#include "engine/record/format.h"
#include "engine/simulate/advice_parts.h"
#include "engine/simulate/layer_time.h"

#include <algorithm>
#include <array>
#include <utility>

namespace shardscope {
namespace {

AdviceLine memoryLine(const AdviceQuestion &question, const TrainingLayout &layout)
{
    const std::int64_t usable = usableBytes(question.hardware);
    const std::string total = formatGibibytes(layout.memoryBytes);
    const std::string state = formatGibibytes(layout.stateBytes);
    const std::string activations = formatGibibytes(layout.activationBytes);
    Text finding{TextId::AdviceFits, {total, formatGibibytes(usable), state, activations}};
    if (!layout.fits)
        finding = {TextId::AdviceDoesNotFit,
                   {total, formatGibibytes(layout.memoryBytes - usable), formatGibibytes(usable), state, activations}};
    return {finding, memoryRule(question), {TextId::SourceMemoryShare, {}}};
}

AdviceLine linkLine(const AdviceQuestion &question, const TrainingLayout &layout)
{
    Text finding{TextId::AdviceNoLinks, {}};
    const int tp = layout.settings.tp;
    const std::string limit = formatNumber(layout.linkMargin * tp);
    if (layout.communicationBound)
        finding = {TextId::AdviceCommunicationBound, {std::to_string(tp), limit, formatRatio(1 / layout.linkMargin)}};
    else if (tp > 1)
        finding = {TextId::AdviceComputeBound, {std::to_string(tp), limit, formatRatio(layout.linkMargin)}};
    return {finding, linkRule(question, tensorParallelGBs(question.hardware, tp)), {TextId::SourceLink, {}}};
}

Text wholeStep(const StepTime &step)
{
    return {TextId::AdviceStep,
            {secondsText(step.total()), secondsText(step.arithmetic), secondsText(step.recompute),
             secondsText(step.tensorParallel), secondsText(step.bubble), secondsText(step.dataParallel),
             secondsText(step.pipeline)}};
}

/// Which part of the step grew most against the recommended one.
Text slowerStep(const StepTime &step, const StepTime &best)
{
    struct Cause {
        TextId id;
        double grown;
        double seconds;
    };
    const std::array<Cause, 6> causes{
        {{TextId::AdviceSlowerRecompute, step.recompute - best.recompute, step.recompute},
         {TextId::AdviceSlowerTensorParallel, step.tensorParallel - best.tensorParallel, step.tensorParallel},
         {TextId::AdviceSlowerPipeline, step.bubble - best.bubble, step.bubble},
         {TextId::AdviceSlowerUneven, step.arithmetic - best.arithmetic, step.arithmetic},
         {TextId::AdviceSlowerSends, step.pipeline - best.pipeline, step.pipeline},
         {TextId::AdviceSlowerGradients, step.dataParallel - best.dataParallel, step.dataParallel}}};
    const Cause &cause = *std::ranges::max_element(causes, {}, &Cause::grown);
    return {cause.id,
            {secondsText(step.total()), formatPercent(step.total() / best.total() - 1), secondsText(cause.seconds)}};
}

AdviceLine tooFewSequencesLine(const AdviceQuestion &question, const TrainingLayout &layout)
{
    return {
        {TextId::AdviceTooFewSequences, {std::to_string(layout.settings.dp), std::to_string(question.stepSequences)}},
        {TextId::AdviceRuleBatch, {}},
        {TextId::SourceBatch, {}}};
}

/// The deciding line first.
std::vector<AdviceLine> reasons(const AdviceQuestion &question, const TrainingLayout &layout, const StepTime &best)
{
    if (layout.verdict == LayoutVerdict::NotDivisible)
        return {notDivisibleLine(question, layout.settings.tp)};
    std::vector<AdviceLine> lines{memoryLine(question, layout), linkLine(question, layout)};
    if (layout.step) {
        const Text finding =
            layout.verdict == LayoutVerdict::Slower ? slowerStep(*layout.step, best) : wholeStep(*layout.step);
        lines.push_back({finding, {TextId::AdviceRuleStep, {}}, {TextId::SourceStep, {}}});
    }
    if (layout.verdict == LayoutVerdict::LeavesNode)
        lines.insert(lines.begin(), leavesNodeLine(question, layout.settings.tp));
    else if (layout.verdict == LayoutVerdict::TooFewSequences)
        lines.insert(lines.begin(), tooFewSequencesLine(question, layout));
    else if (layout.verdict == LayoutVerdict::CommunicationBound)
        std::swap(lines[0], lines[1]);
    else if (layout.verdict == LayoutVerdict::Slower)
        std::swap(lines[0], lines[2]);
    return lines;
}

} // namespace

void explain(const AdviceQuestion &question, std::vector<TrainingLayout> &layouts)
{
    const TrainingLayout *best = bestOf(layouts);
    const StepTime step = best != nullptr ? *best->step : StepTime{};
    for (TrainingLayout &layout : layouts)
        layout.lines = reasons(question, layout, step);
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/simulate/advice_parts.h"
#include "engine/simulate/layer_time.h"

#include <algorithm>
#include <array>

namespace shardscope {
namespace {

/// Of one micro-batch on the fullest stage.
StepTime microBatchTime(const AdviceQuestion &question, const MemorySettings &s, int layers)
{
    const Model &model = question.model;
    const LayerLoad load{.tokens = s.batch * s.sequence, .attended = s.sequence, .tp = s.tp};
    const double forward = layerComputeSeconds(model, question.hardware, load);
    StepTime time;
    // Backward multiplies twice as much: by the weights and by the inputs.
    time.arithmetic = 3 * (layers * forward + headComputeSeconds(model, question.hardware, load));
    const bool full = s.recompute == Recompute::Full;
    if (full)
        time.recompute = layers * forward;
    else if (s.recompute == Recompute::Selective)
        time.recompute = layers * coreAttentionSeconds(model, question.hardware, load);
    if (s.tp > 1)
        time.tensorParallel =
            layers * trainingCommunicationSeconds(model, question.hardware, load, s.sequenceParallel, full);
    if (s.pp > 1) {
        const bool network = question.gpus > question.hardware.devices;
        const double gigabytes = network ? networkGBs(question.hardware) : linkGBs(question.hardware);
        const double bytes = 2.0 * static_cast<double>(load.tokens * model.hidden) / (s.sequenceParallel ? s.tp : 1);
        time.pipeline = 2 * bytes / (gigabytes * 1e9);
    }
    return time;
}

/// Gradients are reduce-scattered, weights gathered, once per step: neighbours first in TP, then in DP, as Megatron
/// numbers them.
double gradientSeconds(const AdviceQuestion &question, const MemorySettings &s, std::int64_t stateBytes)
{
    if (s.dp == 1)
        return 0;
    const ParameterBytes bytes = *parameterBytes(s.bytesPerParameter);
    const double perParameter = bytes.weight + bytes.gradient + static_cast<double>(bytes.optimizer) / s.dp;
    const double parameters = static_cast<double>(stateBytes) / perParameter;
    const bool network = s.tp * s.dp > question.hardware.devices;
    const int together = std::max(1, question.hardware.devices / s.tp);
    const double gigabytes = network ? acrossNodesGBs(question.hardware, together) : linkGBs(question.hardware);
    return parameters * (bytes.weight + bytes.gradient) * (s.dp - 1) / s.dp / (gigabytes * 1e9);
}

StepTime stepTime(const AdviceQuestion &question, const TrainingLayout &layout)
{
    const MemorySettings &s = layout.settings;
    const int fullest = (question.model.layers + s.pp - 1) / s.pp;
    StepTime time = microBatchTime(question, s, fullest);
    const double oneMicroBatch = time.total();
    const auto count = static_cast<double>(layout.microBatches);
    for (double StepTime::*part :
         {&StepTime::arithmetic, &StepTime::recompute, &StepTime::tensorParallel, &StepTime::pipeline})
        time.*part *= count;
    time.bubble = (s.pp - 1) * oneMicroBatch;
    time.dataParallel = gradientSeconds(question, s, layout.stateBytes);
    return time;
}

/// The least recomputation that fits, else the most there is.
void chooseMemory(const AdviceQuestion &question, TrainingLayout &layout)
{
    for (const Recompute recompute : {Recompute::None, Recompute::Selective, Recompute::Full}) {
        // SwiGLU models use flash attention, which recomputes its scores anyhow.
        if (recompute == Recompute::Selective && question.model.mlp == MlpKind::Swiglu)
            continue;
        layout.settings.recompute = recompute;
        const MemoryEstimate estimate = trainingMemory(question.model, layout.settings);
        layout.memoryBytes = estimate.totalBytes();
        layout.stateBytes = estimate.stateBytes();
        layout.activationBytes = estimate.bytes(MemoryKind::Activations);
        layout.fits = layout.memoryBytes <= usableBytes(question.hardware);
        if (layout.fits)
            return;
    }
}

bool isSooner(const TrainingLayout &a, const TrainingLayout &b)
{
    // Of equal verdicts: the shorter step, or what is nearer to fitting.
    if (a.verdict != b.verdict)
        return a.verdict > b.verdict;
    if (a.step && b.step)
        return a.step->total() < b.step->total();
    return a.memoryBytes < b.memoryBytes;
}

void markBestOfEachTp(std::vector<TrainingLayout> &layouts)
{
    for (TrainingLayout &layout : layouts) {
        layout.bestOfTp = std::ranges::none_of(layouts, [&](const TrainingLayout &other) {
            return other.settings.tp == layout.settings.tp && isSooner(other, layout);
        });
    }
}

} // namespace

std::int64_t usableBytes(const Hardware &hardware)
{
    return static_cast<std::int64_t>(hardware.memoryBytes * kUsableMemoryShare);
}

int devicesTogether(const AdviceQuestion &question)
{
    return std::min(question.gpus, question.hardware.devices);
}

std::vector<int> tensorParallelCandidates(const AdviceQuestion &question)
{
    // One step beyond the node shows why not; further is the same with larger numbers.
    const int devices = question.hardware.devices;
    const int most = std::min(question.gpus, 2 * devices);
    std::vector<int> candidates;
    for (int tp = 1; tp <= most; ++tp) {
        const bool fillsNodes = question.gpus <= devices || devices % tp == 0 || tp % devices == 0;
        if (question.gpus % tp == 0 && fillsNodes)
            candidates.push_back(tp);
    }
    return candidates;
}

TrainingLayout trainingLayout(const AdviceQuestion &question, int tp, int pp, int dp)
{
    TrainingLayout layout;
    MemorySettings &s = layout.settings;
    s.tp = tp;
    s.pp = pp;
    s.dp = dp;
    s.zero = dp > 1 ? 1 : 0;
    s.bytesPerParameter = question.bytesPerParameter;
    s.sequence = question.sequence;
    s.sequenceParallel = tp > 1 && s.sequence % tp == 0;
    layout.microBatches = (question.stepSequences + dp - 1) / dp;
    s.microBatches = static_cast<int>(std::min<std::int64_t>(layout.microBatches, pp));
    if (tp > 1)
        layout.linkMargin =
            trainingLinkLimit(question.model, question.hardware, tensorParallelGBs(question.hardware, tp)) / tp;
    layout.communicationBound = tp > 1 && layout.linkMargin < 1;
    if (tensorParallelProblem(question.model, tp)) {
        layout.verdict = LayoutVerdict::NotDivisible;
        return layout;
    }
    chooseMemory(question, layout);
    if (tp > question.hardware.devices) {
        layout.verdict = LayoutVerdict::LeavesNode;
        return layout;
    }
    if (question.stepSequences < dp) {
        layout.verdict = LayoutVerdict::TooFewSequences;
        return layout;
    }
    if (!layout.fits) {
        layout.verdict = LayoutVerdict::DoesNotFit;
        return layout;
    }
    layout.verdict = layout.communicationBound ? LayoutVerdict::CommunicationBound : LayoutVerdict::Slower;
    layout.step = stepTime(question, layout);
    return layout;
}

const TrainingLayout *bestOf(const std::vector<TrainingLayout> &layouts)
{
    const auto best = std::ranges::min_element(layouts, isSooner);
    return best != layouts.end() && best->step ? &*best : nullptr;
}

std::vector<TrainingLayout> trainingLayouts(const AdviceQuestion &question)
{
    std::vector<TrainingLayout> layouts;
    for (const int tp : tensorParallelCandidates(question)) {
        const int rest = question.gpus / tp;
        for (int pp = 1; pp <= std::min(rest, question.model.layers); ++pp) {
            if (rest % pp == 0)
                layouts.push_back(trainingLayout(question, tp, pp, rest / pp));
        }
    }
    if (const TrainingLayout *best = bestOf(layouts))
        layouts[static_cast<std::size_t>(best - layouts.data())].verdict = LayoutVerdict::Recommended;
    markBestOfEachTp(layouts);
    return layouts;
}

} // namespace shardscope

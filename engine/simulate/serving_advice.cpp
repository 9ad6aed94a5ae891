// SPDX-License-Identifier: MIT
#include "engine/simulate/advice_parts.h"
#include "engine/simulate/layer_time.h"

#include <algorithm>

namespace shardscope {
namespace {

void predictToken(const AdviceQuestion &question, ServingLayout &layout)
{
    const Model &model = question.model;
    const MemorySettings &s = layout.settings;
    const LayerLoad load{.tokens = s.batch, .attended = s.sequence, .cached = s.batch * s.sequence, .tp = s.tp};
    layout.communicationSeconds = s.tp > 1 ? 2 * model.layers * allReduceSeconds(model, question.hardware, load) : 0;
    // A token passes every stage in turn: a pipeline holds the model, but does not speed it up.
    layout.tokenSeconds = model.layers * layerComputeSeconds(model, question.hardware, load) +
                          headComputeSeconds(model, question.hardware, load) + layout.communicationSeconds;
    layout.tokensPerSecondPerGpu = static_cast<double>(s.batch) / (layout.tokenSeconds * s.tp * s.pp);
}

ServingLayout servingLayout(const AdviceQuestion &question, int tp, int pp)
{
    ServingLayout layout;
    MemorySettings &s = layout.settings;
    s.tp = tp;
    s.pp = pp;
    s.dp = question.gpus / (tp * pp);
    s.batch = question.serveSequences;
    s.sequence = question.sequence;
    if (tp > 1)
        layout.linkMargin =
            decodeLinkLimit(question.model, question.hardware, tensorParallelGBs(question.hardware, tp), s.batch) / tp;
    layout.communicationBound = tp > 1 && layout.linkMargin < 1;
    if (tensorParallelProblem(question.model, tp)) {
        layout.verdict = LayoutVerdict::NotDivisible;
        return layout;
    }
    const MemoryEstimate estimate = inferenceMemory(question.model, s);
    layout.memoryBytes = estimate.totalBytes();
    layout.weightBytes = estimate.bytes(MemoryKind::Weights);
    layout.cacheBytes = estimate.bytes(MemoryKind::KvCache);
    layout.fits = layout.memoryBytes <= usableBytes(question.hardware);
    if (tp > question.hardware.devices) {
        layout.verdict = LayoutVerdict::LeavesNode;
        return layout;
    }
    predictToken(question, layout);
    if (!layout.fits)
        layout.verdict = LayoutVerdict::DoesNotFit;
    else if (question.tokenSeconds && layout.tokenSeconds > *question.tokenSeconds)
        layout.verdict = LayoutVerdict::TooSlow;
    else if (layout.communicationBound)
        layout.verdict = LayoutVerdict::CommunicationBound;
    return layout;
}

bool isBetter(const ServingLayout &a, const ServingLayout &b)
{
    if (a.verdict != b.verdict)
        return a.verdict > b.verdict;
    // When nothing meets the target, what comes nearest; else what serves most.
    if (a.verdict == LayoutVerdict::TooSlow)
        return a.tokenSeconds < b.tokenSeconds;
    return a.tokensPerSecondPerGpu > b.tokensPerSecondPerGpu;
}

} // namespace

const ServingLayout *bestOf(const std::vector<ServingLayout> &layouts)
{
    const auto best = std::ranges::min_element(layouts, isBetter);
    return best != layouts.end() && best->verdict >= LayoutVerdict::TooSlow ? &*best : nullptr;
}

std::vector<ServingLayout> servingLayouts(const AdviceQuestion &question)
{
    std::vector<ServingLayout> layouts;
    for (const int tp : tensorParallelCandidates(question)) {
        ServingLayout layout = servingLayout(question, tp, 1);
        const int rest = question.gpus / tp;
        for (int pp = 2; pp <= std::min(rest, question.model.layers) && layout.verdict == LayoutVerdict::DoesNotFit;
             ++pp) {
            if (rest % pp == 0)
                layout = servingLayout(question, tp, pp);
        }
        layouts.push_back(std::move(layout));
    }
    const ServingLayout *best = bestOf(layouts);
    // What misses the target is no recommendation, however near it comes.
    if (best != nullptr && best->verdict != LayoutVerdict::TooSlow)
        layouts[static_cast<std::size_t>(best - layouts.data())].verdict = LayoutVerdict::Recommended;
    return layouts;
}

} // namespace shardscope

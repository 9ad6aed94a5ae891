// SPDX-License-Identifier: MIT
#include "engine/runtime/reference.h"

#include "engine/runtime/reference/linear.h"
#include "engine/runtime/reference/mlp.h"
#include "engine/runtime/reference/names.h"
#include "engine/runtime/reference/vocabulary.h"

#include <c10/core/GradMode.h>

#include <vector>

namespace shardscope {

namespace {

using textbook::Context;
using Layers = std::vector<std::unique_ptr<textbook::Layer>>;

/// Column and row parallel layers compute the same thing: Y = X·W + b.
Layers oneLinear(const Context &context)
{
    Layers layers;
    layers.push_back(std::make_unique<textbook::Linear>(context, "W", "b"));
    return layers;
}

Layers repeated(const Context &context, Layer kind)
{
    Layers layers;
    const std::int64_t count = context.experiment.layers;
    for (std::int64_t i = 0; i < count; ++i)
        layers.push_back(textbook::makeLayer(context, kind, layerName("", i, count)));
    return layers;
}

/// What the scheme is about; the bug lab's compute, wrongly, what their right scheme computes.
Layers layersOf(const Context &context)
{
    switch (context.experiment.scheme) {
    case Scheme::Column:
    case Scheme::Row:
    case Scheme::BugRowBiasEachRank:
    case Scheme::BugAllReduceColumns:
    case Scheme::BugAverageInsteadOfSum:
    case Scheme::BugConcatPartials:
    case Scheme::BugNaiveExercise:
        return oneLinear(context);
    case Scheme::Mlp:
    case Scheme::BugNonlinearityOnPartial:
    case Scheme::BugAllReduceWeightGradient:
    case Scheme::BugMissingInputGradientReduce:
        return repeated(context, Layer::Mlp);
    case Scheme::Attention:
    case Scheme::BugUnshardedHeads:
    case Scheme::BugUnreducedKv:
        return repeated(context, Layer::Attention);
    case Scheme::Block:
        return repeated(context, Layer::Block);
    case Scheme::DataParallel:
    case Scheme::Zero1:
    case Scheme::Zero2:
    case Scheme::Zero3:
    case Scheme::Pipeline:
        return repeated(context, context.experiment.layer);
    case Scheme::Embedding:
    case Scheme::Logits:
        break;
    }
    return {};
}

void runLayers(const Context &context)
{
    const Layers layers = layersOf(context);
    Twin activation = context.weights.ofAllMicroBatches("X");
    for (const auto &layer : layers)
        activation = layer->forward(activation);
    context.expected.addTokens("Y", activation);
    const bool goesBack = context.weights.has("dY") || context.weights.has("dY#1"); // not at inference
    if (!goesBack)
        return;
    Twin gradient = context.weights.ofAllMicroBatches("dY");
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
        gradient = (*layer)->backward(gradient);
    context.expected.addTokens("dX", gradient);
}

bool contains(Slice whole, Slice slice)
{
    return slice.begin >= whole.begin && slice.begin + slice.length <= whole.begin + whole.length;
}

} // namespace

Reference::Reference(const Plan &plan, const ValueSource &source, const WorkShare &share)
    : m_expected(plan.experiment.microBatches, plan.experiment.extent(MeshAxis::Dp))
{
    const c10::NoGradGuard noGradients;
    const WeightBlocks weights(plan, source, share);
    const Context context{plan.experiment, weights, m_expected};
    if (plan.experiment.scheme == Scheme::Embedding)
        textbook::embedding(context);
    else if (plan.experiment.scheme == Scheme::Logits)
        textbook::logits(context);
    else
        runLayers(context);
}

bool Reference::covers(const std::string &name, const Region &region) const
{
    const ExpectedValue *value = m_expected.find(name);
    return value && contains(value->whole().rows, region.rows) && contains(value->whole().columns, region.columns);
}

at::Tensor Reference::expected(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    return m_expected.value(name).exact(region);
}

at::Tensor Reference::unsharded(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    return m_expected.value(name).plain(region);
}

at::Tensor Reference::inPieces(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    return m_expected.value(name).pieces(region);
}

void Reference::subtractFrom(at::Tensor &values, const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    m_expected.value(name).subtractFrom(values, region);
}

double Reference::squaredNorm(const std::string &name, const Region &region) const
{
    const c10::NoGradGuard noGradients;
    return m_expected.value(name).squaredNorm(region);
}

} // namespace shardscope

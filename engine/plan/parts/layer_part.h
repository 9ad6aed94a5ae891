// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/parts/pair.h"
#include "engine/plan/plan_builder.h"

#include <memory>
#include <string>

namespace shardscope {

/// A layer, or a part of one, for one micro-batch: it goes forward, keeps what backward needs, and goes back. Forward
/// may run twice (recomputation); backward uses what the last one kept.
class LayerPart
{
public:
    virtual ~LayerPart() = default;
    /// Gives the layer's output for `x`.
    virtual TensorId forward(PlanBuilder &plan, TensorId x) = 0;
    /// Gives the input's gradient, kNoTensor where none is wanted; states the parameters' gradients.
    virtual TensorId backward(PlanBuilder &plan, TensorId dY, bool wantsInputGradient) = 0;
    /// Of a pair with open ends, before it goes back: the input for the weight gradients, where forward let go of it.
    virtual void inputAgain(TensorId) {}
};

/// Names of what a part makes for the outside, scoped.
struct PartNames {
    std::string output;        ///< "Y"
    std::string inputGradient; ///< "dX"
};

[[nodiscard]] std::unique_ptr<LayerPart> makeMlp(PlanBuilder &plan, const PartNames &names, Ends ends = Ends::Closed);
[[nodiscard]] std::unique_ptr<LayerPart> makeAttention(PlanBuilder &plan, const PartNames &names,
                                                       Ends ends = Ends::Closed);
/// Wrong on purpose: each rank takes its columns for all a heads, which cuts the heads.
[[nodiscard]] std::unique_ptr<LayerPart> makeAttentionWithCutHeads(PlanBuilder &plan, const PartNames &names,
                                                                   Text remedy);
/// `number` tells a block's norms apart: g1, c1 and g2, c2.
[[nodiscard]] std::unique_ptr<LayerPart> makeNorm(PlanBuilder &plan, PartNames names, int number);
/// Attention and MLP one after the other, or side by side with --parallel-block.
[[nodiscard]] std::unique_ptr<LayerPart> makeBlock(PlanBuilder &plan, const PartNames &names);
[[nodiscard]] std::unique_ptr<LayerPart> makeLayer(PlanBuilder &plan, Layer layer, const PartNames &names);

} // namespace shardscope

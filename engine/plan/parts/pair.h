// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/parts/linear.h"

#include <vector>

namespace shardscope {

/// Whether a pair gathers what enters it, reduces what leaves it and adds its last bias, or leaves all that to who runs
/// several pairs side by side.
enum class Ends { Closed, Open };

/// What must travel around the two linear layers of a pair, first and second, with a function between them that works
/// on finished values. The algebra says what each place needs; --pair, --sequence-parallel and --reduce-to say how the
/// layers are cut and what lies outside:
///
///     x -> enter -> first -> (reduce) -> function -> (gather) -> second -> leave -> y
///
/// Megatron's pair, column then row, needs nothing in the middle: the rank's columns of H meet its own rows of W2
/// (Shoeybi 2019, section 3). Every other order pays there too.
class PairBoundary
{
public:
    explicit PairBoundary(const PlanBuilder &plan, Ends ends = Ends::Closed);

    /// W1 as a column or row layer; `replicas` ranks share a slice of a column layer.
    [[nodiscard]] Linear first(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out,
                               int replicas = 1) const;
    [[nodiscard]] Linear second(const PlanBuilder &plan, std::string w, std::string b, Dim in, Dim out) const;

    // Forward.
    TensorId enter(PlanBuilder &plan, TensorId x) const;
    /// Of the first layers' products, which belong to one input.
    std::vector<TensorId> afterFirst(PlanBuilder &plan, const std::vector<TensorId> &z) const;
    TensorId beforeSecond(PlanBuilder &plan, TensorId h) const;
    /// The second layer's product to what the next layer gets; its bias is added on the way, once.
    TensorId leave(PlanBuilder &plan, TensorId y, TensorId bias) const;

    // Backward.
    /// dY as the second layer needs it.
    TensorId leaveBackward(PlanBuilder &plan, TensorId dY) const;
    /// dY where the second bias was added; kNoTensor with open ends.
    [[nodiscard]] TensorId biasGradientFrom(TensorId arrived, TensorId entered) const;
    TensorId beforeSecondBackward(PlanBuilder &plan, TensorId dH) const;
    std::vector<TensorId> afterFirstBackward(PlanBuilder &plan, const std::vector<TensorId> &dZ) const;
    /// The input as the first layers' weight gradients need it: gathered again, or what `enter` left.
    TensorId enterAgain(PlanBuilder &plan, TensorId x, TensorId entered) const;
    /// The input's gradient, from the products of the first layers; `followed` by steps that do not wait for it.
    TensorId enterBackward(PlanBuilder &plan, TensorId dX, bool followed = true) const;

private:
    bool m_firstByColumns;
    bool m_secondByRows;
    bool m_tokensCut; ///< sequence parallelism: activations outside the pair are cut by tokens
    bool m_gatherAgain;
    bool m_overlap;
    bool m_open; ///< all tokens enter and addends leave, forward and backward
};

} // namespace shardscope

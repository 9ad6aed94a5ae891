// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/parts/pair.h"

#include <string>
#include <vector>

namespace shardscope {

/// A linear layer of a pair with the names of what it makes: "Z", and of its addend of the input's gradient where
/// several layers read one input, "dXg".
struct Branch {
    Linear linear;
    std::string result;
    std::string inputGradient;
};

/// The first layers of a pair: one for GELU, gate and up for SwiGLU, Q, K and V for attention. They read the same
/// input, so its gradient is summed on the rank first, and one collective serves all.
class InputProjections
{
public:
    InputProjections(PlanBuilder &plan, PairBoundary boundary, std::vector<Branch> branches, std::string inputGradient);

    std::vector<TensorId> forward(PlanBuilder &plan, TensorId x);
    /// `dZ` in the order of the branches.
    TensorId backward(PlanBuilder &plan, const std::vector<TensorId> &dZ, bool wantsInputGradient);
    /// LayerPart::inputAgain().
    void inputAgain(TensorId x) { m_entered = x; }

private:
    PairBoundary m_boundary;
    std::vector<Branch> m_branches;
    std::string m_inputGradient;
    TensorId m_x = kNoTensor;       ///< as it lies outside
    TensorId m_entered = kNoTensor; ///< as the layers multiply it
};

/// The second layer of a pair.
class OutputProjection
{
public:
    OutputProjection(PlanBuilder &plan, PairBoundary boundary, Branch branch, std::string innerGradient);

    TensorId forward(PlanBuilder &plan, TensorId h);
    /// Gives dH.
    TensorId backward(PlanBuilder &plan, TensorId dY);

private:
    PairBoundary m_boundary;
    Branch m_branch;
    std::string m_innerGradient;
    TensorId m_h = kNoTensor;
};

} // namespace shardscope

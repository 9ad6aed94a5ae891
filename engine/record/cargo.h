// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope {

/// What a collective carries.
enum class Cargo { Activations, Parameters, Gradients };
[[nodiscard]] std::string_view name(Cargo cargo);
/// Of the first that it carries; of step.collective.
[[nodiscard]] Cargo cargoOf(const Plan &plan, const Step &step);
/// Whether a neighbour layer outside the plan hands `input` over in the step's pass: X in forward, dY in backward. X in
/// backward has been there since forward.
[[nodiscard]] bool arrives(const Step &step, const Tensor &input);

/// What one pass moves along one axis: the collectives of the rank that sends the most, taken together.
struct Move {
    Cargo cargo = Cargo::Activations;
    Pass pass = Pass::Forward;
    MeshAxis axis = MeshAxis::Tp;
    /// Whether compute has to wait for it: what it carries has only just been made or has just arrived,
    /// and the next step needs it.
    /// Parameters are known beforehand and can be fetched ahead, so can activations of an earlier pass; gradients of
    /// parameters nobody needs before the optimizer.
    bool critical = true;
    int collectives = 0;
    std::int64_t sentBytesPerRank = 0;
};

/// In the order in which a step makes them.
[[nodiscard]] std::vector<Move> movesOf(const Plan &plan);

/// P: elements of all weights and biases of the whole model, all layers and stages.
[[nodiscard]] std::int64_t parameterCount(const Plan &plan);

} // namespace shardscope

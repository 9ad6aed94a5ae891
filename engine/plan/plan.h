// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/step.h"
#include "engine/plan/tensor.h"
#include "engine/plan/text.h"

#include <optional>
#include <vector>

namespace shardscope {

/// What carries the collectives; it decides the dtype on the wire: Gloo cannot sum bf16, so it travels as f32.
enum class Transport { Gloo, Nccl };

/// The rule of the sharding algebra that a deliberately wrong scheme breaks, and where.
struct BrokenRule {
    Text rule;    ///< what the algebra says
    int step = 0; ///< index of the offending step
    Text remedy;  ///< the right way, of a plan of the bug lab
};

/// A scheme as data: tensors with placements, and ordered steps. Everything else interprets this value.
struct Plan {
    Experiment experiment;
    Transport transport = Transport::Gloo;
    std::vector<Tensor> tensors;
    std::vector<Step> steps;
    std::vector<BrokenRule> brokenRules; ///< set by the bug lab only
    std::optional<Scheme> rightScheme;   ///< of the bug lab: the same layer done right
    std::vector<TensorId> results;       ///< what the numeric check compares: Y, dX, weight and bias gradients

    [[nodiscard]] const Mesh &mesh() const { return experiment.mesh; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
    /// Ranks that take part in one collective of the step: those of its axis, or of its sub-group.
    [[nodiscard]] int groupSize(const Collective &collective) const;
    /// Whether `rank` runs the step: a pipeline stage runs its own, and both ends of a send take part in it.
    [[nodiscard]] bool runs(const Step &step, int rank) const;
    /// All versions of the logical tensor, in the order in which they are made.
    [[nodiscard]] std::vector<TensorId> versions(std::string_view name) const;
};

/// The plan of a valid experiment. Pure; the experiment must pass validate(). What its scheme and phase do not use is
/// left at its default, in the plan's experiment too.
[[nodiscard]] Plan buildPlan(const Experiment &experiment, Transport transport = Transport::Gloo);

/// Re-derives every placement by the sharding algebra; the first broken rule, or nothing.
[[nodiscard]] std::optional<BrokenRule> check(const Plan &plan);

/// The plan as aligned text: tensors, placements, steps, reasons, bytes. For the command line and golden tests.
[[nodiscard]] std::string toText(const Plan &plan);

} // namespace shardscope

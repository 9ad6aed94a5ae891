// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"
#include "engine/simulate/group_span.h"
#include "engine/simulate/hardware.h"

#include <vector>

namespace shardscope {

/// Seconds of a compute step: of each kernel (kernel_work.h) max(FLOPs / (efficiency x peak), bytes / memory bandwidth)
/// + overhead (roofline). Padding takes what the schedule says, and is not asked here.
[[nodiscard]] double computeSeconds(const Step &step, DType dtype, const Hardware &hardware);
/// Seconds of a collective of the group: alpha-beta by algorithm, the cheapest protocol. A reduce or broadcast is a
/// pipelined chain, (N-1)·alpha + S/B; a message alpha + S/B; a maximum costs what a sum does. Across nodes (network.h)
/// the library's sum is a ring, or a tree of nodes where that is cheaper; our own algorithms send over one port a rank.
[[nodiscard]] double collectiveSeconds(const Collective &collective, const GroupSpan &group, const Hardware &hardware);
/// What of those seconds is latency, the part that an empty message of the same hops would take; the rest are bytes.
[[nodiscard]] double latencySeconds(const Collective &collective, const GroupSpan &group, const Hardware &hardware);
/// Seconds of each hop of one of our own algorithms; empty for the library's.
[[nodiscard]] std::vector<double> hopSeconds(const Collective &collective, const GroupSpan &group,
                                             const Hardware &hardware);

/// Predicts the plan on the machine (simulation.h): one timed iteration, spans and hops in the order in which they
/// begin, source Predicted, no checks. Of ranks that do the same one is recorded (Run::standIns).
[[nodiscard]] Run simulate(Plan plan, const Hardware &hardware);

/// Bytes that one rank needs for this valid experiment while it runs for real on the CPU: weights, gradients,
/// activations, buffers of the collectives, the numeric check and the process itself. An upper estimate.
[[nodiscard]] std::int64_t estimatedBytesPerRank(const Experiment &experiment);

} // namespace shardscope

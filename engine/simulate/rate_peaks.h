// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/achieved_rates.h"

namespace shardscope {

// Which peak stands over a rate.

/// FLOP/s of a rank's matrix products. `ranks` of the run share the cores of `peaks`.
[[nodiscard]] RatePeak productPeak(const Hardware &peaks, DType dtype, int ranks);
/// Bytes/s of a rank's memory.
[[nodiscard]] RatePeak memoryPeak(const Hardware &peaks, int ranks);
/// Bytes/s of the link that carries the step's collective, one direction: where the run knows how its GPUs are joined,
/// the least of the pairs that it uses; else the preset's data sheet; of a measured machine the best bus bandwidth.
/// Between nodes that of the ports, of predictions only. Nothing where none of them is known.
[[nodiscard]] std::optional<RatePeak> linkPeak(const Run &run, const Step &step, const Hardware &peaks);

} // namespace shardscope

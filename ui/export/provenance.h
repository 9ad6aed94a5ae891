// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/run_words.h"

namespace shardscope {

/// Where the numbers of a picture come from: "measured DATE", "predicted for PRESET" or "recorded on ... DATE",
/// machine, backend and library versions, dtype, b s h N, statistic. `run` null: only a plan is shown. `all`: every run
/// that the picture shows, where it contrasts phases.
[[nodiscard]] QString provenance(const Run *run, const Experiment &experiment,
                                 const std::vector<const Run *> &all = {});

} // namespace shardscope

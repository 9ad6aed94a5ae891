// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

#include <QString>

namespace shardscope {

/// "2026-11-29 14:32", local time.
[[nodiscard]] QString runDate(const Run &run);

/// "measured 2026-11-29 14:32 on MACHINE", "recorded on MACHINE, DATE", "predicted for PRESET".
[[nodiscard]] QString sourcePhrase(const Run &run);

/// Where the numbers of a picture come from: "measured DATE", "predicted for PRESET" or "recorded on ... DATE",
/// machine, backend and library versions, dtype, b s h N, statistic. Null: only a plan is shown.
[[nodiscard]] QString provenance(const Run *run, const Experiment &experiment);

} // namespace shardscope

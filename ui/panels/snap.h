// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QString>

namespace shardscope {

/// A valid experiment near the one asked for, and what had to change; the hint is empty when nothing had to.
struct Snapped {
    Experiment experiment;
    QString hint;
    bool valid = true; ///< false: nothing near is valid, and `hint` says why
};

/// Sizes go to the nearest multiple of N, an algorithm that N does not allow to the library's, a delay of a rank that
/// is gone away, and a bug that cannot show gets what it needs to show.
[[nodiscard]] Snapped snap(const Experiment &wanted);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"

#include <QString>

namespace shardscope {

/// What one rank sends, as a formula with this setting's numbers.
struct TrafficFormula {
    QString caption; ///< "Each rank sends, per all-reduce of Y"
    QString formula; ///< "2 (N−1)/N · b·s·h · 4 B"; empty when nothing is sent
    QString numbers; ///< "2 · 3/4 · 256 · 1024 · 4 B"
    QString result;  ///< "1.5 MiB"
    QString perStep; ///< "forward: 1 collective, backward: 1; 3 MiB in all"
};

/// The plan's first collective, forward before backward.
[[nodiscard]] TrafficFormula trafficFormula(const Plan &plan);

} // namespace shardscope

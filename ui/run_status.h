// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace shardscope {

/// What the header bar says about the numbers on screen, and which of Run and Cancel is possible.
struct RunStatus {
    enum class State { Predicted, Running, Measured, Stale, Recorded } state = State::Predicted;
    QString text;         ///< "4 ranks on 2 cores, measured 14:32"
    QString honesty;      ///< "4 ranks share 2 cores; not GPU times"
    double fraction = -1; ///< of the work in progress; negative: unknown
    bool canRun = false;
    QString whyNot; ///< why these settings are predicted and not measured; empty when they can be
};

} // namespace shardscope

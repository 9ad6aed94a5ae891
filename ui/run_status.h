// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/check_words.h"

#include <QString>

namespace shardscope {

/// What the header bar says about the numbers on screen, and which of Run and Cancel is possible.
struct RunStatus {
    enum class State { Predicted, Running, Measured, Stale, Recorded } state = State::Predicted;
    QString text;         ///< "4 ranks on 2 cores, measured 14:32"
    QString honesty;      ///< "4 ranks share 2 cores; not GPU times"
    double fraction = -1; ///< of the work in progress; negative: unknown
    bool canRun = false;
    bool canMeasure = false; ///< these settings cannot run here, but this machine can be measured to predict them
    bool incomplete = false; ///< what was measured was cut off, or lacks a phase
    CheckVerdict checks;     ///< of the measured runs on screen
    QString machine;         ///< another one that runs the ranks; empty: this one
    QString whyNot;          ///< why these settings are predicted and not measured; empty when they can be
};

} // namespace shardscope

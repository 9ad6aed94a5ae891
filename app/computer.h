// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/event.h"

#include <QString>
#include <cstdint>
#include <optional>

namespace shardscope {

/// What decides whether ranks can run on a machine: this one, or another whose engine is used.
struct Computer {
    int cores = 1;                              ///< that ranks may use; 0: not known yet
    std::optional<std::int64_t> availableBytes; ///< of memory; unknown on systems that do not say
    QString name{};                             ///< of another machine; empty: this one

    [[nodiscard]] static Computer thisOne();
    /// Of the machine whose engine has said hello.
    [[nodiscard]] static Computer of(const HelloEvent &hello);
    /// "here", "on gpu1".
    [[nodiscard]] QString where() const;
    /// Ranks that run for real: more share a core so often that their times say nothing.
    [[nodiscard]] int mostRanks() const { return cores > 8 ? cores : 8; }
};

/// Whether an experiment may run for real, and whether it may start by itself.
struct RunPermission {
    bool allowed = false;
    bool automatic = false; ///< short enough to start when the slider rests
    QString why;            ///< of a refusal, or of waiting for the Run button: one sentence
};

/// `stepSeconds`: predicted time of one step on this computer.
[[nodiscard]] RunPermission runPermission(const Experiment &experiment, const Computer &computer, double stepSeconds);

/// "4 ranks share 2 cores; not GPU times"; with enough cores "CPU ranks; not GPU times".
[[nodiscard]] QString honestyNote(int ranks, int cores);
/// The same, and which machine that is: "On gpu1: 4 ranks share 2 cores; not GPU times".
[[nodiscard]] QString honestyOn(int ranks, const Computer &computer);
/// "4 ranks on 2 cores", "4 ranks on 2 cores of gpu1".
[[nodiscard]] QString ranksOnCoresWord(int ranks, const Computer &computer);
/// "16.0 GB".
[[nodiscard]] QString gigabytes(double bytes);

} // namespace shardscope

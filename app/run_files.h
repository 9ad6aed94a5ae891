// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

#include <QString>
#include <vector>

namespace shardscope {

/// The runs of a `.shardscope` file, or why there are none; what is whole of a damaged file is kept and `note` says so.
struct OpenedRuns {
    std::vector<Run> runs;
    QString problem; ///< name, line, what was expected; set only when there is no run
    QString note;
};
[[nodiscard]] OpenedRuns openRuns(const QString &file);

/// Writes whole or not at all; the problem, or empty.
[[nodiscard]] QString saveRuns(const QString &file, const std::vector<Run> &runs);

/// What a run from a file is: "Recorded on 2026-03-02 14:05", or a saved prediction.
[[nodiscard]] QString recordedTitle(const Run &run);
/// Where it ran, in its own words: "4 cores, AMD EPYC 7763; 4 ranks share 4 cores; not GPU times".
[[nodiscard]] QString recordedWhere(const Run &run);
/// How many impossible records the run lost, as a sentence; empty when none.
[[nodiscard]] QString rejectedNote(int rejected);

} // namespace shardscope

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

} // namespace shardscope

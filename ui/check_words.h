// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

#include <QString>
#include <vector>

namespace shardscope {

/// What the checks of measured or recorded runs say: are the results those of one device, and did the collectives run
/// that the plan has?
struct CheckVerdict {
    enum class State { Unchecked, Passed, Failed } state = State::Unchecked;
    QString line;    ///< "check failed: Y, relative error 3.2e-02, limit 1.0e-05", "13 of 13 checks passed"
    QString rule;    ///< of the sharding algebra, which a scheme that is wrong on purpose breaks
    QString details; ///< every check with its error and limit, one line per run

    [[nodiscard]] bool failed() const { return state == State::Failed; }
};

/// Of all of them that ran to their end; null and predictions are passed over.
[[nodiscard]] CheckVerdict checkVerdict(const std::vector<const Run *> &runs);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/host_session.h"
#include "engine/cli/text_table.h"
#include "engine/plan/experiment.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// One experiment of the self-test and where its result is counted.
struct SelftestCase {
    std::string variant; ///< "column, gather-output"
    Experiment experiment;
    bool mustFail = false; ///< the bug lab: a check that lets it pass is broken
};

/// Every scheme and switch x phase x N = 1 to 4, some on eight ranks, meshes, algorithms and the bug lab; in f32, a
/// subset in every dtype. Ordered by N, because ranks are started anew when their number changes.
[[nodiscard]] std::vector<SelftestCase> selftestCases();

/// Provokes each fault in a rank at work on that backend. True when each was told with its cause, left no process
/// behind and the next run worked; the table says what happened.
[[nodiscard]] bool provokeFaults(HostSession &session, Backend backend, std::string &report);

} // namespace shardscope::cli

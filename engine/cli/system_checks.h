// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/host_session.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// One thing that `doctor` looked at.
struct Finding {
    enum class State { Good, Note, Problem } state = State::Good;
    std::string area;   ///< "memory"
    std::string found;  ///< what is there
    std::string cause;  ///< of a problem
    std::string remedy; ///< what helps
};

/// What the system alone tells: cores, memory, shared memory, loopback, ports, limits, BLAS core.
[[nodiscard]] std::vector<Finding> systemFindings();

/// What only ranks can tell: that the rank host starts, its libraries, the dtypes that this machine multiplies. Throws
/// Failure when cancelled.
[[nodiscard]] std::vector<Finding> hostFindings(HostSession &session);

} // namespace shardscope::cli

// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/host_session.h"
#include "engine/cli/output.h"

namespace shardscope::cli {

int serve(const Arguments &)
{
    requireStdout();
    // The rank host takes this process's place: its stdin, its stdout, its number.
    throw Failure{kFailed, oneLine(becomeHost())};
}

} // namespace shardscope::cli

// SPDX-License-Identifier: MIT
#pragma once

namespace shardscope {

/// From here on the first SIGINT, SIGTERM or SIGHUP is only noted, for an event loop that asks; the second one ends the
/// program as it always does. No call of the system stands in this header: a program's main() may include it.
void noteInterrupts();
[[nodiscard]] bool interruptNoted();

} // namespace shardscope

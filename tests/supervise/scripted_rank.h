// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/rank_main.h"

#include <string>

namespace shardscope {

/// What one rank is to do wrong in its third iteration: "throw:1", "leave:1", "spin:1" (computes for ever), "say:1" (a
/// line that is no JSON), or nothing. "flood:0" makes rank 0 write a thousand events per iteration. Faults that come
/// from outside (signals, no memory) need no script.
struct RankScript {
    std::string fault;
    int rank = -1;
};
[[nodiscard]] RankScript readScript(const char *text);

/// A rank without LibTorch: commands and events are the real ones, its only collective is a barrier over a socket that
/// fails with Gloo's words, and every iteration allocates 4 KiB x hidden.
[[nodiscard]] RankMain scriptedRank(RankScript script);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace shardscope {

/// In a child just forked: a group of its own, no signal blocked, gone with its parent, and none of the parent's
/// streams held open. `name` is what ps shows, at most 15 characters.
void leaveParent(pid_t parent, const std::string &name, const std::vector<int> &closeInChild);

} // namespace shardscope

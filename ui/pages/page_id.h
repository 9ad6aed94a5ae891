// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace shardscope {

/// What the window shows below its header, in the order of the switch there and of Alt+1, Alt+2, ...
enum class PageId { Workbench, Memory, Advice, Traffic, Crossover, Scaling, BugLab };

} // namespace shardscope

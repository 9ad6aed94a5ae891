// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace shardscope {

/// What the window shows below its header. Kept settings name pages by these numbers: new ones come at the end; the
/// order on screen is that of `pageList`.
enum class PageId { Workbench, Memory, Advice, Traffic, Crossover, Scaling, BugLab, Phases, LowLoad, Hardware, Rates };

} // namespace shardscope

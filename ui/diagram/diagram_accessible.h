// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace shardscope {

/// Lets assistive technology see a DiagramView as one child per rank, each with what the rank holds in the current
/// step; the narration is the view's description. May be called more than once.
void installDiagramAccessibility();

} // namespace shardscope

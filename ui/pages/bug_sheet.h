// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/bug_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// All bugs on the left, one in detail on the right. The unit shrinks until everything has its place. The first spots
/// are the rows of the list, in its order.
[[nodiscard]] Sheet bugSheet(const BugLabValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture bugPicture(const BugLabValues &values);

} // namespace shardscope

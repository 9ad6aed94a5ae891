// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/low_load_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Step times over the batch for each number of ranks, measured on the left and predicted on the right, with the place
/// from which on more ranks are faster, and why they are not before. The unit shrinks until everything has its place.
[[nodiscard]] Sheet lowLoadSheet(const LowLoadValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture lowLoadPicture(const LowLoadValues &values);

} // namespace shardscope

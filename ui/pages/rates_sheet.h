// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/rates_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Bars of what was reached under the lines of what could be, and the roofline of the products. The unit shrinks until
/// everything has its place.
[[nodiscard]] Sheet ratesSheet(const RatesValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture ratesPicture(const RatesValues &values);

} // namespace shardscope

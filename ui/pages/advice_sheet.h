// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/advice_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// A row a layout: verdict by word and sign, memory against the card, where the time goes, and why; the recommended one
/// framed. Below: what explains it, the same on other machines, the rules with their sources. The unit shrinks until
/// everything has its place.
[[nodiscard]] Sheet adviceSheet(const AdviceValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture advicePicture(const AdviceValues &values);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/phases_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// The table of phases, bars of bytes and of time, and why. The unit shrinks until everything has its place.
[[nodiscard]] Sheet phasesSheet(const PhasesValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture phasesPicture(const PhasesValues &values);

} // namespace shardscope

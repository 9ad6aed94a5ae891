// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/hardware_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Up to as many GPUs every pair has a cell of the matrix; of more the kinds of paths are listed alone.
inline constexpr int kMostGpusInMatrix = 8;

/// The machine with its cores, memory and GPUs beside the paths between these and how busy it is; below it the machine
/// that is predicted for.
[[nodiscard]] Sheet hardwareSheet(const HardwareValues &values, const QRectF &area, const Theme &theme, double unit);

[[nodiscard]] PagePicture hardwarePicture(const HardwareValues &values);

} // namespace shardscope

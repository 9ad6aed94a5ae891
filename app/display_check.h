// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace shardscope {

/// Why no window can be shown, in one line; empty when one can. Asked before QApplication exists, because Qt ends the
/// program when it finds no display.
[[nodiscard]] QString displayProblem();

} // namespace shardscope

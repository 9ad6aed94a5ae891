// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QDoubleSpinBox;

namespace shardscope {

/// A box for a delay in milliseconds, with decimals only where there are some; 0 reads as `zero`.
[[nodiscard]] QDoubleSpinBox *newMillisecondsBox(const QString &name, const QString &zero);

} // namespace shardscope

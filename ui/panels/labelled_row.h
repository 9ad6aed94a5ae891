// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace shardscope {

/// A label, whose `&` is the control's key, beside its control or above it.
[[nodiscard]] QWidget *labelledRow(const QString &label, QWidget *control, bool below);
/// The label as it is read aloud, without the `&`.
[[nodiscard]] QString spoken(QString label);

} // namespace shardscope

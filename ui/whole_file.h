// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArrayView>
#include <QString>

namespace shardscope {

/// Writes the file whole or not at all: then the old one stays and nothing else is left. The problem, or empty.
[[nodiscard]] QString writeWhole(const QString &file, QByteArrayView bytes);

/// Why no file of that name can be made, before anything is computed for it; empty when it can.
[[nodiscard]] QString targetProblem(const QString &file);

} // namespace shardscope

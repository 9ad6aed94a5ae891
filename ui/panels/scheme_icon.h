// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"
#include "ui/theme.h"

#include <QIcon>
#include <QRectF>

class QPainter;

namespace shardscope {

/// Width over height of a scheme's picture.
inline constexpr double kSchemeIconAspect = 1.9;

/// How the scheme cuts the weights on four ranks, as small as an icon: columns or rows in the ranks' colours, replicas
/// with a double outline, one layer a rank in a pipeline; a bug is its right scheme, crossed.
void paintSchemeIcon(QPainter &painter, const QRectF &area, Scheme scheme, const Theme &theme);

/// That picture `height` pixels high, sharp at 1 to 3 device pixels.
[[nodiscard]] QIcon schemeIcon(Scheme scheme, const Theme &theme, int height);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/matrix_view.h"
#include "ui/theme.h"

#include <QRectF>

class QPainter;

namespace shardscope {

/// The placement grammar: whole outline dashed with dotted cuts, shard solid in the rank's colour inside it, replica
/// with a double outline and neutral fill, partial sum full size, hatched, with room for its badge. The four differ in
/// line and texture, not in hue alone.
void paintMatrix(QPainter &painter, const QRectF &box, const MatrixView &view, const Theme &theme, double u,
                 bool badge = true);

/// The part of the whole matrix that the rank holds.
[[nodiscard]] QRectF heldRect(const QRectF &box, const MatrixView &view);

/// Of a stack of tensors the part of its box that the front one fills.
[[nodiscard]] QRectF frontSheet(const QRectF &box, const MatrixView &view, double u);

/// Where the badge "1/N" of a partial sum stands.
[[nodiscard]] QRectF partialBadge(const QRectF &box, double u);

/// The colour of a forward tensor, or the stronger one of a gradient.
[[nodiscard]] QColor passShade(const QColor &colour, bool gradient, const Theme &theme);

} // namespace shardscope

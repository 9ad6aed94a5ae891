// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace shardscope {

/// How a bar says where its number comes from.
enum class BarOrigin { Measured, Predicted, Stale };

/// `share` of `over` on `base`, opaque: vector formats need no alpha.
[[nodiscard]] QColor mixed(const QColor &base, const QColor &over, double share);

/// Fill and outline of a bar with identity colour `colour` on `surface`: measured solid, predicted hollow (a faint
/// tint with an outline), stale grey.
struct BarPaint {
    QColor fill;
    QColor outline;
};
[[nodiscard]] BarPaint barPaint(const QColor &colour, const QColor &surface, BarOrigin origin);

/// WCAG 2 contrast ratio, 1 to 21.
[[nodiscard]] double contrastRatio(const QColor &a, const QColor &b);
/// `colour` moved towards `text` until it contrasts at least 3:1 with `surface`: an outline must be seen.
[[nodiscard]] QColor visibleOutline(const QColor &colour, const QColor &surface, double ratio = 3);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

#include <QRectF>
#include <QSizeF>
#include <QString>
#include <algorithm>
#include <functional>
#include <vector>

class QPainter;

namespace shardscope {

/// A part of a picture that says more when the mouse or the keyboard is on it.
struct PageSpot {
    QRectF rect;
    QString details;
};

/// What a page shows, as a value: the same picture on the screen, in a file and in a test.
struct PagePicture {
    QString finding;                  ///< the title, also what a screen reader says
    QString provenance;               ///< where the numbers come from: the footer of a file
    QSizeF least = QSizeF(1000, 600); ///< design pixels below which the view scrolls, and a file has smaller letters

    /// Draws into `area` of the painter, on a ground that is there already. `unit`: pixels per design pixel.
    using Paint = std::function<void(QPainter &, const QRectF &area, const Theme &, double unit)>;
    Paint paint;
    /// What `paint` puts where, for the same area and unit; may be empty.
    std::function<std::vector<PageSpot>(const QRectF &area, double unit)> spots;
    /// The unit at which `paint` finds room for everything, at most the one given; may be empty.
    std::function<double(const QRectF &area, double unit)> fitted;
};

/// `unit`, or smaller where `least` design pixels would not fit into the area.
[[nodiscard]] inline double fittingUnit(const QRectF &area, const QSizeF &least, double unit)
{
    return std::min({unit, area.width() / least.width(), area.height() / least.height()});
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/text_box.h"
#include "ui/pages/page_picture.h"

#include <QLineF>
#include <QPolygonF>

namespace shardscope {

/// How the fill of a box differs from that of its neighbours of the same colour.
enum class Hatch {
    None,
    Diagonal,
    Upright, ///< vertical lines
};

/// Signs that say the same as their colour, for who does not see it and for a printer without.
enum class SheetMark { Star, Tick, Cross, Warning, Dash };

/// What a point of a curve is drawn with, so that curves differ by more than their colour.
enum class DotShape { Circle, Square, Diamond, Triangle, TriangleDown };

/// A picture as a list of what is drawn where, in pixels: a layout makes it, tests hold its parts against each other,
/// `paintSheet` only draws.
struct Sheet {
    struct Box {
        QRectF rect{};
        QColor fill{};
        QColor outline{}; ///< invalid: none
        double line = 1;
        double radius = 0;
        Hatch hatch = Hatch::None;
        QColor hatchColour{};
        double spacing = 6; ///< of the hatch
        bool dashed = false;
    };
    struct Line {
        QLineF line;
        QColor colour;
        double width = 1;
        bool dashed = false;
    };
    struct Curve {
        QPolygonF points;
        QColor colour;
        double width = 1;
        Qt::PenStyle style = Qt::SolidLine;
    };
    struct Dot {
        QPointF centre;
        double radius = 4;
        DotShape shape = DotShape::Circle;
        QColor fill; ///< invalid: none
        QColor outline;
        double line = 1;
    };
    struct Mark {
        SheetMark mark;
        QRectF rect;
        QColor colour;
        QColor inside; ///< what is drawn on the colour
    };
    double unit = 1; ///< pixels per design pixel: as asked, or smaller where that does not fit
    std::vector<Box> boxes;
    std::vector<Line> lines;
    std::vector<Curve> curves;
    std::vector<Dot> dots;
    std::vector<Mark> marks;
    std::vector<TextBox> texts;
    std::vector<PageSpot> spots;
};

/// Boxes, then lines, curves, dots, marks and texts.
void paintSheet(QPainter &painter, const Sheet &sheet);

} // namespace shardscope

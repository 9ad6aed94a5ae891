// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/sheet_writer.h"

#include <functional>
#include <optional>
#include <vector>

namespace shardscope {

/// Curves over a whole number that doubles from tick to tick: ranks, tokens, sequences.
struct LineChart {
    struct Point {
        double x = 0;
        double y = 0;
        QString details; ///< of the point under the mouse
        double low = 0;  ///< ends of the whisker, p10 and p90; 0: none
        double high = 0;
    };
    /// How the points of a curve came about, and so how they are drawn.
    enum class Origin {
        Formula,   ///< counted or computed: a line alone
        Predicted, ///< dashed line, hollow dots
        Measured,  ///< solid dots; the line between them only where `joined`
    };
    struct Series {
        QString name; ///< at the curve's end; empty: another series of the same thing has it
        QColor colour;
        DotShape shape = DotShape::Circle;
        Origin origin = Origin::Formula;
        bool joined = true;
        std::vector<Point> points; ///< ascending in x
    };
    /// A place on the x axis that the picture is about.
    struct Crossing {
        double x = 0;
        double y = 0;
        QString words;
    };
    QString title;  ///< the finding
    QString xTitle; ///< quantity and unit
    QString yTitle;
    bool logarithmic = true; ///< the y axis; the x axis always is
    bool binary = true;      ///< ticks of a logarithmic y axis: powers of two, of bytes, or 1, 2, 5 times those of ten
    std::function<QString(double)> yText;
    std::vector<Series> series;
    std::vector<Crossing> crossings;
    QString empty; ///< what stands in the place of a chart without points
};

/// Fills `area`.
void layLineChart(SheetWriter &writer, const LineChart &chart, const QRectF &area);

/// Colours and shapes that tell up to five curves apart, for every kind of colour vision.
[[nodiscard]] QColor curveColour(std::size_t index, const Theme &theme);
[[nodiscard]] DotShape curveShape(std::size_t index);

} // namespace shardscope

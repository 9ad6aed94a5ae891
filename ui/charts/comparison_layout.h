// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/comparison_data.h"

#include <QFont>
#include <QPointF>

namespace shardscope {

/// Where one chart's parts lie, in the picture's pixels.
struct ChartLayout {
    QRectF title; ///< of one line, or of two
    QRectF quantity;
    QRectF labels;            ///< column of row labels
    QRectF bars;              ///< from the axis' left edge to its right end
    QRectF values;            ///< bars and the room behind them
    QRectF ticks;             ///< labels of the axis; empty where there is no room
    std::vector<QRectF> rows; ///< whole rows, label to value: what the mouse hits
    double barHeight = 0;
};

/// One entry of the legend, swatch and words.
struct LegendItem {
    enum class Kind { Measured, Stale, Predicted, Whisker } kind = Kind::Measured;
    QString text;
    QRectF rect;
};

struct ComparisonLayout {
    double unit = 1;    ///< pixels per design pixel: as asked, or smaller where that does not fit
    bool slide = false; ///< charts side by side, finding as title; else stacked in a column, finding below
    QRectF title;
    QRectF speedup; ///< of a slide: second sentence, in a box where a cell is free
    QRectF legend;
    std::vector<LegendItem> legendItems;
    QRectF conclusion; ///< of a column: box with the sentences
    std::vector<ChartLayout> charts;
    QFont titleFont, speedupFont, chartTitleFont, textFont, valueFont;
};

/// A column up to 760 design pixels of width unless the area is flat, else a slide. Letters that fit beat letters as
/// large as asked: the unit shrinks until everything has its place. `showFinding`: room for the sentences.
/// The height from which on charts one below the other of that width keep their words readable.
[[nodiscard]] double readableHeight(const ComparisonData &data, double width, double unit);

[[nodiscard]] ComparisonLayout comparisonLayout(const ComparisonData &data, const QRectF &area, double unit,
                                                bool showFinding);

/// The chart and row at a point; nothing outside rows.
struct ChartPlace {
    std::size_t chart = 0;
    std::size_t row = 0;
    bool operator==(const ChartPlace &) const = default;
};
[[nodiscard]] std::optional<ChartPlace> placeAt(const ComparisonLayout &layout, const QPointF &point);

} // namespace shardscope

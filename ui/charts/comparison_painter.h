// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/comparison.h"
#include "engine/record/run.h"
#include "ui/theme.h"

#include <QRectF>
#include <QString>
#include <map>

class QPainter;

namespace shardscope {

/// What the comparison charts show: per phase the prediction and, where it exists, the measurement.
struct ComparisonFrame {
    std::map<Phase, const Run *> predicted; ///< hollow bars
    std::map<Phase, const Run *> measured;  ///< solid bars
    const Run *oneRank = nullptr;           ///< N = 1, measured or predicted, beside N
    const Theme *theme = nullptr;
    double unit = 1;
    bool perToken = false;
    bool stale = false; ///< measured for other settings: gone where there are predictions, else grey and said so
    bool title = true;  ///< the finding as the picture's title
};

/// Four bar groups (collectives; bytes sent per rank; time in communication; its share) with values on the bars,
/// and the sentence that says the finding, on the theme's background.
void paintComparison(QPainter &painter, const QRectF &area, const ComparisonFrame &frame);

/// The finding with the numbers of these runs.
[[nodiscard]] QString findingSentence(const ComparisonFrame &frame);

} // namespace shardscope

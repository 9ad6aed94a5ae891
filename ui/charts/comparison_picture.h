// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/comparison_layout.h"

namespace shardscope {

/// Paints data that was made before: the widget repaints without doing the statistics again.
void paintComparisonData(QPainter &painter, const ComparisonData &data, const ComparisonLayout &layout,
                         const Theme &theme, std::optional<ChartPlace> hovered = {});

} // namespace shardscope

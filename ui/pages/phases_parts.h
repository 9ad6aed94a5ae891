// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/phases_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// Heights of rows, design pixels.
struct PhasesHeights {
    double tableRow = 31;
    double barRow = 25;
};

/// Filled: measured or recorded; hollow: predicted.
void phaseDot(SheetWriter &writer, const QRectF &place, bool predicted);

/// One row a point; the place below it is returned.
double layPhasesTable(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double top, double row);

/// Bytes of a step by pass, beside the communication time of a token.
double layPhasesCharts(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double top, double row);

/// Why the ratios are what they are, and what the numbers per token say.
double layPhasesReasons(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double top);

} // namespace shardscope

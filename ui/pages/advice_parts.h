// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/advice_sheet.h"

namespace shardscope {

// Parts of the advice page's layout; each returns the place below itself.

/// The layouts, from `top` down.
double layAdviceRows(SheetWriter &writer, const AdviceValues &values, const QRectF &area, double top);
/// Findings, other machines and rules.
double layAdviceReasons(SheetWriter &writer, const AdviceValues &values, const QRectF &area, double top);

} // namespace shardscope

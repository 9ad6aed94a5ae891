// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/rates_values.h"
#include "ui/pages/sheet_writer.h"

namespace shardscope {

// Parts of the rates page.

/// "Y", "dW1 ... db1": layer and micro-batch left out.
[[nodiscard]] QString shortTensors(const std::string &tensors);
/// Sizes, counts, bytes and time of one kind of operation, in one line.
[[nodiscard]] QString partWords(const RateRow &row, const RatePart &part);

/// Three groups of bars; `row` is the height of one in design pixels. The place below is returned.
double layRateBars(SheetWriter &writer, const RatesValues &values, const QRectF &area, double row);
/// Products by FLOP for each byte and FLOP/s, under the roof that memory and arithmetic make.
void layRoof(SheetWriter &writer, const RatesValues &values, const QRectF &area);

} // namespace shardscope

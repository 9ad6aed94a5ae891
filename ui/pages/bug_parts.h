// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/bug_sheet.h"

namespace shardscope {

// Parts of the bug lab's layout; each returns the place below itself.

/// All bugs with what they do to the results; the first spots of the sheet are these rows.
double layBugList(SheetWriter &writer, const BugLabValues &values, const QRectF &room);
/// The steps of the wrong layer, those that break a rule marked, and of the right one below it.
double layBugPlans(SheetWriter &writer, const BugCase &shown, const QRectF &room);
/// Which rule is broken where, what happens, and the right way.
double layBugMistakes(SheetWriter &writer, const BugCase &shown, const QRectF &room);
/// How far off each result is, against what is expected, and what the traffic would make one believe.
double layBugErrors(SheetWriter &writer, const BugCase &shown, const QRectF &room);

} // namespace shardscope

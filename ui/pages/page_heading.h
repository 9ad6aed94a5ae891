// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/sheet_writer.h"

namespace shardscope {

/// The finding over a page's picture, at most two lines, and below it what is shown, in as many as it takes; the place
/// below both is returned.
double pageHeading(SheetWriter &writer, const QRectF &area, const QString &finding, const QString &below);

/// A box of sentences, as high as they need but no higher than `room`; its rectangle is returned.
QRectF wordsBox(SheetWriter &writer, const QRectF &room, const QString &words, double size = 14, int boldLead = 0);

} // namespace shardscope

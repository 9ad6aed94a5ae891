// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/derivation/derivation_content.h"
#include "ui/diagram/text_box.h"
#include "ui/theme.h"

#include <QRectF>

class QPainter;

namespace shardscope {

/// Every text of the derivation as a slide, title first: captions at the left, what they say at the right. Letters
/// follow `unit` (pixels per design pixel): a little larger where there is room, smaller where there is not.
[[nodiscard]] std::vector<TextBox> layoutDerivation(const DerivationContent &content, const QRectF &area,
                                                    const Theme &theme, double unit);

/// The derivation of one step on the ground that is there.
void paintDerivation(QPainter &painter, const QRectF &area, const DerivationContent &content, const Theme &theme,
                     double unit);

} // namespace shardscope

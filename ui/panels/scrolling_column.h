// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QScrollArea;
class QWidget;

namespace shardscope {

/// Makes `scroll` show `content` on the card's own ground, as wide as the card, and scroll it up and down alone.
void scrollColumn(QScrollArea &scroll, QWidget *content);

} // namespace shardscope

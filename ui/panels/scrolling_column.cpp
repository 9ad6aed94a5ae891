// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/scrolling_column.h"

#include <QScrollArea>

namespace shardscope {

void scrollColumn(QScrollArea &scroll, QWidget *content)
{
    scroll.setWidget(content);
    scroll.setWidgetResizable(true);
    scroll.setFrameShape(QFrame::NoFrame);
    scroll.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll.setFocusPolicy(Qt::NoFocus);
    scroll.viewport()->setAutoFillBackground(false);
    content->setAutoFillBackground(false);
}

} // namespace shardscope

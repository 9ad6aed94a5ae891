// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/veil.h"

#include <QEvent>
#include <QPainter>

namespace shardscope {

namespace {
constexpr int kOpacity = 150; ///< of 255: bars are still seen, and are clearly not of now
}

Veil::Veil(QWidget &card) : QWidget(&card)
{
    setObjectName(QStringLiteral("veil"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Being predicted"));
    card.installEventFilter(this);
    hide();
}

bool Veil::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && watched == parent())
        setGeometry(parentWidget()->rect());
    return false;
}

void Veil::paintEvent(QPaintEvent *)
{
    QColor cover = palette().color(QPalette::Base);
    cover.setAlpha(kOpacity);
    QPainter(this).fillRect(rect(), cover);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>

namespace shardscope {

PageCanvas::PageCanvas(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
}

void PageCanvas::setPicture(PagePicture picture)
{
    m_picture = std::move(picture);
    m_spots.reset();
    setMinimumSize((m_picture.least * m_look.unit).toSize());
    choose({});
    update();
}

void PageCanvas::updatePicture(PagePicture picture)
{
    const std::optional<std::size_t> chosen = m_chosen;
    m_picture = std::move(picture);
    m_spots.reset();
    setMinimumSize((m_picture.least * m_look.unit).toSize());
    choose(chosen && *chosen < spots().size() ? chosen : std::nullopt);
}

void PageCanvas::applyLook(const Look &look)
{
    m_look = look;
    m_spots.reset();
    setMinimumSize((m_picture.least * m_look.unit).toSize());
    update();
}

QRectF PageCanvas::area() const
{
    const double margin = m_look.px(8);
    return QRectF(rect()).adjusted(margin, margin, -margin, -margin);
}

const std::vector<PageSpot> &PageCanvas::spots() const
{
    if (!m_spots)
        m_spots = m_picture.spots ? m_picture.spots(area(), m_look.unit) : std::vector<PageSpot>();
    return *m_spots;
}

void PageCanvas::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_spots.reset();
}

std::optional<std::size_t> PageCanvas::spotAt(const QPointF &point) const
{
    const std::vector<PageSpot> &all = spots();
    // What was drawn last lies on top.
    for (std::size_t i = all.size(); i > 0; --i) {
        if (all[i - 1].rect.contains(point))
            return i - 1;
    }
    return std::nullopt;
}

void PageCanvas::choose(std::optional<std::size_t> spot)
{
    m_chosen = spot;
    const QString words = spot && *spot < spots().size() ? spots()[*spot].details : m_picture.finding;
    if (words != accessibleDescription()) // a screen reader says it each time it is set
        setAccessibleDescription(words);
    update();
}

bool PageCanvas::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const auto spot = spotAt(help->pos());
    if (!spot) {
        QToolTip::hideText();
        event->ignore();
        return true;
    }
    const PageSpot &found = spots()[*spot];
    QToolTip::showText(help->globalPos(), found.details, this, found.rect.toRect());
    return true;
}

void PageCanvas::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    if (m_picture.paint)
        m_picture.paint(painter, area(), *m_look.theme, m_look.unit);
    if (!hasFocus())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_look.theme->accent, 2));
    painter.drawRect(m_chosen && *m_chosen < spots().size() ? spots()[*m_chosen].rect
                                                            : QRectF(rect()).adjusted(1, 1, -1, -1));
}

void PageCanvas::keyPressEvent(QKeyEvent *event)
{
    const std::vector<PageSpot> &all = spots();
    const bool down = event->key() == Qt::Key_Down;
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && m_chosen && *m_chosen < all.size()) {
        Q_EMIT spotActivated(static_cast<int>(*m_chosen));
        return;
    }
    if (all.empty() || (!down && event->key() != Qt::Key_Up))
        return QWidget::keyPressEvent(event);
    std::size_t next = down ? 0 : all.size() - 1;
    if (m_chosen && *m_chosen < all.size())
        next = down ? std::min(*m_chosen + 1, all.size() - 1) : *m_chosen - std::min<std::size_t>(*m_chosen, 1);
    choose(next);
    const QPoint middle = all[next].rect.center().toPoint();
    for (QWidget *above = parentWidget(); above; above = above->parentWidget()) {
        if (auto *scroll = qobject_cast<QScrollArea *>(above)) {
            scroll->ensureVisible(middle.x(), middle.y());
            break;
        }
    }
    QToolTip::showText(mapToGlobal(all[next].rect.bottomLeft().toPoint()), all[next].details, this);
}

void PageCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    if (const auto spot = spotAt(event->position()); spot && event->button() == Qt::LeftButton)
        Q_EMIT spotActivated(static_cast<int>(*spot));
}

void PageCanvas::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    update();
}

void PageCanvas::focusOutEvent(QFocusEvent *event)
{
    choose({});
    QToolTip::hideText();
    QWidget::focusOutEvent(event);
}

} // namespace shardscope

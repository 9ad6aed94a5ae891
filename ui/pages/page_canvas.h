// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/pages/page_picture.h"

#include <QWidget>
#include <optional>

namespace shardscope {

/// The picture of a page on the screen. What is under the mouse, or chosen with the keys up and down, says its details
/// in a tooltip and to screen readers.
class PageCanvas : public QWidget, public LookUser
{
    Q_OBJECT
public:
    explicit PageCanvas(QWidget *parent = nullptr);

    void setPicture(PagePicture picture);
    /// The same with other numbers: what is chosen stays chosen, and is not said again unless it changed.
    void updatePicture(PagePicture picture);
    void applyLook(const Look &look) override;
    /// What the picture puts where, in the widget's pixels.
    [[nodiscard]] const std::vector<PageSpot> &spots() const;

Q_SIGNALS:
    /// The spot with that number, counted as `spots` does, was clicked or chosen with Enter.
    void spotActivated(int spot);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] std::optional<std::size_t> spotAt(const QPointF &point) const;
    void choose(std::optional<std::size_t> spot);

    PagePicture m_picture;
    Look m_look;
    mutable std::optional<std::vector<PageSpot>> m_spots; ///< of this picture at this size; laid out when asked for
    std::optional<std::size_t> m_chosen;
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

class QPainter;

namespace shardscope {

/// One piece of text and the room it has. Layout makes these, tests hold them against each other, the painter only
/// draws them.
struct TextBox {
    QRectF box;
    QString text;
    double pixels = 13;
    int weight = 400;
    QColor colour;
    Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter;
    bool wrap = false;
    int boldLead = 0; ///< that many characters at the start are bold
};

/// The room that a text needs; `wrapWidth` 0: one line. A superscript T (Inter lacks the letter) is drawn raised.
[[nodiscard]] QSizeF textSize(const QString &text, double pixels, int weight, double wrapWidth = 0, int boldLead = 0);

/// `wanted`, with the largest size not above `wanted.pixels` and not below `smallest` at which it fits its box;
/// shortened by an ellipsis only when even that is too large.
[[nodiscard]] TextBox fitted(TextBox wanted, double smallest);

/// The area that the letters cover, inside `box` when the text was fitted.
[[nodiscard]] QRectF inkRect(const TextBox &text);

void drawTextBox(QPainter &painter, const TextBox &text);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/text_box.h"

#include "ui/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <memory>

namespace shardscope {
namespace {

QList<QTextLayout::FormatRange> formats(int boldLead)
{
    if (boldLead <= 0)
        return {};
    QTextCharFormat bold;
    bold.setFontWeight(QFont::DemiBold);
    return {{0, boldLead, bold}};
}

/// Breaks `text` into lines of at most `width`; the layout's bounding rectangle starts at (0, 0).
std::unique_ptr<QTextLayout> brokenText(const QString &text, const QFont &font, double width, int boldLead,
                                        Qt::Alignment alignment)
{
    auto layout = std::make_unique<QTextLayout>(text, font);
    QTextOption option(alignment & Qt::AlignHorizontal_Mask);
    option.setWrapMode(QTextOption::WordWrap);
    layout->setTextOption(option);
    layout->setFormats(formats(boldLead));
    layout->beginLayout();
    double y = 0;
    for (QTextLine line = layout->createLine(); line.isValid(); line = layout->createLine()) {
        line.setLineWidth(width);
        line.setPosition(QPointF(0, y));
        y += line.height() * 1.08;
    }
    layout->endLayout();
    return layout;
}

bool isPlain(const TextBox &text)
{
    return !text.wrap && text.boldLead == 0;
}

QFont fontOf(const TextBox &text)
{
    return uiFont(text.pixels, 1, text.weight);
}

QSizeF sizeOf(const TextBox &text)
{
    return textSize(text.text, text.pixels, text.weight, text.wrap ? text.box.width() : 0, text.boldLead);
}

bool fits(const TextBox &text)
{
    constexpr double kRounding = 0.51;
    const QSizeF size = sizeOf(text);
    return size.width() <= text.box.width() + kRounding && size.height() <= text.box.height() + kRounding;
}

void shorten(TextBox &text)
{
    while (text.text.size() > 1 && !fits(text)) {
        text.text.chop(text.text.endsWith(QChar(0x2026)) ? 2 : 1);
        text.text.append(QChar(0x2026));
    }
    text.boldLead = std::min(text.boldLead, static_cast<int>(text.text.size()));
}

} // namespace

QSizeF textSize(const QString &text, double pixels, int weight, double wrapWidth, int boldLead)
{
    const QFont font = uiFont(pixels, 1, weight);
    if (wrapWidth <= 0 && boldLead == 0) {
        const QFontMetricsF metrics(font);
        return {metrics.horizontalAdvance(text), metrics.height()};
    }
    const double width = wrapWidth > 0 ? wrapWidth : 1e6;
    const auto layout = brokenText(text, font, width, boldLead, Qt::AlignLeft);
    QSizeF size;
    for (int i = 0; i < layout->lineCount(); ++i) {
        const QTextLine line = layout->lineAt(i);
        size = {std::max(size.width(), line.naturalTextWidth()), line.y() + line.height()};
    }
    return size;
}

TextBox fitted(TextBox wanted, double smallest)
{
    wanted.pixels = std::max(6.0, std::round(wanted.pixels));
    while (!fits(wanted) && wanted.pixels - 1 >= std::max(6.0, smallest))
        wanted.pixels -= 1;
    if (!fits(wanted))
        shorten(wanted);
    return wanted;
}

QRectF inkRect(const TextBox &text)
{
    const QSizeF size = sizeOf(text);
    QPointF at = text.box.topLeft();
    if (text.alignment & Qt::AlignHCenter)
        at.rx() = text.box.center().x() - size.width() / 2;
    else if (text.alignment & Qt::AlignRight)
        at.rx() = text.box.right() - size.width();
    if (text.alignment & Qt::AlignVCenter)
        at.ry() = text.box.center().y() - size.height() / 2;
    else if (text.alignment & Qt::AlignBottom)
        at.ry() = text.box.bottom() - size.height();
    return {at, size};
}

void drawTextBox(QPainter &painter, const TextBox &text)
{
    if (text.text.isEmpty())
        return;
    const QFont font = fontOf(text);
    painter.setFont(font);
    painter.setPen(text.colour);
    const QRectF ink = inkRect(text);
    if (isPlain(text)) {
        painter.drawText(QPointF(ink.x(), ink.y() + QFontMetricsF(font).ascent()), text.text);
        return;
    }
    const double width = text.wrap ? text.box.width() : ink.width() + 1;
    const auto layout = brokenText(text.text, font, width, text.boldLead, text.alignment);
    layout->draw(&painter, QPointF(text.wrap ? text.box.x() : ink.x(), ink.y()));
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/derivation/derivation_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr double kPlace = 13; // letters, in design pixels
constexpr double kTitle = 25;
constexpr double kReason = 17;
constexpr double kRow = 15;
constexpr double kMostCaption = 0.3; ///< of the width
constexpr double kLargest = 1.25;    ///< of the unit asked for: a short derivation fills the slide
constexpr double kSmallest = 0.3;    ///< of the unit asked for

/// Puts texts one below the other, each as high as its lines.
class Column
{
public:
    Column(const QRectF &area, double unit) : m_area(area), m_unit(unit), m_y(area.top()) {}

    void add(const QString &text, double pixels, int weight, const QColor &colour)
    {
        m_y = place(text, pixels, weight, colour, m_area.left(), m_area.width(), m_y);
    }
    void skip(double pixels) { m_y += pixels * m_unit; }
    /// Caption and lines begin at the same height.
    void addRow(const DerivationContent::Row &row, double captions, const Theme &theme)
    {
        const double gap = 18 * m_unit;
        const double left = m_area.left() + captions + gap;
        const double below = place(row.caption, kRow, 600, theme.accent, m_area.left(), captions, m_y);
        double y = m_y;
        for (const QString &line : row.lines)
            y = place(line, kRow, 400, theme.text, left, m_area.right() - left, y);
        m_y = std::max(below, y);
    }
    [[nodiscard]] bool fits() const { return m_y <= m_area.bottom(); }
    [[nodiscard]] std::vector<TextBox> texts() const { return m_texts; }

private:
    double place(const QString &text, double pixels, int weight, const QColor &colour, double x, double width, double y)
    {
        const double letters = std::round(pixels * m_unit);
        const double height = std::ceil(textSize(text, letters, weight, width).height());
        m_texts.push_back({{x, y, width, height}, text, letters, weight, colour, Qt::AlignLeft | Qt::AlignTop, true});
        return y + height;
    }

    QRectF m_area;
    double m_unit;
    double m_y;
    std::vector<TextBox> m_texts;
};

Column columnAt(const DerivationContent &content, const QRectF &area, const Theme &theme, double unit)
{
    Column column(area, unit);
    column.add(content.title, kTitle, 700, theme.text);
    column.skip(2);
    column.add(content.place, kPlace, 400, theme.text2);
    column.skip(10);
    column.add(content.reason, kReason, 400, theme.text);
    double captions = 0;
    for (const DerivationContent::Row &row : content.rows)
        captions = std::max(captions, textSize(row.caption, std::round(kRow * unit), 600).width() + 2);
    captions = std::min(captions, kMostCaption * area.width());
    column.skip(8);
    for (const DerivationContent::Row &row : content.rows) {
        column.skip(8);
        column.addRow(row, captions, theme);
    }
    return column;
}

} // namespace

std::vector<TextBox> layoutDerivation(const DerivationContent &content, const QRectF &area, const Theme &theme,
                                      double unit)
{
    Column column = columnAt(content, area, theme, kLargest * unit);
    for (double share = 0.95 * kLargest; !column.fits() && share > kSmallest; share *= 0.95)
        column = columnAt(content, area, theme, unit * share);
    return column.texts();
}

void paintDerivation(QPainter &painter, const QRectF &area, const DerivationContent &content, const Theme &theme,
                     double unit)
{
    for (const TextBox &text : layoutDerivation(content, area, theme, unit))
        drawTextBox(painter, text);
}

} // namespace shardscope

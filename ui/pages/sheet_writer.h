// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/sheet.h"

namespace shardscope {

/// Writes a sheet in design pixels' sizes: what every page's layout does again and again.
class SheetWriter
{
public:
    SheetWriter(const Theme &theme, double unit);

    [[nodiscard]] double px(double design) const { return design * m_sheet.unit; }
    [[nodiscard]] const Theme &theme() const { return m_theme; }
    [[nodiscard]] Sheet &sheet() { return m_sheet; }

    /// Size in design pixels, weight and colour of letters.
    struct Letters {
        double size = 13;
        int weight = 400;
        QColor colour; ///< invalid: the theme's text
    };
    /// One line: a little smaller where it does not fit, then shortened. The ink's width is returned.
    double text(const QRectF &rect, const QString &words, const Letters &letters,
                Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);
    /// Lines from the top of `rect`, at most as many as have room; their height is returned.
    double paragraph(const QRectF &rect, const QString &words, const Letters &letters, int boldLead = 0);
    [[nodiscard]] double widthOf(const QString &words, const Letters &letters) const;
    [[nodiscard]] double heightOf(const QString &words, const Letters &letters, double width, int boldLead = 0) const;

    void box(const Sheet::Box &box) { m_sheet.boxes.push_back(box); }
    void rule(const QPointF &from, const QPointF &to, const QColor &colour, double width = 1, bool dashed = false);
    void mark(SheetMark mark, const QRectF &rect, const QColor &colour);
    void spot(const QRectF &rect, const QString &details) { m_sheet.spots.push_back({rect, details}); }

private:
    [[nodiscard]] TextBox boxOf(const QRectF &rect, const QString &words, const Letters &letters) const;

    const Theme &m_theme;
    Sheet m_sheet;
};

/// The page's picture out of a layout that gives sheets: painted, and its spots found, by the same function.
[[nodiscard]] PagePicture sheetPicture(std::function<Sheet(const QRectF &area, const Theme &, double unit)> layout,
                                       const QString &finding, const QString &provenance, QSizeF least);

} // namespace shardscope

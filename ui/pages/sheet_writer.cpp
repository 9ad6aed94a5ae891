// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sheet_writer.h"

namespace shardscope {

namespace {

constexpr double kSmallestShare = 0.82; ///< letters that do not fit become no smaller than that

} // namespace

SheetWriter::SheetWriter(const Theme &theme, double unit) : m_theme(theme)
{
    m_sheet.unit = unit;
}

TextBox SheetWriter::boxOf(const QRectF &rect, const QString &words, const Letters &letters) const
{
    TextBox box;
    box.box = rect;
    box.text = words;
    box.pixels = px(letters.size);
    box.weight = letters.weight;
    box.colour = letters.colour.isValid() ? letters.colour : m_theme.text;
    return box;
}

double SheetWriter::text(const QRectF &rect, const QString &words, const Letters &letters, Qt::Alignment alignment)
{
    if (words.isEmpty() || rect.width() <= 0)
        return 0;
    TextBox box = boxOf(rect, words, letters);
    box.alignment = alignment;
    m_sheet.texts.push_back(fitted(box, box.pixels * kSmallestShare));
    return inkRect(m_sheet.texts.back()).width();
}

double SheetWriter::paragraph(const QRectF &rect, const QString &words, const Letters &letters, int boldLead)
{
    if (words.isEmpty() || rect.width() <= 0 || rect.height() <= 0)
        return 0;
    TextBox box = boxOf(rect, words, letters);
    box.alignment = Qt::AlignLeft | Qt::AlignTop;
    box.wrap = true;
    box.boldLead = boldLead;
    m_sheet.texts.push_back(fitted(box, box.pixels * kSmallestShare));
    return inkRect(m_sheet.texts.back()).height();
}

double SheetWriter::widthOf(const QString &words, const Letters &letters) const
{
    return textSize(words, std::max(6.0, std::round(px(letters.size))), letters.weight).width();
}

double SheetWriter::heightOf(const QString &words, const Letters &letters, double width, int boldLead) const
{
    return textSize(words, std::max(6.0, std::round(px(letters.size))), letters.weight, width, boldLead).height();
}

void SheetWriter::rule(const QPointF &from, const QPointF &to, const QColor &colour, double width, bool dashed)
{
    m_sheet.lines.push_back({QLineF(from, to), colour, std::max(1.0, px(width)), dashed});
}

void SheetWriter::mark(SheetMark mark, const QRectF &rect, const QColor &colour)
{
    m_sheet.marks.push_back({mark, rect, colour, Theme::textOn(colour)});
}

PagePicture sheetPicture(std::function<Sheet(const QRectF &, const Theme &, double)> layout, const QString &finding,
                         const QString &provenance, QSizeF least)
{
    PagePicture picture;
    picture.finding = finding;
    picture.provenance = provenance;
    picture.least = least;
    picture.paint = [layout](QPainter &painter, const QRectF &area, const Theme &theme, double unit) {
        paintSheet(painter, layout(area, theme, unit));
    };
    picture.spots = [layout](const QRectF &area, double unit) { return layout(area, Theme::light(), unit).spots; };
    picture.fitted = [layout](const QRectF &area, double unit) { return layout(area, Theme::light(), unit).unit; };
    return picture;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_heading.h"

#include <algorithm>

namespace shardscope {
namespace {

constexpr double kLargestTitle = 25;
constexpr double kSmallestTitle = 17;

} // namespace

double pageHeading(SheetWriter &writer, const QRectF &area, const QString &finding, const QString &below)
{
    SheetWriter::Letters title{kLargestTitle, 600, {}};
    const auto lines = [&] {
        return writer.heightOf(finding, title, area.width()) /
               writer.heightOf(QStringLiteral("Mg"), title, area.width());
    };
    // A long finding is set smaller: two lines, as a title should be.
    while (lines() > 2.4 && title.size > kSmallestTitle)
        title.size -= 1;
    const double height = writer.heightOf(finding, title, area.width()) + 1;
    writer.paragraph({area.left(), area.top(), area.width(), height}, finding, title);
    double y = area.top() + height + writer.px(5);
    if (below.isEmpty())
        return y;
    const SheetWriter::Letters small{13, 400, writer.theme().text2};
    const double words = writer.heightOf(below, small, area.width()) + 1;
    writer.paragraph({area.left(), y, area.width(), words}, below, small);
    return y + std::max(words, writer.px(20));
}

QRectF wordsBox(SheetWriter &writer, const QRectF &room, const QString &words, double size, int boldLead)
{
    const double margin = writer.px(14);
    const SheetWriter::Letters letters{size, 400, {}};
    const double width = room.width() - 2 * margin;
    const double height = std::min(room.height(), writer.heightOf(words, letters, width, boldLead) + 2 * margin);
    const QRectF box(room.topLeft(), QSizeF(room.width(), height));
    writer.box({.rect = box, .fill = writer.theme().surface2, .radius = writer.px(6)});
    writer.paragraph(box.adjusted(margin, margin, -margin, -margin + 1), words, letters, boldLead);
    return box;
}

} // namespace shardscope

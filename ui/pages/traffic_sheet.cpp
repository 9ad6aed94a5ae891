// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/traffic_sheet.h"

#include "engine/plan/option_limits.h"
#include "ui/charts/chart_style.h"
#include "ui/pages/fitted_sheet.h"
#include "ui/pages/page_heading.h"
#include "ui/pages/traffic_parts.h"
#include "ui/texts.h"

#include <QCoreApplication>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(940, 560); ///< design pixels
constexpr double kGridShare = 0.6; ///< of the width; the rest says what travels
constexpr double kGap = 30;        ///< between both
constexpr double kFaintest = 0.14; ///< of a cell in which little is sent: still seen

/// In place of a matrix of one cell.
QString aloneWords()
{
    return sentence({TextId::ReasonOneRank, {}}) + QLatin1Char(' ') +
           QCoreApplication::translate("TrafficPage", "Choose two ranks or more, and this is where they are seen to "
                                                      "talk.");
}

/// In place of a matrix of a million cells and more.
QString tooManyWords(int ranks)
{
    return QCoreApplication::translate("TrafficPage", "Who sends to whom is drawn for up to %1 ranks: of %2 the matrix "
                                                      "would have %3 cells. Beside it stands what travels.")
        .arg(kMostRanksInRun)
        .arg(ranks)
        .arg(std::int64_t{ranks} * ranks);
}

/// With a sign, so that what disagrees is seen without its colour.
double layProof(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
{
    const Theme &theme = writer.theme();
    const bool agrees = values.proof == TrafficValues::Proof::Agrees;
    const bool differs = values.proof == TrafficValues::Proof::Differs;
    const double side = writer.px(16);
    const QRectF sign(room.left(), room.top() + writer.px(1), side, side);
    writer.mark(agrees    ? SheetMark::Tick
                : differs ? SheetMark::Cross
                          : SheetMark::Dash,
                sign,
                agrees    ? theme.ok
                : differs ? theme.error
                          : theme.text3);
    const QRectF words = room.adjusted(side + writer.px(8), 0, 0, 0);
    return room.top() + writer.paragraph(words, trafficProof(values), {13, 400, {}});
}

/// From the bottom up, so that the lines above get what is left; the height is returned.
double layNotes(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
{
    const SheetWriter::Letters letters{12.5, 400, writer.theme().text2};
    const QString counting = trafficCounting(values);
    const double indent = writer.px(24);
    const double proofHeight = writer.heightOf(trafficProof(values), {13, 400, {}}, room.width() - indent) + 1;
    const double countingHeight = counting.isEmpty() ? 0 : writer.heightOf(counting, letters, room.width()) + 1;
    const double gap = writer.px(10);
    double y = room.bottom() - proofHeight - (countingHeight > 0 ? countingHeight + gap : 0);
    const double top = y - gap;
    writer.rule({room.left(), top}, {room.right(), top}, writer.theme().border);
    if (countingHeight > 0) {
        writer.paragraph({room.left(), y, room.width(), countingHeight}, counting, letters);
        y += countingHeight + gap;
    }
    layProof(writer, values, {room.left(), y, room.width(), proofHeight});
    return room.bottom() - top;
}

} // namespace

QColor trafficColour(std::int64_t bytes, std::int64_t largest, const Theme &theme)
{
    if (bytes <= 0 || largest <= 0)
        return {};
    const double share = static_cast<double>(bytes) / static_cast<double>(largest);
    return mixed(theme.surface, theme.accent, kFaintest + (1 - kFaintest) * share);
}

Sheet trafficSheet(const TrafficValues &values, const QRectF &area, const Theme &theme, double unit)
{
    SheetWriter writer(theme, fittingUnit(area, kLeast, unit));
    const double top = pageHeading(writer, area, trafficFinding(values), trafficSetting(values)) + writer.px(12);
    const double gap = writer.px(kGap);
    const QRectF below(area.left(), top, area.width(), area.bottom() - top);
    const QRectF grid(below.left(), top, below.width() * kGridShare - gap / 2, below.height());
    const QRectF rest(grid.right() + gap, top, below.right() - grid.right() - gap, below.height());
    if (!values.drawn)
        wordsBox(writer, grid, tooManyWords(values.mesh().size()), 22);
    else if (values.mesh().size() > 1)
        layTrafficGrid(writer, values, grid);
    else
        wordsBox(writer, grid, aloneWords(), 22);
    const double notes = layNotes(writer, values, rest);
    QRectF between = rest.adjusted(0, 0, 0, -notes - writer.px(8));
    between.setTop(layTrafficLines(writer, values, between) + writer.px(16));
    if (values.drawn)
        layTrafficGraph(writer, values, between);
    return std::move(writer.sheet());
}

PagePicture trafficPicture(const TrafficValues &values)
{
    return pictureOf(values, trafficSheet, trafficFinding(values), trafficProvenance(values), kLeast);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"

#include "ui/diagram/chunk_painter.h"
#include "ui/texts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace shardscope {
namespace {

constexpr int kTileRanks = 5;
constexpr int kStackRanks = 16;

const Contributions &shownContributions(const DiagramLayout &layout, const DiagramFrame &frame)
{
    const CollectiveScene &c = *layout.collective;
    return motionAt(layout.fraction, frame.reducedMotion).arrived ? c.after : c.before;
}

/// "2/8", a tick when complete; of a gathered piece only the tick.
TextBox countText(const DiagramLayout &layout, const DiagramFrame &frame, const QRectF &box, std::uint64_t held,
                  int chunk, double pixels)
{
    const CollectiveScene &c = *layout.collective;
    const bool complete = c.isComplete(held, chunk);
    QString text;
    if (complete)
        text = QString(QChar(0x2713));
    else if (!c.gathers())
        text = QStringLiteral("%1/%2").arg(CollectiveScene::count(held)).arg(c.schedule.ranks);
    const QColor ink = complete ? frame.theme->ok : frame.theme->text2;
    return {box, text, pixels, 600, ink, Qt::AlignCenter};
}

void addCount(DiagramLayout &layout, const DiagramFrame &frame, const ChunkBox &box, double pixels)
{
    const auto rank = static_cast<std::size_t>(layout.collective->memberOf(box.rank).index);
    const auto chunk = static_cast<std::size_t>(box.chunk);
    const std::uint64_t held = shownContributions(layout, frame)[rank][chunk];
    const QRectF room = box.count.isEmpty() ? countPill(box.box, layout.metrics.u) : box.count;
    TextBox text = countText(layout, frame, room, held, box.chunk, pixels);
    if (!text.text.isEmpty())
        layout.texts.push_back(fitted(std::move(text), 6));
}

/// Chunk tiles side by side. False when they would be too small to carry their count.
bool layoutTiles(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<QRectF> &rooms,
                 const std::vector<int> &ranks)
{
    const Metrics &m = layout.metrics;
    const int chunks = layout.collective->schedule.chunks;
    const QRectF &first = rooms.front();
    const double gap = 8 * m.u;
    const double width = std::min((first.width() - gap * (chunks - 1)) / chunks, first.width() * 0.5);
    if (width < 36 * m.u || first.height() < 34 * m.u)
        return false;
    const double left = (first.width() - chunks * width - (chunks - 1) * gap) / 2;
    for (std::size_t r = 0; r < rooms.size(); ++r) {
        for (int c = 0; c < chunks && takesPart(frame, layout, ranks[r]); ++c) {
            const QRectF box(rooms[r].x() + left + c * (width + gap), rooms[r].y(), width, rooms[r].height());
            layout.chunks.push_back({box, {}, ranks[r], c});
            addCount(layout, frame, layout.chunks.back(), m.label);
        }
    }
    return true;
}

/// "Y", "dWk, dbk, dWv, dbv".
QString messageName(const DiagramFrame &frame, const Step &step)
{
    return namesOf(*frame.plan, step.inputs);
}

/// Equation above, tiles below. False when it does not fit.
bool layoutTileCards(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room, const CardGaps &gaps)
{
    const Metrics &m = layout.metrics;
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const std::vector<int> &ranks = layout.shown;
    const std::vector<QRectF> bodies = layoutCards(layout, frame, room, ranks, gaps);
    std::vector<QRectF> upper, lower;
    const double line = m.small * 1.6;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const QRectF &body = bodies[i];
        const double split = body.y() + body.height() * 0.54;
        upper.emplace_back(body.topLeft(), QPointF(body.right(), split - 4 * m.u));
        const QRectF header(body.x(), split, body.width(), line);
        lower.emplace_back(QPointF(body.x(), header.bottom() + 6 * m.u), body.bottomRight() - QPointF(0, 4 * m.u));
        const int chunks = layout.collective->schedule.chunks;
        if (!takesPart(frame, layout, ranks[i]))
            continue;
        const QString name = messageName(frame, step);
        const QString words = chunks == 1
                                  ? Words::tr("%1, sent as a whole").arg(name)
                                  : Words::tr("%1 in %2 chunks, c0 to c%3").arg(name).arg(chunks).arg(chunks - 1);
        layout.texts.push_back(fitted({header, words, m.small, 400, frame.theme->text3}, 7 * m.u));
    }
    return layoutEquationRow(layout, frame, equationOf(*frame.plan, step), upper, ranks) &&
           layoutTiles(layout, frame, lower, ranks);
}

/// Chunks one above the other with their counts at the right. False when too small.
bool layoutStackCards(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room, const CardGaps &gaps)
{
    const Metrics &m = layout.metrics;
    const int chunks = layout.collective->schedule.chunks;
    const double gutter = textSize(QStringLiteral("c00"), std::round(m.small), 500).width() + 8 * m.u;
    const std::vector<int> &ranks = layout.shown;
    const std::vector<QRectF> bodies = layoutCards(layout, frame, room.adjusted(gutter, 0, 0, 0), ranks, gaps);
    const QRectF &first = bodies.front();
    const double gap = (chunks > 8 ? 3 : 5) * m.u;
    const double height = (first.height() - gap * (chunks - 1)) / chunks;
    const double pixels = std::floor(std::min(bodies.size() > 8 ? 8.5 * m.u : m.label, height * 0.8));
    const QString widest = QStringLiteral("%1/%1").arg(layout.collective->schedule.ranks);
    const double count =
        layout.collective->gathers() ? pixels * 1.2 + 5 * m.u : textSize(widest, pixels, 600).width() + 7 * m.u;
    const double width = first.width() - count;
    if (height < 9 * m.u || pixels < 7 || width < 1.7 * m.u * layout.collective->schedule.ranks || width < 20 * m.u)
        return false;
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const QString whole = step.inputs.size() == 1 ? messageName(frame, step) : QString();
    double line = -1;
    for (std::size_t r = 0; r < bodies.size(); ++r) {
        for (int c = 0; c < chunks; ++c) {
            const double y = bodies[r].y() + c * (height + gap);
            // Names at the left of each line of cards.
            if (bodies[r].y() > line) {
                const QRectF name(room.x(), y, gutter - 6 * m.u, height);
                layout.texts.push_back(
                    fitted({name, chunks == 1 ? whole : QStringLiteral("c%1").arg(c), std::min(m.small, height * 0.8),
                            500, frame.theme->text2, Qt::AlignRight | Qt::AlignVCenter},
                           6));
            }
            if (!takesPart(frame, layout, ranks[r]))
                continue;
            const QRectF box(bodies[r].x(), y, width, height);
            layout.chunks.push_back({box, {box.right() + 5 * m.u, y, count - 5 * m.u, height}, ranks[r], c});
            addCount(layout, frame, layout.chunks.back(), pixels);
        }
        line = std::max(line, bodies[r].y());
    }
    return true;
}

/// All ranks; of a large mesh one group, which stands for all the others.
std::vector<int> shownRanks(const DiagramLayout &layout)
{
    return layout.ranks <= kStackRanks ? allRanks(layout.ranks) : layout.collective->groups.front();
}

const CardBox &cardOf(const DiagramLayout &layout, int rank)
{
    return *std::ranges::find(layout.cards, rank, &CardBox::rank);
}

/// Links run under the cards of a group that stands side by side, beside those of one that stands in a column.
bool standsInColumn(const DiagramFrame &frame, const DiagramLayout &layout)
{
    const CardGrid grid = cardGrid(frame.plan->mesh(), layout.shown);
    const std::vector<int> &group = layout.collective->groups.front();
    const auto placeOf = [&](int rank) {
        return grid.places[static_cast<std::size_t>(std::ranges::find(layout.shown, rank) - layout.shown.begin())];
    };
    return group.size() > 1 && placeOf(group[0]).column == placeOf(group[1]).column;
}

void layoutLinks(DiagramLayout &layout, double thickness)
{
    for (const std::vector<int> &group : layout.collective->groups) {
        if (std::ranges::find(layout.shown, group.front()) == layout.shown.end())
            continue;
        std::vector<QRectF> cards;
        for (const int rank : group)
            cards.push_back(cardOf(layout, rank).box);
        LinkLanes links = linkLanes(layout.collective->schedule, layout.scene.hop, group, cards, thickness);
        layout.links.token = links.token;
        for (LinkLane &lane : links.lanes)
            lane.apart = layout.areApart(lane.from, lane.to);
        std::ranges::move(links.nodes, std::back_inserter(layout.links.nodes));
        std::ranges::move(links.lanes, std::back_inserter(layout.links.lanes));
    }
}

/// Cards and links of the ranks shown. False, and nothing useful done, when they do not fit.
bool layoutShown(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &body)
{
    const Metrics &m = layout.metrics;
    const CardGrid grid = cardGrid(frame.plan->mesh(), layout.shown);
    const bool beside = standsInColumn(frame, layout);
    const double below = std::clamp(body.height() * 0.25 / grid.rows, (grid.rows > 1 ? 40 : 62) * m.u, 170 * m.u);
    const double right = std::clamp(body.width() * 0.25 / grid.columns, 30 * m.u, 120 * m.u);
    const CardGaps gaps = beside ? CardGaps{0, right} : CardGaps{below, 0};
    const DiagramLayout empty = layout;
    const auto drawn = [&](Detail detail, auto part) {
        layout = empty;
        layout.detail = detail;
        return part(layout, frame, body, gaps);
    };
    const auto cards = static_cast<int>(layout.shown.size());
    const bool fits = (cards <= kTileRanks && drawn(Detail::Equation, layoutTileCards)) ||
                      (cards <= kStackRanks && drawn(Detail::Grid, layoutStackCards));
    if (fits)
        layoutLinks(layout, beside ? gaps.right : gaps.below);
    return fits;
}

} // namespace

void layoutCollective(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &body)
{
    const DiagramLayout empty = layout;
    // First with all ranks; where they have no room one group stands for the others.
    for (const bool oneGroup : {false, true}) {
        layout = empty;
        layout.shown = oneGroup ? layout.collective->groups.front() : shownRanks(layout);
        if (layoutShown(layout, frame, body))
            return;
    }
    layout = empty;
    layout.detail = Detail::Overview;
    layoutMap(layout, frame, body);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Many ranks: a cell for each rank and chunk instead of cards.
#include "ui/diagram/layout_parts.h"

#include "ui/texts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace shardscope {
namespace {

void layoutMapWords(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const CollectiveScene &c = *layout.collective;
    const Theme &t = *frame.theme;
    double y = room.y();
    const auto line = [&](const QString &text, double pixels, int weight, const QColor &ink) {
        const double height = pixels * 1.6;
        layout.texts.push_back(fitted({{room.x(), y, room.width(), height}, text, pixels, weight, ink}, 8 * m.u));
        y += height;
    };
    line(Words::tr("Hop %1 of %2").arg(c.hop + 1).arg(c.schedule.hops.size()), m.title * 1.25, 700, t.text);
    const QString share = c.schedule.chunks == 1 ? Words::tr("each message is the whole array")
                                                 : Words::tr("each message is %1/%2 of the array")
                                                       .arg(c.transfers().front().chunkCount)
                                                       .arg(c.schedule.chunks);
    line(counted(std::ssize(c.transfers()), Words::tr("%1 message at once, %2|%1 messages at once, %2")).arg(share),
         m.label, 400, t.text2);
    y += 6 * m.u;
    const auto entry = [&](Swatch swatch, const QString &text) {
        const double height = std::min(m.label * 2.1, (room.height() - 2) / 8);
        layout.swatches.push_back({{room.x(), y + height * 0.15, height, height * 0.7}, swatch});
        const QRectF box(room.x() + height * 1.4, y, room.width() - height * 1.4, height);
        layout.texts.push_back(fitted({box, text, m.label, 400, t.text}, 8 * m.u));
        y += height;
    };
    const int n = c.schedule.ranks;
    if (layout.map->contributors) {
        entry(Swatch::MapComplete, Words::tr("column j filled: rank j's addend is inside"));
        entry(Swatch::MapEmpty, Words::tr("not inside yet"));
    } else if (c.gathers()) {
        entry(Swatch::MapComplete, Words::tr("piece is there"));
        entry(Swatch::MapEmpty, Words::tr("piece is missing"));
    } else {
        entry(Swatch::MapOwn, Words::tr("only its own addend (1/%1)").arg(n));
        entry(Swatch::MapHalf, Words::tr("half of the addends inside (%1/%2)").arg(n / 2).arg(n));
        entry(Swatch::MapComplete, Words::tr("complete sum"));
    }
    entry(Swatch::MapSending, Words::tr("being sent now"));
}

/// Neighbouring rows of the map whose ranks are on one host.
struct HostRows {
    int first = 0;
    int count = 0;
    QString name;
};

/// Nothing where all ranks are on one host, or where neighbours are on different ones, so that frames would say
/// nothing.
std::vector<HostRows> hostRows(const DiagramLayout &layout, const DiagramFrame &frame, const std::vector<int> &ranks)
{
    std::vector<HostRows> hosts;
    for (std::size_t row = 0; row < ranks.size() && !layout.hosts.empty(); ++row) {
        const QString name = hostName(layout, frame, ranks[row]);
        if (hosts.empty() || hosts.back().name != name)
            hosts.push_back({static_cast<int>(row), 0, name});
        ++hosts.back().count;
    }
    if (hosts.size() < 2 || 2 * hosts.size() > ranks.size())
        hosts.clear();
    return hosts;
}

double namesWidth(const std::vector<HostRows> &hosts, const Metrics &m)
{
    double width = 0;
    for (const HostRows &host : hosts)
        width = std::max(width, textSize(host.name, std::round(m.small), 600).width() + 14 * m.u);
    return std::min(width, 150 * m.u);
}

void layoutHostRows(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<HostRows> &hosts, double width)
{
    const Metrics &m = layout.metrics;
    for (const HostRows &host : hosts) {
        const QRectF rows =
            layout.map->cell(host.first, 0) | layout.map->cell(host.first + host.count - 1, layout.map->columns - 1);
        layout.hostBoxes.push_back({rows.adjusted(-3 * m.u, 0, 3 * m.u, 0)});
        const QRectF box(rows.right() + 8 * m.u, rows.y(), width - 8 * m.u, rows.height());
        if (box.height() >= 1.2 * m.small)
            layout.texts.push_back(fitted({box, host.name, std::round(m.small), 600, frame.theme->text2}, 7 * m.u));
    }
}

} // namespace

void layoutMap(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const CollectiveScene &c = *layout.collective;
    const std::vector<int> &ranks = layout.collective->groups.front();
    const auto nameOf = [&](int member) { return rankName(*frame.plan, ranks[static_cast<std::size_t>(member)]); };
    const std::vector<HostRows> hosts = hostRows(layout, frame, ranks);
    const double left = textSize(nameOf(c.schedule.ranks - 1), std::round(m.small), 500).width() + 10 * m.u;
    const double right = namesWidth(hosts, m);
    const double top = m.small * 1.8;
    MapBox map;
    map.contributors = c.schedule.chunks == 1;
    map.rows = c.schedule.ranks;
    map.columns = map.contributors ? c.schedule.ranks : c.schedule.chunks;
    const double height = room.height() - top;
    const double width = std::min(room.width() * 0.56 - left - right, height * 1.35);
    map.grid = QRectF(room.x() + left, room.y() + top, width, height);
    layout.map = map;
    const QString header = map.contributors ? Words::tr("addends of %1 … %2").arg(nameOf(0), nameOf(map.columns - 1))
                                            : Words::tr("chunk 0 … %1").arg(map.columns - 1);
    layout.texts.push_back(fitted(
        {{map.grid.x(), room.y(), map.grid.width(), top}, header, m.small, 600, frame.theme->text2, Qt::AlignCenter},
        7 * m.u));
    const double lineHeight = m.small * 1.35;
    const int every = std::max(1, static_cast<int>(std::ceil(lineHeight / map.cell(0, 0).height())));
    const int stride = every <= 1 ? 1 : every <= 2 ? 2 : every <= 4 ? 4 : 8 * ((every + 7) / 8);
    for (int r = 0; r < map.rows; r += stride) {
        QRectF box(room.x(), 0, left - 6 * m.u, lineHeight);
        box.moveCenter({box.center().x(), map.cell(r, 0).center().y()});
        layout.texts.push_back(
            {box, nameOf(r), std::round(m.small), 500, frame.theme->text2, Qt::AlignRight | Qt::AlignVCenter});
    }
    layoutHostRows(layout, frame, hosts, right);
    const double words = map.grid.right() + right + 28 * m.u;
    layoutMapWords(layout, frame, {words, map.grid.y(), room.right() - words, map.grid.height()});
}

} // namespace shardscope

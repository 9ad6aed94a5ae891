// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardscope {
namespace {

constexpr std::size_t kNarrowFrom = 6; ///< columns: names in the middle, less padding

/// What a card of a rank that takes no part says.
QString idleWords(const DiagramFrame &frame, const DiagramLayout &layout, int rank)
{
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const int stage = frame.plan->mesh().coordinate(rank, MeshAxis::Pp);
    const QString meanwhile =
        step.stage == kEveryStage || step.stage == stage ? QString() : meanwhileOf(*frame.plan, step, stage);
    return meanwhile.isEmpty() ? Words::tr("takes no part") : meanwhile;
}

} // namespace

CardGrid cardGrid(const Mesh &mesh, const std::vector<int> &ranks)
{
    CardGrid grid;
    const bool several = static_cast<int>(ranks.size()) == mesh.size() && usedAxes(mesh).size() > 1;
    if (!several) {
        grid.columns = static_cast<int>(ranks.size());
        for (std::size_t i = 0; i < ranks.size(); ++i)
            grid.places.push_back({0, static_cast<int>(i)});
        return grid;
    }
    const int tp = mesh.extent(MeshAxis::Tp);
    grid.rows = mesh.extent(MeshAxis::Dp);
    grid.columns = tp * mesh.extent(MeshAxis::Pp);
    for (const int rank : ranks)
        grid.places.push_back({mesh.coordinate(rank, MeshAxis::Dp),
                               mesh.coordinate(rank, MeshAxis::Pp) * tp + mesh.coordinate(rank, MeshAxis::Tp)});
    if (mesh.extent(MeshAxis::Pp) > 1)
        grid.laneColumns = tp;
    return grid;
}

bool takesPart(const DiagramFrame &frame, const DiagramLayout &layout, int rank)
{
    if (rank == kAllRanks)
        return true;
    return frame.plan->runs(frame.plan->steps[static_cast<std::size_t>(layout.scene.step)], rank);
}

QString hostName(const DiagramLayout &layout, const DiagramFrame &frame, int rank)
{
    const int host = layout.hosts[static_cast<std::size_t>(rank)];
    return QString::fromStdString(frame.run->machine.hosts[static_cast<std::size_t>(host)].name);
}

namespace {

/// Which of several hosts the cards' ranks are on: index -> ranks; empty where all are on one.
std::map<int, std::vector<int>> hostsOfCards(const DiagramLayout &layout, const std::vector<int> &ranks)
{
    std::map<int, std::vector<int>> hosts;
    for (const int rank : ranks) {
        if (!layout.hosts.empty() && rank != kAllRanks)
            hosts[layout.hosts[static_cast<std::size_t>(rank)]].push_back(rank);
    }
    if (hosts.size() < 2)
        hosts.clear();
    return hosts;
}

QRectF aroundCards(const DiagramLayout &layout, const std::vector<int> &ranks, double margin)
{
    QRectF box;
    for (const CardBox &card : layout.cards) {
        if (std::ranges::find(ranks, card.rank) != ranks.end())
            box |= card.box;
    }
    return box.adjusted(-margin, -margin, margin, margin);
}

/// A frame around the cards of each host with its name above; none where cards of others stand between them.
void layoutHosts(DiagramLayout &layout, const DiagramFrame &frame, const std::vector<int> &ranks, double gap,
                 double nameHeight)
{
    const Metrics &m = layout.metrics;
    for (const auto &entry : hostsOfCards(layout, ranks)) {
        const std::vector<int> &members = entry.second;
        const QRectF box = aroundCards(layout, members, gap / 3);
        const bool mixed = std::ranges::any_of(layout.cards, [&](const CardBox &card) {
            return std::ranges::find(members, card.rank) == members.end() && card.box.intersects(box);
        });
        if (mixed)
            continue;
        layout.hostBoxes.push_back({box});
        const QString name = hostName(layout, frame, members.front());
        if (nameHeight > 0)
            layout.texts.push_back(fitted({{box.x() + 4 * m.u, box.y() - nameHeight, box.width() - 8 * m.u, nameHeight},
                                           name,
                                           m.small,
                                           600,
                                           frame.theme->text2,
                                           Qt::AlignHCenter | Qt::AlignVCenter},
                                          7 * m.u));
    }
}

} // namespace

std::vector<QRectF> layoutCards(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &wholeRoom,
                                const std::vector<int> &ranks, const CardGaps &gaps)
{
    const Metrics &m = layout.metrics;
    const CardGrid grid = cardGrid(frame.plan->mesh(), ranks);
    const bool severalHosts = !hostsOfCards(layout, ranks).empty();
    const double nameHeight = severalHosts && grid.rows == 1 ? std::round(m.small * 1.6) : 0;
    const double frameRoom = severalHosts ? m.gap / 2 : 0;
    const QRectF room = wholeRoom.adjusted(frameRoom, nameHeight + frameRoom, -frameRoom, -frameRoom);
    const bool narrow = grid.columns >= static_cast<int>(kNarrowFrom);
    const double gap = narrow ? m.gap * 0.6 : m.gap;
    const double laneGap = grid.laneColumns > 0 ? m.gap : 0; ///< between pipeline stages, beside the usual one
    const int lanes = grid.laneColumns > 0 ? grid.columns / grid.laneColumns : 1;
    const double columns = grid.columns;
    const double rows = grid.rows;
    const double width = (room.width() - gap * (columns - 1) - laneGap * (lanes - 1) - gaps.right * columns) / columns;
    const double height = (room.height() - m.gap * 0.7 * (rows - 1) - gaps.below * rows) / rows;
    const double header = std::round(std::min(m.label * 2.0, height * 0.3));
    const double pad = (narrow ? 6 : 10) * m.u * (grid.rows > 1 ? 0.6 : 1.0);
    // One size for all names: that of the longest.
    const QString longest = rankTitle(*frame.plan, std::max(layout.ranks - 1, 0));
    const TextBox sample{{0, 0, width - 2 * pad, header}, longest, m.label * 1.12, 600, frame.theme->text};
    const bool fitsTitle = fitted(sample, 7 * m.u).text == longest;
    const QString measured = fitsTitle ? longest : rankName(*frame.plan, std::max(layout.ranks - 1, 0));
    const double pixels =
        fitted({{0, 0, width - 2 * pad, header}, measured, m.label * 1.12, 600, frame.theme->text}, 7 * m.u).pixels;
    std::vector<QRectF> bodies;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const int column = grid.places[i].column;
        const int lane = grid.laneColumns > 0 ? column / grid.laneColumns : 0;
        const QRectF box(room.x() + column * (width + gap + gaps.right) + lane * laneGap,
                         room.y() + grid.places[i].row * (height + m.gap * 0.7 + gaps.below), width, height);
        const QRectF head(box.x(), box.y(), width, header);
        const bool idle = !takesPart(frame, layout, ranks[i]);
        layout.cards.push_back({box, head, ranks[i], idle});
        const bool all = ranks[i] == kAllRanks;
        const QColor ink = all || idle ? frame.theme->text2 : Theme::textOn(frame.theme->rank(ranks[i], layout.ranks));
        QString title = fitsTitle ? rankTitle(*frame.plan, ranks[i]) : rankName(*frame.plan, ranks[i]);
        if (severalHosts && grid.rows > 1)
            title += QStringLiteral(" · ") + hostName(layout, frame, ranks[i]);
        const Qt::Alignment side = narrow ? Qt::AlignHCenter : Qt::AlignLeft;
        layout.texts.push_back(fitted({head.adjusted(pad, 0, -pad, 0), title, pixels, 600,
                                       all ? frame.theme->text : ink, side | Qt::AlignVCenter},
                                      7 * m.u));
        bodies.push_back(box.adjusted(pad, header + pad, -pad, -pad));
        if (!idle)
            continue;
        const TextBox words{
            bodies.back(), idleWords(frame, layout, ranks[i]), m.small, 400, frame.theme->text2, Qt::AlignCenter, true};
        // A dimmed card says it, too.
        if (fitted(words, 8 * m.u).text == words.text)
            layout.texts.push_back(fitted(words, 8 * m.u));
    }
    if (severalHosts)
        layoutHosts(layout, frame, ranks, gap, nameHeight);
    return bodies;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/link_lanes.h"

#include <QLineF>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

constexpr double kUpperLane = 0.30; ///< of the band's height
constexpr double kLowerLane = 0.76;
constexpr double kArcTop = 0.14;

std::vector<QPointF> ringLane(const LinkLanes &links, const Transfer &t, const QRectF &band)
{
    const QPointF a = links.nodes[static_cast<std::size_t>(t.from)].at;
    const QPointF b = links.nodes[static_cast<std::size_t>(t.to)].at;
    if (t.to > t.from)
        return {a, b};
    const double y = band.y() + kLowerLane * band.height();
    return {a, {a.x(), y}, {b.x(), y}, b};
}

/// Half a flattened ellipse; to the left a little deeper than to the right, so that a swap shows two arcs.
std::vector<QPointF> arc(const QPointF &a, const QPointF &b, double depth)
{
    constexpr int kSegments = 24;
    std::vector<QPointF> points;
    const QPointF centre = (a + b) / 2;
    const double half = (b.x() - a.x()) / 2;
    for (int i = 0; i <= kSegments; ++i) {
        const double angle = M_PI * i / kSegments;
        points.emplace_back(centre.x() - half * std::cos(angle), a.y() + depth * std::sin(angle));
    }
    return points;
}

/// Right-going and left-going arcs keep apart by more than a token's height.
double arcDepth(const Transfer &t, int ranks, const QRectF &band)
{
    const double distance = std::abs(t.to - t.from);
    const double share = ranks <= 2 ? 1 : std::log2(distance + 1) / std::log2(ranks);
    const double deep = t.to < t.from ? 0.70 : 0.38;
    return band.height() * deep * (0.82 + 0.18 * std::min(1.0, share));
}

/// Under cards that stand side by side.
LinkLanes lanesBelow(const HopSchedule &schedule, int hop, const std::vector<QRectF> &cards, double thickness)
{
    const bool ring = schedule.algorithm == Algorithm::Ring;
    QRectF all;
    for (const QRectF &card : cards)
        all |= card;
    const QRectF band(all.x(), all.bottom(), all.width(), thickness);
    LinkLanes links;
    for (const QRectF &card : cards) {
        const double x = card.center().x();
        links.nodes.push_back({0, {x, band.y() + (ring ? kUpperLane : kArcTop) * band.height()}, {x, card.bottom()}});
    }
    const double pitch = cards.size() > 1 ? std::abs(cards[1].center().x() - cards[0].center().x()) : band.width();
    for (const Transfer &t : schedule.hops[static_cast<std::size_t>(hop)]) {
        const QPointF a = links.nodes[static_cast<std::size_t>(t.from)].at;
        const QPointF b = links.nodes[static_cast<std::size_t>(t.to)].at;
        LinkLane lane{t, 0, 0, {}, ring && t.to < t.from};
        lane.points = ring ? ringLane(links, t, band) : arc(a, b, arcDepth(t, schedule.ranks, band));
        links.lanes.push_back(std::move(lane));
    }
    const bool crowded = links.lanes.size() > 2 * cards.size();
    const double height = band.height() * (ring ? 0.36 : crowded ? 0.14 : 0.25);
    links.token = {std::min(height * 1.75, pitch * 0.55), height};
    return links;
}

/// The picture of links is the same under cards and beside them, with x and y exchanged.
void exchangeAxes(LinkLanes &links)
{
    for (LinkLanes::Node &node : links.nodes) {
        node.at = node.at.transposed();
        node.card = node.card.transposed();
    }
    for (LinkLane &lane : links.lanes) {
        for (QPointF &point : lane.points)
            point = point.transposed();
    }
    links.token = {links.token.height() * 1.2, std::min(links.token.width(), links.token.height())};
}

} // namespace

LinkLanes linkLanes(const HopSchedule &schedule, int hop, const std::vector<int> &ranks,
                    const std::vector<QRectF> &cards, double thickness)
{
    const bool beside = cards.size() > 1 && cards[0].x() == cards[1].x();
    std::vector<QRectF> placed = cards;
    for (QRectF &card : placed) {
        if (beside)
            card = QRectF(card.y(), card.x(), card.height(), card.width());
    }
    LinkLanes links = lanesBelow(schedule, hop, placed, thickness);
    if (beside)
        exchangeAxes(links);
    for (std::size_t i = 0; i < ranks.size(); ++i)
        links.nodes[i].rank = ranks[i];
    for (LinkLane &lane : links.lanes) {
        lane.from = ranks[static_cast<std::size_t>(lane.transfer.from)];
        lane.to = ranks[static_cast<std::size_t>(lane.transfer.to)];
    }
    return links;
}

double lengthOf(const std::vector<QPointF> &line)
{
    double total = 0;
    for (std::size_t i = 1; i < line.size(); ++i)
        total += QLineF(line[i - 1], line[i]).length();
    return total;
}

QPointF pointAt(const std::vector<QPointF> &line, double share)
{
    double left = std::clamp(share, 0.0, 1.0) * lengthOf(line);
    for (std::size_t i = 1; i < line.size(); ++i) {
        const QLineF piece(line[i - 1], line[i]);
        if (left <= piece.length() && piece.length() > 0)
            return piece.pointAt(left / piece.length());
        left -= piece.length();
    }
    return line.back();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/pages/traffic_parts.h"
#include "ui/translation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shardscope {

namespace {

constexpr double kCaption = 24; ///< design pixels
constexpr double kLeastSide = 120;
constexpr double kNode = 14;      ///< radius, with the rank's number inside
constexpr double kDot = 3;        ///< of many ranks
constexpr double kAside = 4;      ///< both directions run beside each other
constexpr double kHead = 9;       ///< length of an arrow's head
constexpr double kFaintest = 0.4; ///< of an arrow
constexpr int kMostArrows = 512;  ///< more are a grey disc

/// Ranks on a circle, an arrow for each pair that talks: rings, trees and stages are seen at a glance.
class Graph
{
public:
    Graph(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
        : m_writer(writer), m_matrix(values.matrix), m_n(values.matrix.ranks()),
          m_radius(px(m_n <= kMostRanksWithNumbers ? kNode : kDot))
    {
        const double side = std::min(room.width(), room.height());
        m_centre = QPointF(room.left() + room.width() / 2, room.top() + room.height() / 2);
        m_circle = side / 2 - m_radius - px(2);
    }

    void lay()
    {
        for (int from = 0; from < m_n; ++from) {
            for (int to = 0; to < m_n; ++to) {
                if (m_matrix.bytes(from, to) > 0)
                    layArrow(from, to);
            }
        }
        for (int rank = 0; rank < m_n; ++rank)
            layNode(rank);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    [[nodiscard]] QPointF place(int rank) const
    {
        // Two stand beside each other, more go round from the top.
        const double start = m_n == 2 ? -std::numbers::pi : -std::numbers::pi / 2;
        const double angle = start + 2 * std::numbers::pi * rank / m_n;
        return m_centre + m_circle * QPointF(std::cos(angle), std::sin(angle));
    }

    void layArrow(int from, int to)
    {
        const double share = static_cast<double>(m_matrix.bytes(from, to)) / static_cast<double>(m_matrix.largest());
        const QPointF whole = place(to) - place(from);
        const double length = std::hypot(whole.x(), whole.y());
        const QPointF along = whole / length;
        const QPointF aside(-along.y(), along.x());
        const double gap = m_radius + px(2);
        const QPointF begin = place(from) + along * gap + aside * px(kAside);
        const QPointF end = place(to) - along * gap + aside * px(kAside);
        const QColor colour = mixed(theme().surface, theme().accent, kFaintest + (1 - kFaintest) * share);
        const double width = px(1 + 2.2 * share);
        m_writer.sheet().curves.push_back({QPolygonF({begin, end}), colour, width});
        if (length < 3 * gap + px(kHead) && m_n > kMostRanksWithNumbers)
            return; // between dots there is no room for a head
        const QPointF back = end - along * px(kHead);
        m_writer.sheet().curves.push_back(
            {QPolygonF({back + aside * px(kHead / 2.2), end, back - aside * px(kHead / 2.2)}), colour, width});
    }

    void layNode(int rank)
    {
        const QPointF at = place(rank);
        m_writer.sheet().dots.push_back(
            {at, m_radius, DotShape::Circle, theme().surface2, theme().text3, std::max(1.0, px(1.2))});
        if (m_n > kMostRanksWithNumbers)
            return;
        const QRectF words(at.x() - m_radius, at.y() - m_radius, 2 * m_radius, 2 * m_radius);
        m_writer.text(words, QString::number(rank), {13, 600, {}}, Qt::AlignCenter);
    }

    SheetWriter &m_writer;
    const TrafficMatrix &m_matrix;
    int m_n;
    double m_radius;
    double m_circle = 0;
    QPointF m_centre;
};

} // namespace

void layTrafficGraph(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
{
    const QRectF below = room.adjusted(0, writer.px(kCaption + 4), 0, 0);
    const bool roomy = std::min(below.width(), below.height()) >= writer.px(kLeastSide);
    if (!roomy || values.matrix.total() == 0 || values.talkingPairs() > kMostArrows)
        return;
    writer.text({room.left(), room.top(), room.width(), writer.px(kCaption)}, tr("Who talks to whom"), {15, 600, {}});
    Graph(writer, values, below).lay();
}

} // namespace shardscope

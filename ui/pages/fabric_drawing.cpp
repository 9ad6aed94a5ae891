// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/gpu_card.h"
#include "ui/pages/gpu_paths.h"
#include "ui/pages/hardware_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kDrop = 18; ///< design pixels from the lowest cards to the switch
constexpr double kSwitch = 26;
constexpr double kLane = 11;
constexpr std::size_t kMostLanes = 14; ///< more lines are no picture; the matrix says it
constexpr double kThickest = 4;

/// NVLinks of a pair, drawn as a lane under the cards.
struct Lane {
    const GpuPath *path = nullptr;
    int row = 0;
};

class Fabric
{
public:
    Fabric(SheetWriter &writer, const Topology &topology, const std::vector<QRectF> &cards, const QRectF &room)
        : m_writer(writer), m_topology(topology), m_cards(cards), m_room(room)
    {
        for (const QRectF &card : cards)
            m_lowest = std::max(m_lowest, card.top());
    }

    double lay()
    {
        switch (fabricOf(m_topology)) {
        case GpuFabric::Switch:
            return laySwitch();
        case GpuFabric::Links:
            return layLinks();
        case GpuFabric::Pcie:
            return layWords(m_room.top() + px(6),
                            tr("No NVLink: GPUs talk over PCIe, to another NUMA node over the processors' link, too."));
        case GpuFabric::None:
            break;
        }
        return m_room.top();
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }
    [[nodiscard]] QColor colourOf(int gpu) const
    {
        return visibleOutline(theme().rank(gpu, static_cast<int>(m_cards.size())), theme().surface);
    }

    double layWords(double top, const QString &words)
    {
        const SheetWriter::Letters letters{12.5, 400, theme().text2};
        const double height = m_writer.heightOf(words, letters, m_room.width()) + 1;
        m_writer.paragraph({m_room.left(), top, m_room.width(), height}, words, letters);
        return top + height;
    }

    double laySwitch()
    {
        const double top = m_room.top() + px(kDrop);
        for (std::size_t gpu = 0; gpu < m_cards.size(); ++gpu)
            layDrop(m_cards[gpu], colourOf(static_cast<int>(gpu)), top);
        const QRectF bar(m_room.left(), top, m_room.width(), px(kSwitch));
        m_writer.box(
            {.rect = bar, .fill = theme().surface2, .outline = theme().text3, .line = px(1.4), .radius = px(6)});
        const std::vector<PathKind> kinds = pathKinds(m_topology);
        QString words = tr("NVLink switch");
        if (const int version = m_topology.gpus.front().nvlinkVersion; version > 0)
            words += tr(", NVLink %1").arg(version);
        if (kinds.front().expectedGBps > 0)
            words += tr(": %1 each way for each GPU").arg(formatGBs(kinds.front().expectedGBps));
        m_writer.text(bar.adjusted(px(8), 0, -px(8), 0), words, {13, 600, {}}, Qt::AlignCenter);
        m_writer.spot(bar,
                      tr("%1. That there is a switch follows from the paths: each GPU reaches every other one over "
                         "more NVLinks than leave it in all. The speed is by specification, not measured.")
                          .arg(words));
        return bar.bottom();
    }

    /// Cards of upper rows go down beside those below.
    void layDrop(const QRectF &card, const QColor &colour, double bottom)
    {
        if (card.top() >= m_lowest - 1) {
            m_writer.rule({card.center().x(), card.bottom()}, {card.center().x(), bottom}, colour, 3);
            return;
        }
        const double beside = card.right() + px(kBesideCard);
        const double y = card.bottom() - px(6);
        m_writer.rule({card.right(), y}, {beside, y}, colour, 3);
        m_writer.rule({beside, y}, {beside, bottom}, colour, 3);
    }

    [[nodiscard]] std::vector<Lane> lanes() const
    {
        std::vector<Lane> found;
        for (const GpuPath &path : m_topology.paths) {
            if (linksOf(path) > 0)
                found.push_back({&path, 0});
        }
        std::ranges::stable_sort(found, {}, [](const Lane &lane) { return lane.path->to - lane.path->from; });
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto taken = [&](int row) {
                return std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Lane &other) {
                                       return other.row == row && other.path->from < found[i].path->to &&
                                              found[i].path->from < other.path->to;
                                   });
            };
            while (taken(found[i].row))
                ++found[i].row;
        }
        return found;
    }

    /// Where the line of a pair leaves a card: in the order of the others, so that lines do not cross at once.
    [[nodiscard]] double exitOf(int gpu, int other, const std::vector<Lane> &all) const
    {
        std::vector<int> partners;
        for (const Lane &lane : all) {
            if (lane.path->from == gpu)
                partners.push_back(lane.path->to);
            else if (lane.path->to == gpu)
                partners.push_back(lane.path->from);
        }
        std::ranges::sort(partners);
        const auto place = std::ranges::find(partners, other) - partners.begin();
        const QRectF &card = m_cards[static_cast<std::size_t>(gpu)];
        return card.left() + card.width() * static_cast<double>(place + 1) / static_cast<double>(partners.size() + 1);
    }

    double layLinks()
    {
        const std::vector<Lane> all = lanes();
        const bool oneRow = std::ranges::all_of(m_cards, [this](const QRectF &c) { return c.top() >= m_lowest - 1; });
        if (!oneRow || all.size() > kMostLanes)
            return layWords(m_room.top() + px(6),
                            tr("NVLinks join %1; the paths stand beside.")
                                .arg(counted(static_cast<qint64>(all.size()), tr("%1 pair of GPUs|%1 pairs of GPUs"))));
        int rows = 0;
        for (const Lane &lane : all) {
            rows = std::max(rows, lane.row + 1);
            layLane(lane, all);
        }
        const double bottom = m_room.top() + px(6 + rows * kLane);
        return layWords(bottom + px(4), linksWords(all));
    }

    void layLane(const Lane &lane, const std::vector<Lane> &all)
    {
        const int from = lane.path->from;
        const int to = lane.path->to;
        const double y = m_room.top() + px(8 + lane.row * kLane);
        const double left = exitOf(from, to, all);
        const double right = exitOf(to, from, all);
        const double thick = std::min(kThickest, 1.5 + linksOf(*lane.path) * 0.3);
        const QColor colour = theme().text2;
        m_writer.rule({left, m_cards[static_cast<std::size_t>(from)].bottom()}, {left, y}, colour, thick);
        m_writer.rule({right, m_cards[static_cast<std::size_t>(to)].bottom()}, {right, y}, colour, thick);
        m_writer.rule({left, y}, {right, y}, colour, thick);
        m_writer.spot({left, y - px(4), right - left, px(8)},
                      tr("GPU %1 to GPU %2: %3").arg(from).arg(to).arg(pathMeaning(lane.path->word)));
    }

    [[nodiscard]] QString linksWords(const std::vector<Lane> &all) const
    {
        const bool alike =
            std::ranges::all_of(all, [&](const Lane &lane) { return lane.path->word == all.front().path->word; });
        const int version = m_topology.gpus.front().nvlinkVersion;
        const QString name = version > 0 ? tr("NVLink %1").arg(version) : tr("NVLink");
        return alike ? tr("%1 from GPU to GPU: %2 a pair").arg(name, pathMeaning(all.front().path->word))
                     : tr("%1 from GPU to GPU; thicker lines are more links").arg(name);
    }

    SheetWriter &m_writer;
    const Topology &m_topology;
    const std::vector<QRectF> &m_cards;
    QRectF m_room;
    double m_lowest = 0;
};

} // namespace

double layFabric(SheetWriter &writer, const Topology &topology, const std::vector<QRectF> &cards, const QRectF &room)
{
    return Fabric(writer, topology, cards, room).lay();
}

} // namespace shardscope

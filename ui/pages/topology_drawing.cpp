// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/gpu_card.h"
#include "ui/pages/gpu_paths.h"
#include "ui/pages/hardware_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr double kPadding = 10; ///< design pixels
constexpr double kTitle = 22;
constexpr double kMemory = 24;
constexpr double kRail = 14; ///< between memory and cards
constexpr double kBoxGap = 22;
constexpr double kLeastBox = 176;
constexpr std::size_t kMostBoxes = 8;
constexpr int kMostCoreRows = 6;
constexpr int kFewCores = 16; ///< so many are drawn larger

/// One rounded box: a NUMA node, or several that are too many to be drawn.
struct NodeBox {
    QString title;
    QString details;
    int cores = -1;
    std::int64_t memoryBytes = -1;
    std::vector<int> gpus;
    bool placed = true; ///< false: no node, but GPUs of which none is told
};

QString coresWords(int cores)
{
    return cores < 0 ? QString() : counted(cores, tr("%1 core|%1 cores"));
}

QString memoryWords(std::int64_t bytes)
{
    return bytes < 0 ? tr("Memory: not told") : tr("Memory %1").arg(formatBytes(static_cast<double>(bytes)));
}

/// Nodes without cores or GPUs are memory of devices: they are no place for ranks.
bool isPlace(const NumaNode &node, const Topology &topology)
{
    return node.cores > 0 ||
           std::ranges::any_of(topology.gpus, [&](const GpuState &gpu) { return gpu.numaNode == node.number; });
}

NodeBox boxOf(const NumaNode &node, const Topology &topology, bool alone)
{
    NodeBox box;
    box.title = alone ? tr("One NUMA node") : tr("NUMA node %1").arg(node.number);
    box.cores = node.cores;
    box.memoryBytes = node.memoryBytes;
    for (std::size_t i = 0; i < topology.gpus.size(); ++i) {
        if (topology.gpus[i].numaNode == node.number || alone)
            box.gpus.push_back(static_cast<int>(i));
    }
    box.details = tr("%1: %2 (as the system counts them, hyper-threads included), %3")
                      .arg(box.title, coresWords(box.cores), memoryWords(box.memoryBytes));
    return box;
}

std::vector<NodeBox> boxesOf(const Topology &topology)
{
    std::vector<NumaNode> places;
    std::ranges::copy_if(topology.nodes, std::back_inserter(places),
                         [&](const NumaNode &node) { return isPlace(node, topology); });
    std::vector<NodeBox> boxes;
    if (places.empty())
        places.push_back({0, -1, -1});
    const bool alone = places.size() == 1;
    for (const NumaNode &node : places)
        boxes.push_back(boxOf(node, topology, alone));
    while (boxes.size() > kMostBoxes) {
        NodeBox last = std::move(boxes.back());
        boxes.pop_back();
        NodeBox &rest = boxes.back();
        rest.cores = rest.cores < 0 || last.cores < 0 ? -1 : rest.cores + last.cores;
        rest.memoryBytes = rest.memoryBytes < 0 || last.memoryBytes < 0 ? -1 : rest.memoryBytes + last.memoryBytes;
        rest.gpus.insert(rest.gpus.end(), last.gpus.begin(), last.gpus.end());
        rest.title = counted(static_cast<qint64>(places.size() - boxes.size() + 1), tr("%1 NUMA node|%1 NUMA nodes"));
        rest.details = tr("%1 more: %2, %3").arg(rest.title, coresWords(rest.cores), memoryWords(rest.memoryBytes));
    }
    NodeBox elsewhere;
    for (int gpu = 0; gpu < static_cast<int>(topology.gpus.size()) && !alone; ++gpu) {
        if (std::ranges::none_of(boxes, [gpu](const NodeBox &box) { return std::ranges::count(box.gpus, gpu) > 0; }))
            elsewhere.gpus.push_back(gpu);
    }
    if (!elsewhere.gpus.empty()) {
        elsewhere.placed = false;
        elsewhere.title = tr("NUMA node not told");
        elsewhere.details = tr("GPUs of which the system does not say to which NUMA node they are attached");
        boxes.push_back(elsewhere);
    }
    return boxes;
}

class Drawing
{
public:
    Drawing(SheetWriter &writer, const HardwareValues &values, const QRectF &room)
        : m_writer(writer), m_values(values), m_topology(*values.topology), m_room(room), m_boxes(boxesOf(m_topology)),
          m_cards(m_topology.gpus.size())
    {
        const auto count = static_cast<int>(m_boxes.size());
        const int most = std::max(1, static_cast<int>((room.width() + px(kBoxGap)) / (px(kLeastBox) + px(kBoxGap))));
        m_rows = (count + most - 1) / most;
        m_columns = (count + m_rows - 1) / m_rows;
        m_width = (room.width() - (m_columns - 1) * px(kBoxGap)) / m_columns;
    }

    double lay()
    {
        double y = m_room.top();
        for (int row = 0; row < m_rows; ++row)
            y = layRow(row, y) + px(row + 1 < m_rows ? 12 : 0);
        if (!m_cards.empty())
            y = layFabric(m_writer, m_topology, m_cards, {m_room.left(), y, m_room.width(), 0});
        return y;
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }
    [[nodiscard]] double inner() const { return m_width - 2 * px(kPadding); }

    /// How the squares of a node's cores lie; no rows: too many to be drawn.
    struct Cores {
        double side = 0;
        int columns = 1;
        int rows = 0;
        [[nodiscard]] double step() const { return side * 1.25; }
    };
    [[nodiscard]] Cores coresOf(const NodeBox &box) const
    {
        Cores cores;
        cores.side = px(box.cores <= kFewCores ? 18 : 9);
        cores.columns = std::max(1, static_cast<int>((inner() + 0.25 * cores.side) / cores.step()));
        const int rows = (std::max(0, box.cores) + cores.columns - 1) / cores.columns;
        cores.rows = rows <= kMostCoreRows ? rows : 0;
        return cores;
    }

    [[nodiscard]] double coresHeight(const NodeBox &box) const
    {
        const Cores cores = coresOf(box);
        return cores.rows * cores.step() + (cores.rows > 0 ? px(4) : 0);
    }

    [[nodiscard]] GpuCard cardOf(int number) const
    {
        const auto place = static_cast<std::size_t>(number);
        const GpuState &gpu = m_topology.gpus[place];
        GpuCard card;
        card.number = number;
        card.of = static_cast<int>(m_topology.gpus.size());
        card.memoryBytes = gpu.memoryBytes;
        if (gpu.memoryBytes > 0)
            card.lines << formatBytes(static_cast<double>(gpu.memoryBytes));
        if (const QString pcie = pcieWords(gpu); !pcie.isEmpty())
            card.lines << pcie;
        QString ranks;
        if (!m_values.onGpu.empty()) {
            ranks = rankListWords(m_values.onGpu[place]);
            card.lines << (ranks.isEmpty() ? tr("no rank") : ranks);
        }
        card.showsLoad = m_values.live && !m_values.loads.empty();
        card.dimmed = !m_values.computing;
        if (card.showsLoad && place < m_values.loads.back().load.gpus.size())
            card.load = m_values.loads.back().load.gpus[place];
        card.details = detailsOf(gpu, number, ranks);
        return card;
    }

    [[nodiscard]] QString detailsOf(const GpuState &gpu, int number, const QString &ranks) const
    {
        QStringList parts{tr("GPU %1: %2").arg(number).arg(QString::fromStdString(gpu.name))};
        if (gpu.memoryBytes > 0)
            parts << memoryWords(gpu.memoryBytes);
        if (const QString pcie = pcieWords(gpu); !pcie.isEmpty())
            parts << tr("%1, the most that card and slot agree on").arg(pcie);
        if (gpu.nvlinks > 0)
            parts
                << tr("%1 up, version %2").arg(counted(gpu.nvlinks, tr("%1 NVLink|%1 NVLinks"))).arg(gpu.nvlinkVersion);
        if (!gpu.busId.empty())
            parts << tr("PCI %1").arg(QString::fromStdString(gpu.busId));
        if (!ranks.isEmpty())
            parts << tr("%1, as CUDA counts the GPUs").arg(ranks);
        return parts.join(QStringLiteral("; "));
    }

    [[nodiscard]] double cardsHeight(const NodeBox &box) const
    {
        if (box.gpus.empty())
            return 0;
        const CardRows rows = cardRows(m_writer, static_cast<int>(box.gpus.size()), inner());
        return px(kRail) + rows.rows * px(gpuCardHeight(cardOf(box.gpus.front()))) + (rows.rows - 1) * px(kCardGap);
    }

    [[nodiscard]] double heightOf(const NodeBox &box) const
    {
        return px(2 * kPadding + kTitle + (box.placed ? kMemory : 0)) + coresHeight(box) + cardsHeight(box);
    }

    double layRow(int row, double top)
    {
        const auto first = static_cast<std::size_t>(row * m_columns);
        const std::size_t end = std::min(m_boxes.size(), first + static_cast<std::size_t>(m_columns));
        double height = 0;
        for (std::size_t i = first; i < end; ++i)
            height = std::max(height, heightOf(m_boxes[i]));
        for (std::size_t i = first; i < end; ++i) {
            const double left = m_room.left() + static_cast<double>(i - first) * (m_width + px(kBoxGap));
            const QRectF rect(left, top, m_width, height);
            layBox(m_boxes[i], rect);
            if (i > first)
                layBetween(rect);
        }
        return top + height;
    }

    /// The processors' own link: nodes beside each other are joined by it, and so are all others.
    void layBetween(const QRectF &right)
    {
        const double y = right.top() + px(kPadding + kTitle / 2);
        const QPointF from(right.left() - px(kBoxGap), y);
        m_writer.rule(from, {right.left(), y}, theme().text3, 4);
        m_writer.spot({from.x(), y - px(6), px(kBoxGap), px(12)},
                      tr("The processors' own link: memory and GPUs of another NUMA node are reached over it"));
    }

    void layBox(const NodeBox &box, const QRectF &rect)
    {
        m_writer.box({.rect = rect,
                      .fill = mixed(theme().surface, theme().surface2, 0.6),
                      .outline = theme().border,
                      .line = px(1.4),
                      .radius = px(8)});
        m_writer.spot(rect, box.details);
        const QRectF line(rect.left() + px(kPadding), rect.top() + px(kPadding), inner(), px(kTitle));
        const QString cores = coresWords(box.cores);
        const double coresWidth = m_writer.widthOf(cores, {12.5, 400, {}}) + px(2);
        m_writer.text(line.adjusted(0, 0, -coresWidth - px(4), 0), box.title, {13.5, 600, {}});
        m_writer.text({line.right() - coresWidth, line.top(), coresWidth, line.height()}, cores,
                      {12.5, 400, theme().text2}, Qt::AlignRight | Qt::AlignVCenter);
        double y = layCores(box, line.bottom());
        y = layMemory(box, y);
        layCards(box, {line.left(), y, line.width(), rect.bottom() - px(kPadding) - y});
    }

    double layCores(const NodeBox &box, double top)
    {
        const Cores cores = coresOf(box);
        const double left = leftOf(box) + px(kPadding);
        for (int core = 0; core < box.cores && cores.rows > 0; ++core) {
            const QRectF square(left + core % cores.columns * cores.step(), top + core / cores.columns * cores.step(),
                                cores.side, cores.side);
            m_writer.box({.rect = square,
                          .fill = mixed(theme().surface, theme().text3, 0.25),
                          .outline = theme().text3,
                          .line = std::max(1.0, px(1)),
                          .radius = px(1.5)});
        }
        return top + coresHeight(box);
    }

    [[nodiscard]] double leftOf(const NodeBox &box) const
    {
        const auto place = static_cast<int>(&box - m_boxes.data()) % m_columns;
        return m_room.left() + place * (m_width + px(kBoxGap));
    }

    double layMemory(const NodeBox &box, double top)
    {
        if (!box.placed)
            return top;
        const QRectF strip(leftOf(box) + px(kPadding), top, inner(), px(kMemory));
        m_writer.box(
            {.rect = strip, .fill = theme().surface, .outline = theme().border, .line = px(1), .radius = px(3)});
        m_writer.text(strip.adjusted(px(6), 0, -px(6), 0), memoryWords(box.memoryBytes), {12.5, 400, {}});
        return strip.bottom();
    }

    void layCards(const NodeBox &box, const QRectF &room)
    {
        if (box.gpus.empty())
            return;
        const CardRows rows = cardRows(m_writer, static_cast<int>(box.gpus.size()), room.width());
        const double height = px(gpuCardHeight(cardOf(box.gpus.front())));
        const double rail = room.top() + px(kRail) / 2;
        const double used = rows.columns * rows.width + (rows.columns - 1) * px(kCardGap);
        const double left = room.left() + (room.width() - used) / 2;
        const bool attached = box.placed && m_topology.gpus[std::size_t(box.gpus.front())].pcieLanes != 0;
        if (attached) {
            m_writer.rule({left + rows.width / 2, rail}, {left + used - rows.width / 2, rail}, theme().text3, 2);
            m_writer.rule({left + used / 2, room.top()}, {left + used / 2, rail}, theme().text3, 2);
        }
        for (std::size_t i = 0; i < box.gpus.size(); ++i) {
            const auto column = static_cast<int>(i) % rows.columns;
            const auto row = static_cast<int>(i) / rows.columns;
            const QRectF rect(left + column * (rows.width + px(kCardGap)),
                              room.top() + px(kRail) + row * (height + px(kCardGap)), rows.width, height);
            m_cards[static_cast<std::size_t>(box.gpus[i])] = rect;
            if (attached)
                layAttachment(rect, row, rail);
            layGpuCard(m_writer, cardOf(box.gpus[i]), rect);
        }
    }

    /// PCIe, from the rail under the memory; to the cards of other rows beside those above them.
    void layAttachment(const QRectF &card, int row, double rail)
    {
        const double beside = card.left() - px(kBesideCard);
        const double y = card.top() - px(3);
        if (row == 0) {
            m_writer.rule({card.center().x(), rail}, card.topLeft() + QPointF(card.width() / 2, 0), theme().text3, 2);
            return;
        }
        m_writer.rule({beside, rail}, {beside, y}, theme().text3, 2);
        m_writer.rule({beside, rail}, {card.center().x(), rail}, theme().text3, 2);
        m_writer.rule({beside, y}, {card.left() + px(8), y}, theme().text3, 2);
        m_writer.rule({card.left() + px(8), y}, {card.left() + px(8), card.top()}, theme().text3, 2);
    }

    SheetWriter &m_writer;
    const HardwareValues &m_values;
    const Topology &m_topology;
    QRectF m_room;
    std::vector<NodeBox> m_boxes;
    std::vector<QRectF> m_cards;
    int m_rows = 1;
    int m_columns = 1;
    double m_width = 0;
};

} // namespace

double layTopology(SheetWriter &writer, const HardwareValues &values, const QRectF &room)
{
    return Drawing(writer, values, room).lay();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulate/group_span.h"
#include "engine/simulate/network.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/gpu_card.h"
#include "ui/pages/hardware_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr double kPadding = 10; ///< design pixels
constexpr double kDrop = 16;
constexpr double kSwitch = 24;
constexpr double kGap = 22;       ///< between drawing and words
constexpr double kDrawing = 0.62; ///< of the width
constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

QString dtypeName(DType dtype)
{
    return QString::fromUtf8(name(dtype).data());
}

/// "990 TFLOP/s in bf16, 67 in f32".
QString peakWords(const Hardware &hardware)
{
    QStringList parts;
    for (const DType dtype : {DType::BF16, DType::F32}) {
        const auto found = hardware.peakFlops.find(dtype);
        if (found != hardware.peakFlops.end())
            parts << tr("%1 TFLOP/s in %2").arg(formatNumber(found->second / kTera), dtypeName(dtype));
    }
    return parts.join(QStringLiteral(", "));
}

QStringList factsOf(const Hardware &hardware, int ranks)
{
    QStringList facts;
    QStringList each;
    if (hardware.memoryBytes > 0)
        each << formatBytes(hardware.memoryBytes);
    if (hardware.memoryBytesPerSecond > 0)
        each << tr("read at %1").arg(formatGBs(hardware.memoryBytesPerSecond / kGiga));
    each << peakWords(hardware);
    each.removeAll(QString());
    facts << tr("Each GPU: %1, by data sheet.").arg(each.join(QStringLiteral(", ")));
    facts << tr("All-reduce of large messages: %1 bus bandwidth assumed inside the node.")
                 .arg(formatGBs(linkGBs(hardware)));
    facts << tr("To other nodes: a port for each GPU, %1 each way, assumed.").arg(formatGBs(networkGBs(hardware)));
    if (const int nodes = nodesOf(hardware, ranks); nodes > 1)
        facts << tr("%1 ranks need %2 such nodes; one is drawn.").arg(ranks).arg(nodes);
    return facts;
}

class Predicted
{
public:
    Predicted(SheetWriter &writer, const HardwareValues &values, const QRectF &room, double extra)
        : m_writer(writer), m_values(values), m_hardware(*values.drawn()), m_room(room), m_extra(extra)
    {
    }

    double lay()
    {
        const QString own = QString::fromStdString(m_hardware.name);
        const QString name = isCompared() ? tr("For comparison, %1:").arg(own) : tr("Predicted for %1:").arg(own);
        const QString title = QString::fromStdString(m_hardware.title);
        const double top =
            layCaption(m_writer, m_room, name, tr("%1; by data sheet, not measured here").arg(title)) + px(6);
        const double gap = px(kGap);
        const double width = (m_room.width() - gap) * kDrawing;
        const double drawn = layNode({m_room.left(), top, width, 0});
        const double left = m_room.left() + width + gap;
        const double words = layFacts({left, top, m_room.right() - left, 0});
        if (m_values.origin == HardwareValues::Origin::None || sourcesHeight() < m_extra)
            return laySources(std::max(drawn, words) + px(12));
        return std::max(drawn, layFirstSource({left, words + px(4), m_room.right() - left, 0}));
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    /// Nothing shown is predicted for it.
    [[nodiscard]] bool isCompared() const { return m_values.predictsMeasured(); }

    [[nodiscard]] GpuCard cardOf(int number) const
    {
        GpuCard card;
        card.number = number;
        card.of = m_hardware.devices;
        card.predicted = true;
        if (m_hardware.memoryBytes > 0)
            card.lines << formatBytes(m_hardware.memoryBytes);
        const QString details =
            tr("GPU %1 of %2, as its data sheet has it").arg(number).arg(QString::fromStdString(m_hardware.name));
        if (!isCompared())
            card.lines << (number < m_values.predictedRanks ? tr("rank %1").arg(number) : tr("no rank"));
        card.details = details + QStringLiteral(": ") + card.lines.join(QStringLiteral(", "));
        return card;
    }

    double layNode(const QRectF &room)
    {
        const double inner = room.width() - 2 * px(kPadding);
        const CardRows rows = cardRows(m_writer, m_hardware.devices, inner);
        const double card = px(gpuCardHeight(cardOf(0)));
        const bool joined = !m_hardware.link.name.empty();
        const double cards = rows.rows * card + (rows.rows - 1) * px(kCardGap);
        const double height = 2 * px(kPadding) + cards + (joined ? px(kDrop + kSwitch) : 0);
        m_writer.box({.rect = {room.left(), room.top(), room.width(), height},
                      .outline = theme().text3,
                      .line = px(1.2),
                      .radius = px(8),
                      .dashed = true});
        const double used = rows.columns * rows.width + (rows.columns - 1) * px(kCardGap);
        const double left = room.left() + (room.width() - used) / 2;
        const double bar = room.top() + px(kPadding + kDrop) + cards;
        for (int i = 0; i < m_hardware.devices; ++i) {
            const int row = i / rows.columns;
            const QRectF rect(left + i % rows.columns * (rows.width + px(kCardGap)),
                              room.top() + px(kPadding) + row * (card + px(kCardGap)), rows.width, card);
            layGpuCard(m_writer, cardOf(i), rect);
            if (joined)
                layDrop(rect, i, row + 1 == rows.rows, bar);
        }
        if (joined)
            laySwitch({room.left() + px(kPadding), bar, inner, px(kSwitch)});
        return room.top() + height;
    }

    void layDrop(const QRectF &card, int gpu, bool lowest, double bottom)
    {
        const QColor colour = visibleOutline(theme().rank(gpu, m_hardware.devices), theme().surface);
        if (lowest) {
            m_writer.rule({card.center().x(), card.bottom()}, {card.center().x(), bottom}, colour, 2);
            return;
        }
        const double beside = card.right() + px(kBesideCard);
        const double y = card.bottom() - px(6);
        m_writer.rule({card.right(), y}, {beside, y}, colour, 2);
        m_writer.rule({beside, y}, {beside, bottom}, colour, 2);
    }

    void laySwitch(const QRectF &bar)
    {
        m_writer.box({.rect = bar,
                      .fill = theme().surface2,
                      .outline = theme().text3,
                      .line = px(1.2),
                      .radius = px(6),
                      .dashed = true});
        const QString link = QString::fromStdString(m_hardware.link.name);
        const QString speed = m_hardware.link.GBps > 0
                                  ? tr("%1, %2 each way for each GPU").arg(link, formatGBs(m_hardware.link.GBps))
                                  : link;
        const QString fabric = QString::fromStdString(m_hardware.link.fabric);
        const QString words = fabric.isEmpty() || link.startsWith(fabric) ? speed : tr("%1: %2").arg(fabric, speed);
        m_writer.text(bar.adjusted(px(8), 0, -px(8), 0), words, {12.5, 600, {}}, Qt::AlignCenter);
        m_writer.spot(bar, tr("%1, by data sheet").arg(words));
    }

    double layWords(const QRectF &room, const QString &words, const SheetWriter::Letters &letters)
    {
        const double height = m_writer.heightOf(words, letters, room.width()) + 1;
        m_writer.paragraph({room.left(), room.top(), room.width(), height}, words, letters);
        return room.top() + height;
    }

    double layFacts(const QRectF &room)
    {
        double y = room.top();
        for (const QString &fact : factsOf(m_hardware, isCompared() ? 1 : m_values.predictedRanks)) {
            const double below = layWords({room.left(), y, room.width(), 0}, fact, {12.5, 400, {}});
            m_writer.spot({room.left(), y, room.width(), below - y}, fact);
            y = below + px(3);
        }
        return y;
    }

    [[nodiscard]] QString source(std::size_t place) const
    {
        return withMicroSign(QString::fromStdString(m_hardware.sources[place]));
    }

    /// The others are read by pointing at it.
    double layFirstSource(const QRectF &room)
    {
        const std::size_t count = m_hardware.sources.size();
        if (count == 0)
            return room.top();
        QStringList all;
        for (std::size_t i = 0; i < count; ++i)
            all << source(i);
        QString words = tr("From the %1").arg(source(0).section(QLatin1Char(':'), 0, 0));
        if (count > 1)
            words += tr(" and %1").arg(counted(static_cast<qint64>(count - 1), tr("%1 other source|%1 other sources")));
        words += m_values.onScreen
                     ? tr(": point here to read them")
                     : tr(": resources/hardware/%1.json names them").arg(QString::fromStdString(m_hardware.name));
        const double below = layWords(room, words, {11, 400, theme().text2});
        m_writer.spot({room.left(), room.top(), room.width(), below - room.top()}, all.join(QLatin1Char('\n')));
        return below;
    }

    [[nodiscard]] double sourcesHeight() const
    {
        double height = px(36);
        for (std::size_t i = 0; i < m_hardware.sources.size(); ++i)
            height += m_writer.heightOf(source(i), {12, 400, {}}, m_room.width()) + px(4) + 1;
        return height;
    }

    double laySources(double top)
    {
        double y = layWords({m_room.left(), top, m_room.width(), 0}, tr("Sources of these numbers"), {13, 600, {}}) + 2;
        for (std::size_t i = 0; i < m_hardware.sources.size(); ++i)
            y = layWords({m_room.left(), y, m_room.width(), 0}, source(i), {12, 400, theme().text2}) + px(4);
        return y;
    }

    SheetWriter &m_writer;
    const HardwareValues &m_values;
    const Hardware &m_hardware;
    QRectF m_room;
    double m_extra;
};

/// A machine that was measured is the one above, or was.
double layMeasured(SheetWriter &writer, const HardwareValues &values, const QRectF &room)
{
    const Hardware &hardware = values.predicted;
    QStringList facts;
    for (const auto &[dtype, flops] : hardware.peakFlops)
        facts << tr("%1 GFLOP/s in %2 products").arg(formatNumber(flops / kGiga), dtypeName(dtype));
    facts << tr("%1 bus bandwidth of a large all-reduce").arg(formatGBs(linkGBs(hardware)));
    return layCaption(writer, room, tr("Predicted for %1;").arg(QString::fromStdString(hardware.title)),
                      tr("as it was measured: %1.").arg(facts.join(QStringLiteral(", "))));
}

} // namespace

double layPredicted(SheetWriter &writer, const HardwareValues &values, const QRectF &room, double extra)
{
    QRectF below = room;
    if (values.predictsMeasured())
        below.setTop(layMeasured(writer, values, room) + writer.px(8));
    return Predicted(writer, values, below, extra).lay();
}

} // namespace shardscope

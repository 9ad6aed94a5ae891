// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/number_format.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/traffic_parts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {

namespace {

constexpr double kAxisTitle = 20; ///< design pixels
constexpr double kLabel = 22;     ///< height of the labels over the columns
constexpr double kScale = 40;     ///< below the matrix
constexpr double kWidest = 170;   ///< of a cell
constexpr double kHighest = 150;
constexpr double kLargestNumber = 15;
constexpr double kSmallestNumber = 9.5; ///< smaller is not read
constexpr double kBars = 40;            ///< longest of many ranks
constexpr int kScaleParts = 24;
constexpr int kMostLabels = 16;
constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};

class Grid
{
public:
    Grid(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
        : m_writer(writer), m_values(values), m_matrix(values.matrix), m_n(values.matrix.ranks()),
          m_numbers(m_n <= kMostRanksWithNumbers)
    {
        for (int rank = 0; rank < m_n; ++rank)
            m_mostSum = std::max({m_mostSum, m_matrix.sentBy(rank), m_matrix.receivedBy(rank)});
        place(room);
    }

    double lay()
    {
        layAxes();
        for (int from = 0; from < m_n; ++from) {
            for (int to = 0; to < m_n; ++to)
                layCell(from, to);
        }
        layGroups();
        for (int rank = 0; rank < m_n; ++rank) {
            laySum(rank, true);
            laySum(rank, false);
        }
        layTotal();
        return layScale();
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }
    [[nodiscard]] QRectF cell(int from, int to) const
    {
        return {m_cells.left() + to * m_width, m_cells.top() + from * m_height, m_width, m_height};
    }

    void place(const QRectF &room)
    {
        const double labels = labelWidth();
        m_sum = px(m_numbers ? 76 : 68);
        const double across = room.width() - labels - m_sum - px(6);
        const double down = room.height() - px(kAxisTitle + kLabel + kScale) - sumHeight() - px(6);
        m_width = std::min(across / m_n, px(kWidest));
        m_height = std::min(down / m_n, px(kHighest));
        if (!m_numbers) // a map of ranks: its cells are squares
            m_width = m_height = std::min(m_width, m_height);
        m_cells = QRectF(room.left() + labels, room.top() + px(kAxisTitle + kLabel), m_width * m_n, m_height * m_n);
        chooseNumbers();
    }

    [[nodiscard]] double sumHeight() const { return px(m_numbers ? 30 : kBars); }
    [[nodiscard]] double labelWidth() const
    {
        return std::max(m_writer.widthOf(tr("rank %1").arg(m_n - 1), {13, 400, {}}),
                        m_writer.widthOf(tr("received"), {13, 600, {}})) +
               px(8);
    }

    /// The largest at which every number of `width` has its room; 0: none has.
    [[nodiscard]] double sizeFor(double width, int weight, double largest) const
    {
        for (double size = largest; size >= kSmallestNumber; size -= 0.5) {
            if (widest({size, weight, {}}) + px(4) <= width)
                return size;
        }
        return 0;
    }

    [[nodiscard]] double widest(const SheetWriter::Letters &letters) const
    {
        double width = 0;
        for (int from = 0; from < m_n; ++from) {
            width = std::max(width, m_writer.widthOf(bytesText(m_matrix.receivedBy(from)), letters));
            for (int to = 0; to < m_n; ++to) {
                if (m_matrix.bytes(from, to) > 0)
                    width = std::max(width, m_writer.widthOf(bytesText(m_matrix.bytes(from, to)), letters));
            }
        }
        return width;
    }

    /// Numbers with their unit; where the cells are too narrow for that, all in one unit, which the head names.
    void chooseNumbers()
    {
        if (!m_numbers)
            return;
        m_number = sizeFor(m_width, 600, kLargestNumber);
        if (m_number > 0)
            return;
        while (m_power < kUnits.size() - 1 && static_cast<double>(m_matrix.largest()) >= std::pow(1024, m_power + 1))
            ++m_power;
        m_oneUnit = true;
        m_number = sizeFor(m_width, 600, kLargestNumber);
    }

    [[nodiscard]] QString bytesText(std::int64_t bytes) const
    {
        return m_oneUnit ? formatNumber(static_cast<double>(bytes) / std::pow(1024, m_power)) : bytesWords(bytes);
    }

    void layAxes()
    {
        const SheetWriter::Letters title{13, 600, theme().text2};
        const QRectF above(m_cells.left(), m_cells.top() - px(kAxisTitle + kLabel), m_cells.width(), px(kAxisTitle));
        m_writer.text({m_cells.left() - labelWidth(), above.top(), labelWidth(), px(kAxisTitle)}, tr("from"), title);
        m_writer.text(above,
                      m_n > 1 ? tr("%1 a step, to").arg(m_oneUnit ? QLatin1String(kUnits[m_power]) : tr("bytes"))
                              : tr("to"),
                      title);
        const int stride = (m_n + kMostLabels - 1) / kMostLabels;
        const SheetWriter::Letters letters{13, 400, {}};
        for (int rank = 0; rank < m_n; rank += stride) {
            const QRectF left(m_cells.left() - labelWidth(), cell(rank, 0).top(), labelWidth() - px(8),
                              std::max(m_height, px(16)));
            m_writer.text(left, tr("rank %1").arg(rank), letters);
            const QString name = m_width * stride > labelWidth() ? tr("rank %1").arg(rank) : QString::number(rank);
            const double wide = std::max(m_width, px(22));
            const QRectF over(cell(0, rank).center().x() - wide / 2, m_cells.top() - px(kLabel), wide, px(kLabel));
            m_writer.text(over, name, letters, Qt::AlignCenter);
        }
        const QRectF sent(m_cells.right() + px(6), m_cells.top() - px(kLabel), m_sum, px(kLabel));
        m_writer.text(sent, tr("sent"), {13, 600, {}}, Qt::AlignCenter);
        const QRectF received(m_cells.left() - labelWidth(), m_cells.bottom() + px(6), labelWidth() - px(4),
                              sumHeight());
        m_writer.text(received, tr("received"), {13, 600, {}});
    }

    void layCell(int from, int to)
    {
        const std::int64_t bytes = m_matrix.bytes(from, to);
        const QRectF rect = cell(from, to);
        const QColor fill = trafficColour(bytes, m_matrix.largest(), theme());
        Sheet::Box box{.rect = rect, .fill = fill};
        if (m_numbers)
            box.outline = theme().grid;
        if (from == to && !m_numbers) {
            box.fill = theme().surface2;
        } else if (from == to) { // nobody sends to itself
            box.hatch = Hatch::Diagonal;
            box.hatchColour = theme().grid;
            box.spacing = px(6);
        }
        if (m_numbers || fill.isValid() || from == to)
            m_writer.box(box);
        if (bytes == 0)
            return;
        if (m_number > 0)
            m_writer.text(rect, bytesText(bytes), {m_number, 600, Theme::textOn(fill)}, Qt::AlignCenter);
        m_writer.spot(rect, detailsOf(from, to));
    }

    [[nodiscard]] QString rankWords(int rank) const
    {
        QStringList places;
        for (const MeshAxis axis : kMeshAxes) {
            if (m_values.mesh().extent(axis) > 1)
                places << QStringLiteral("%1 %2").arg(axisWord(axis)).arg(m_values.mesh().coordinate(rank, axis));
        }
        const QString name = tr("rank %1").arg(rank);
        return places.size() < 2 ? name : QStringLiteral("%1 (%2)").arg(name, places.join(QStringLiteral(", ")));
    }

    [[nodiscard]] QString detailsOf(int from, int to) const
    {
        QStringList lines{
            tr("%1 to %2: %3 a step").arg(rankWords(from), rankWords(to), formatExactBytes(m_matrix.bytes(from, to)))};
        for (const TrafficValues::Along &along : m_values.axes) {
            if (m_values.axes.size() > 1 && along.matrix.bytes(from, to) > 0)
                lines << tr("along %1: %2").arg(axisWord(along.axis), bytesWords(along.matrix.bytes(from, to)));
        }
        return lines.join(QLatin1Char('\n'));
    }

    /// Between groups of the innermost axis, and a frame around everything.
    void layGroups()
    {
        const Mesh &mesh = m_values.mesh();
        const int tp = mesh.extent(MeshAxis::Tp);
        const int stage = tp * mesh.extent(MeshAxis::Dp);
        for (int rank = 1; rank < m_n; ++rank) {
            const bool ofStage = rank % stage == 0;
            if (rank % tp != 0 || tp == m_n || (tp == 1 && !ofStage) || stage == 1)
                continue;
            const double width = ofStage ? 2.6 : 1.4;
            const QRectF at = cell(rank, rank);
            m_writer.rule({m_cells.left(), at.top()}, {m_cells.right(), at.top()}, theme().text3, width);
            m_writer.rule({at.left(), m_cells.top()}, {at.left(), m_cells.bottom()}, theme().text3, width);
        }
        m_writer.box({.rect = m_cells, .outline = theme().border, .line = std::max(1.0, px(1.2))});
    }

    /// What a rank sends (right of its row) or receives (below its column): a number, or a bar where there is no room.
    void laySum(int rank, bool sends)
    {
        const std::int64_t bytes = sends ? m_matrix.sentBy(rank) : m_matrix.receivedBy(rank);
        const QRectF along = cell(rank, rank);
        QRectF rect = sends ? QRectF(m_cells.right() + px(6), along.top(), m_sum, along.height())
                            : QRectF(along.left(), m_cells.bottom() + px(6), along.width(), sumHeight());
        const QString details = (sends ? tr("%1 sends %2 a step") : tr("%1 receives %2 a step"))
                                    .arg(rankWords(rank), formatExactBytes(bytes));
        m_writer.spot(rect, details);
        if (m_numbers) {
            m_writer.box({.rect = rect, .fill = theme().surface2, .outline = theme().grid});
            if (m_number > 0)
                m_writer.text(rect, sends ? bytesWords(bytes) : bytesText(bytes), {std::min(m_number, 13.5), 600, {}},
                              Qt::AlignCenter);
            return;
        }
        const double share = m_mostSum > 0 ? static_cast<double>(bytes) / static_cast<double>(m_mostSum) : 0;
        if (sends)
            rect.setWidth(px(kBars) * share);
        else
            rect.setHeight(rect.height() * share);
        m_writer.box({.rect = rect, .fill = theme().forwardCompute});
    }

    void layTotal()
    {
        const QRectF rect(m_cells.right() + px(6), m_cells.bottom() + px(6), m_sum, sumHeight());
        if (m_numbers)
            m_writer.box({.rect = rect, .fill = theme().surface2, .outline = theme().border});
        m_writer.text(rect, bytesWords(m_matrix.total()), {13.5, 700, {}}, Qt::AlignCenter);
        m_writer.spot(rect, tr("all ranks together: %1 a step").arg(formatExactBytes(m_matrix.total())));
    }

    double layScale()
    {
        const double top = m_cells.bottom() + px(6) + sumHeight() + px(12);
        const SheetWriter::Letters letters{12.5, 400, theme().text2};
        const double height = px(16);
        if (m_matrix.largest() == 0)
            return top;
        const QRectF line(m_cells.left(), top, m_cells.width() + m_sum, height);
        double x = line.left();
        const double part = px(5);
        x += m_writer.text({x, top, line.width(), height}, QStringLiteral("0"), letters) + px(6);
        for (int i = 0; i < kScaleParts; ++i, x += part) {
            const auto bytes = static_cast<std::int64_t>(
                std::llround(static_cast<double>(m_matrix.largest()) * (i + 1) / kScaleParts));
            m_writer.box({.rect = {x, top, part, height},
                          .fill = trafficColour(std::max<std::int64_t>(bytes, 1), m_matrix.largest(), theme())});
        }
        x += px(6);
        x += m_writer.text({x, top, line.right() - x, height},
                           tr("%1 from one rank to another").arg(bytesWords(m_matrix.largest())), letters) +
             px(16);
        layLegend(x, line);
        return line.bottom();
    }

    /// What the lines, and the bars of many ranks, are.
    void layLegend(double x, const QRectF &line)
    {
        const SheetWriter::Letters letters{12.5, 400, theme().text2};
        QStringList words;
        if (!m_numbers)
            words << tr("bars: at most %1").arg(bytesWords(m_mostSum));
        if (m_values.mesh().extent(MeshAxis::Tp) > 1 && m_values.mesh().extent(MeshAxis::Tp) < m_n)
            words << tr("lines between groups of tp");
        const QString all = words.join(QStringLiteral("; "));
        if (m_writer.widthOf(all, letters) <= line.right() - x)
            m_writer.text({x, line.top(), line.right() - x, line.height()}, all, letters);
    }

    SheetWriter &m_writer;
    const TrafficValues &m_values;
    const TrafficMatrix &m_matrix;
    int m_n;
    bool m_numbers;
    QRectF m_cells;
    double m_width = 0;
    double m_height = 0;
    double m_sum = 0;    ///< width of the sums' column
    double m_number = 0; ///< size of letters in the cells, design pixels; 0: colour alone
    bool m_oneUnit = false;
    std::size_t m_power = 0; ///< of 1024: that unit
    std::int64_t m_mostSum = 0;
};

} // namespace

double layTrafficGrid(SheetWriter &writer, const TrafficValues &values, const QRectF &room)
{
    return Grid(writer, values, room).lay();
}

} // namespace shardscope

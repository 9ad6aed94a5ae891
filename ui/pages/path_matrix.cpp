// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/gpu_paths.h"
#include "ui/pages/hardware_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kLabel = 50; ///< design pixels
constexpr double kHead = 20;
constexpr double kCell = 33;
constexpr double kWidestCell = 86;
constexpr double kKind = 18;
constexpr double kFaintest = 0.08; ///< of a cell with little bandwidth
constexpr double kStrongest = 0.5; ///< the words in it stay readable
constexpr std::size_t kMostKinds = 6;

class Matrix
{
public:
    Matrix(SheetWriter &writer, const Topology &topology, const QRectF &room)
        : m_writer(writer), m_topology(topology), m_room(room), m_n(static_cast<int>(topology.gpus.size())),
          m_kinds(pathKinds(topology)), m_cell(std::min(px(kWidestCell), (room.width() - px(kLabel)) / m_n))
    {
    }

    double lay()
    {
        double y = layCaption(m_writer, m_room, tr("Paths between GPUs."),
                              tr("GB/s of one direction, by specification of the links, not measured"));
        if (m_n <= kMostGpusInMatrix)
            y = layCells(y + px(4));
        return layKinds(y + px(6));
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    double layCells(double top)
    {
        for (int column = 0; column < m_n; ++column)
            layHeading({left(column), top, m_cell, px(kHead)}, column, Qt::AlignCenter);
        for (int row = 0; row < m_n; ++row) {
            const double y = top + px(kHead) + row * px(kCell);
            layHeading({m_room.left(), y, px(kLabel) - px(6), px(kCell)}, row, Qt::AlignRight | Qt::AlignVCenter);
            for (int column = 0; column < m_n; ++column)
                layCell(row, column, {left(column), y, m_cell, px(kCell)});
        }
        return top + px(kHead) + m_n * px(kCell);
    }

    [[nodiscard]] double left(int column) const { return m_room.left() + px(kLabel) + column * m_cell; }

    void layHeading(const QRectF &rect, int gpu, Qt::Alignment alignment)
    {
        m_writer.text(rect, tr("GPU %1").arg(gpu), {11.5, 600, theme().text2}, alignment);
    }

    void layCell(int row, int column, const QRectF &rect)
    {
        const GpuPath *path = row == column ? nullptr : pathBetween(m_topology, row, column);
        const double fastest = m_kinds.empty() ? 0 : m_kinds.front().expectedGBps;
        QColor fill = theme().surface2;
        if (path)
            fill = mixed(theme().surface, theme().accent,
                         fastest > 0 && path->expectedGBps > 0
                             ? kFaintest + (kStrongest - kFaintest) * path->expectedGBps / fastest
                             : 0);
        m_writer.box({.rect = rect, .fill = fill, .outline = theme().border, .line = std::max(1.0, px(1))});
        if (row == column || !path) {
            m_writer.text(rect, row == column ? QStringLiteral("\u2013") : QStringLiteral("?"),
                          {12, 400, theme().text3}, Qt::AlignCenter);
            return;
        }
        const QColor ink = contrastRatio(theme().text, fill) >= 4.5 ? theme().text : Theme::textOn(fill);
        const QRectF upper(rect.left(), rect.top() + px(2), rect.width(), px(15));
        m_writer.text(upper, QString::fromStdString(path->word), {11.5, 600, ink}, Qt::AlignCenter);
        m_writer.text(upper.translated(0, px(14)), speedOf(path->expectedGBps), {11.5, 400, ink}, Qt::AlignCenter);
        m_writer.spot(rect, tr("GPU %1 to GPU %2: %3, %4; %5 each way by specification, not measured")
                                .arg(row)
                                .arg(column)
                                .arg(QString::fromStdString(path->word), pathMeaning(path->word),
                                     formatGBs(known(path->expectedGBps))));
    }

    [[nodiscard]] static std::optional<double> known(double speed)
    {
        return speed > 0 ? std::optional(speed) : std::nullopt;
    }
    [[nodiscard]] static QString speedOf(double speed) { return speed > 0 ? formatNumber(speed) : undefinedText(); }

    double layKinds(double top)
    {
        const SheetWriter::Letters letters{12.5, 400, {}};
        double y = top;
        for (std::size_t i = 0; i < std::min(m_kinds.size(), kMostKinds); ++i) {
            const PathKind &kind = m_kinds[i];
            const QString word = QString::fromStdString(kind.word);
            const QString words =
                tr("%1: %2; %3, %4")
                    .arg(word, pathMeaning(kind.word), counted(kind.pairs, tr("%1 pair|%1 pairs")),
                         kind.expectedGBps > 0 ? formatGBs(kind.expectedGBps) : tr("speed not known"));
            const double height = std::max(
                px(kKind), m_writer.heightOf(words, letters, m_room.width(), static_cast<int>(word.size())) + 1);
            const QRectF line(m_room.left(), y, m_room.width(), height);
            m_writer.paragraph(line, words, letters, static_cast<int>(word.size()));
            m_writer.spot(line, words);
            y += height;
        }
        return y;
    }

    SheetWriter &m_writer;
    const Topology &m_topology;
    QRectF m_room;
    int m_n;
    std::vector<PathKind> m_kinds;
    double m_cell;
};

} // namespace

double layPaths(SheetWriter &writer, const Topology &topology, const QRectF &room)
{
    return Matrix(writer, topology, room).lay();
}

} // namespace shardscope

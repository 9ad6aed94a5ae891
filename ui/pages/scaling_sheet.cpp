// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/scaling_sheet.h"

#include "ui/charts/number_format.h"
#include "ui/pages/fitted_sheet.h"
#include "ui/pages/line_chart.h"
#include "ui/pages/page_heading.h"
#include "ui/pages/points_provenance.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(960, 600); ///< design pixels
constexpr double kLowestChart = 240;
constexpr double kRow = 22;
constexpr double kNames = 0.28; ///< of the width, for the names of the table's rows

using Value = double (*)(const ScalingRow &);

LineChart::Series seriesOf(const ScalingValues &values, const QString &name, std::size_t index, const Theme &theme,
                           LineChart::Origin origin, Value value, QString (*words)(double))
{
    LineChart::Series series{name, curveColour(index, theme), curveShape(index), origin, true, {}};
    for (const ScalingRow &row : values.rows) {
        if (const double y = value(row); y > 0)
            series.points.push_back({static_cast<double>(row.ranks), y, tr("N = %1: %2").arg(row.ranks).arg(words(y))});
    }
    return series;
}

double ringBytes(const ScalingRow &row)
{
    return static_cast<double>(row.ringBytes);
}

double summedBytes(const ScalingRow &row)
{
    return static_cast<double>(row.summedBytes);
}

double observedBytes(const ScalingRow &row)
{
    return static_cast<double>(row.observedBytes);
}

LineChart bytesChart(const ScalingValues &values, const Theme &theme)
{
    using enum LineChart::Origin;
    LineChart chart;
    chart.title = tr("Bytes: O(N) is what all ranks send together, not what one sends");
    chart.xTitle = tr("ranks N");
    chart.yTitle = tr("bytes sent for one all-reduce of S (log scale)");
    chart.yText = [](double bytes) { return formatBytes(bytes); };
    chart.series.push_back(
        seriesOf(values, tr("all ranks: 2(N\u22121)\u00b7S"), 0, theme, Formula, summedBytes, formatBytes));
    chart.series.push_back(
        seriesOf(values, tr("one rank: 2(N\u22121)/N\u00b7S"), 1, theme, Formula, ringBytes, formatBytes));
    LineChart::Series bound{tr("bound 2 S"), theme.text3, DotShape::Circle, LineChart::Origin::Formula, true, {}};
    for (const int ranks : {kScalingRanks.front(), kScalingRanks.back()})
        bound.points.push_back({static_cast<double>(ranks), 2 * static_cast<double>(values.payloadBytes), {}});
    chart.series.push_back(bound);
    chart.series.push_back(seriesOf(values, {}, 1, theme, Measured, observedBytes, formatBytes));
    chart.series.back().joined = false;
    return chart;
}

QString nanoseconds(double value)
{
    return formatDuration(value);
}

LineChart latencyChart(const ScalingValues &values, const Theme &theme)
{
    using enum LineChart::Origin;
    LineChart chart;
    const QString machine = QString::fromStdString(values.hardware.title);
    chart.title = tr("Time, predicted: a ring pays alpha for 2(N\u22121) hops, a tree for 2\u00b7log2 N");
    chart.xTitle = tr("ranks N on %1").arg(machine);
    chart.yTitle = tr("parts of one all-reduce's time, by the protocol cheapest at each N (log scale)");
    chart.binary = false;
    chart.yText = [](double time) { return formatDuration(time); };
    chart.series.push_back(seriesOf(
        values, tr("ring latency"), 0, theme, Predicted, [](const ScalingRow &row) { return row.ringLatencyNs; },
        nanoseconds));
    chart.series.push_back(seriesOf(
        values, tr("tree latency"), 2, theme, Predicted, [](const ScalingRow &row) { return row.treeLatencyNs; },
        nanoseconds));
    chart.series.push_back(seriesOf(
        values, tr("transfer"), 1, theme, Predicted, [](const ScalingRow &row) { return row.ringTransferNs; },
        nanoseconds));
    chart.empty = tr("The machine's latency is not known.");
    return chart;
}

/// N across, what is counted and computed down.
double layTable(SheetWriter &writer, const ScalingValues &values, const QRectF &area, double top)
{
    const struct {
        QString name;
        QString (*cell)(const ScalingValues &, const ScalingRow &);
        bool head = false;
    } lines[] = {
        {tr("ranks N"), [](const ScalingValues &, const ScalingRow &row) { return QString::number(row.ranks); }, true},
        {tr("one rank sends, in S"),
         [](const ScalingValues &v, const ScalingRow &row) {
             return QString::number(static_cast<double>(row.ringBytes) / static_cast<double>(v.payloadBytes), 'f', 3);
         }},
        {tr("one rank sends"),
         [](const ScalingValues &, const ScalingRow &row) { return formatBytes(ringBytes(row)); }},
        {tr("all ranks send"),
         [](const ScalingValues &, const ScalingRow &row) { return formatBytes(summedBytes(row)); }},
        {tr("cheapest protocol"),
         [](const ScalingValues &, const ScalingRow &row) {
             return row.link.protocol.empty() ? undefinedText() : QString::fromStdString(row.link.protocol);
         }},
        {tr("its alpha, bandwidth"),
         [](const ScalingValues &, const ScalingRow &row) {
             return QStringLiteral("%1, %2").arg(formatDuration(row.link.alphaSeconds * 1e9),
                                                 formatGBs(row.link.busbwGBs));
         }},
        {tr("latency of a ring: hops \u00b7 alpha"),
         [](const ScalingValues &, const ScalingRow &row) {
             return counted(row.ringHops, tr("%1 hop, %2|%1 hops, %2")).arg(formatDuration(row.ringLatencyNs));
         }},
        {tr("latency of a tree: hops \u00b7 alpha"),
         [](const ScalingValues &, const ScalingRow &row) {
             return counted(row.treeHops, tr("%1 hop, %2|%1 hops, %2")).arg(formatDuration(row.treeLatencyNs));
         }},
    };
    const double names = kNames * area.width();
    const double width = (area.width() - names) / static_cast<double>(values.rows.size());
    double y = top;
    for (const auto &[name, cell, head] : lines) {
        const double height = writer.px(kRow);
        const SheetWriter::Letters letters{13, head ? 600 : 400, head ? writer.theme().text2 : writer.theme().text};
        writer.text({area.left(), y, names - writer.px(8), height}, name, {13, 600, writer.theme().text2});
        for (std::size_t i = 0; i < values.rows.size(); ++i)
            writer.text({area.left() + names + width * static_cast<double>(i), y, width - writer.px(4), height},
                        cell(values, values.rows[i]), letters, Qt::AlignRight | Qt::AlignVCenter);
        y += height;
        writer.rule({area.left(), y}, {area.right(), y}, head ? writer.theme().border : writer.theme().grid);
    }
    return y - top;
}

/// "6.6 us (LL), 14 us (LL128)": of the protocols in the table.
QString callCosts(const ScalingValues &values)
{
    QStringList costs;
    for (const ScalingRow &row : values.rows) {
        if (row.link.baseSeconds <= 0)
            continue;
        const QString protocol = QString::fromStdString(row.link.protocol);
        QString cost = formatDuration(row.link.baseSeconds * 1e9);
        if (!protocol.isEmpty())
            cost += QStringLiteral(" (%1)").arg(protocol);
        if (!costs.contains(cost))
            costs << cost;
    }
    return costs.join(QStringLiteral(", "));
}

/// What the popular sentence is right about, and what it is not.
QString meaning(const ScalingValues &values)
{
    const auto node = std::ranges::find(values.rows, true, &ScalingRow::beyondNode);
    QStringList words{tr("\u201cAn all-reduce scales as O(N)\u201d is true of the bytes summed over ranks and of a "
                         "ring's latency. It is not true of what a link carries: that stays below 2 S. What hurts as "
                         "N grows is compute that shrinks beside it, thinner matrices, and leaving the node.")};
    if (const QString bases = callCosts(values); !bases.isEmpty())
        words << tr("Each call costs %1 on top.").arg(bases);
    if (values.hardware.transport == Transport::Nccl)
        words << tr("Inside a node NCCL's tree is a chain with a ring's hops (its tuning.cc): log2 N pays between "
                    "nodes.");
    if (node != values.rows.end())
        words << tr("A node of this preset has %1 ranks; beyond, its alpha and bandwidth are extrapolated.")
                     .arg(values.hardware.devices);
    const auto observed =
        std::ranges::count_if(values.rows, [](const ScalingRow &row) { return row.observedBytes > 0; });
    const auto same = std::ranges::count_if(
        values.rows, [](const ScalingRow &row) { return row.observedBytes > 0 && row.observedBytes == row.ringBytes; });
    if (observed > 0) {
        const auto row =
            std::ranges::find_if(values.rows, [](const ScalingRow &each) { return each.measured != nullptr; });
        words << tr("Dots: %1; %2 of %3 as counted.").arg(measuredWords(*row->measured)).arg(same).arg(observed);
    }
    return words.join(QLatin1Char(' '));
}

double layOut(SheetWriter &writer, const ScalingValues &values, const QRectF &area, double rest)
{
    double y = pageHeading(writer, area, scalingFinding(values), scalingSetting(values)) + writer.px(10);
    const double height = writer.px(kLowestChart + rest);
    const double gap = writer.px(24);
    const double width = (area.width() - gap) / 2;
    layLineChart(writer, bytesChart(values, writer.theme()), {area.left(), y, width, height});
    layLineChart(writer, latencyChart(values, writer.theme()), {area.left() + width + gap, y, width, height});
    y += height + writer.px(8);
    y += layTable(writer, values, area, y) + writer.px(8);
    const SheetWriter::Letters words{13, 400, {}};
    const QString text = meaning(values);
    const double lines = writer.heightOf(text, words, area.width()) + 1;
    y += writer.paragraph({area.left(), y, area.width(), lines}, text, words);
    return y - area.top();
}

} // namespace

Sheet scalingSheet(const ScalingValues &values, const QRectF &area, const Theme &theme, double unit)
{
    return fittedSheet(theme, area, kLeast, unit,
                       [&](SheetWriter &writer, double rest) { return layOut(writer, values, area, rest); });
}

PagePicture scalingPicture(const ScalingValues &values)
{
    return pictureOf(values, scalingSheet, scalingFinding(values), scalingProvenance(values), kLeast);
}

} // namespace shardscope

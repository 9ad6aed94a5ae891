// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/record/format.h"
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/phases_parts.h"
#include "ui/pages/points_provenance.h"
#include "ui/run_words.h"
#include "ui/translation.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr double kNames = 0.2;  ///< of the width
constexpr double kBytes = 0.42; ///< where the second chart begins is kNames + kBytes
constexpr double kGap = 26;     ///< between the charts, design pixels
constexpr double kWords = 150;  ///< room for the number behind a bar
constexpr double kBarShare = 0.62;
constexpr double kFoot = 0.3; ///< decades left of the shortest logarithmic bar

/// Passes in the order of a step; what each is drawn with.
constexpr Pass kPasses[] = {Pass::Forward, Pass::Recompute, Pass::Backward};

QString passTitle(Pass pass)
{
    return pass == Pass::Forward ? tr("forward") : pass == Pass::Recompute ? tr("recomputation") : tr("backward");
}

class PhasesCharts
{
public:
    PhasesCharts(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double row)
        : m_writer(writer), m_values(values), m_area(area), m_row(row)
    {
        const double middle = area.left() + (kNames + kBytes) * area.width();
        m_bytes = QRectF(QPointF(area.left() + kNames * area.width(), 0), QPointF(middle - px(kGap) / 2, 1));
        m_times = QRectF(QPointF(middle + px(kGap) / 2, 0), QPointF(area.right(), 1));
        for (const PhaseRow &row_ : values.rows) {
            m_mostBytes = std::max(m_mostBytes, static_cast<double>(row_.sums().sentBytesPerRank));
            if (const auto time = row_.communicationPerToken(); time && *time > 0) {
                m_mostTime = std::max(m_mostTime, *time);
                m_leastTime = m_leastTime > 0 ? std::min(m_leastTime, *time) : *time;
            }
        }
    }

    double lay(double top)
    {
        const double line = px(20);
        const SheetWriter::Letters title{14, 600, {}};
        m_writer.text({m_bytes.left(), top, m_bytes.width(), line}, tr("Bytes: sent per rank in a step"), title);
        m_writer.text({m_times.left(), top, m_times.width(), line},
                      tr("Time: in communication for one token (log scale)"), title);
        double y = layLegend(top + line) + px(2);
        for (const PhaseRow &row : m_values.rows) {
            layRow(row, y);
            y += px(m_row);
        }
        return y;
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    [[nodiscard]] QColor colourOf(Phase phase, Pass pass) const
    {
        const QColor colour = theme().phase(phase);
        return pass == Pass::Backward ? mixed(colour, theme().text, 0.45) : colour;
    }

    void passBox(const QRectF &rect, Phase phase, Pass pass)
    {
        Sheet::Box box{.rect = rect, .fill = colourOf(phase, pass)};
        if (pass == Pass::Recompute) {
            box.hatch = Hatch::Diagonal;
            box.hatchColour = theme().surface;
            box.spacing = px(6);
        }
        m_writer.box(box);
    }

    double layLegend(double top)
    {
        const double height = px(17);
        const SheetWriter::Letters letters{12, 400, theme().text2};
        double x = m_bytes.left();
        for (const Pass pass : kPasses) {
            const bool shown = std::ranges::any_of(m_values.rows, [&](const PhaseRow &row) {
                return row.point.experiment.phase == Phase::Training && sent(row, pass) > 0;
            });
            if (!shown)
                continue;
            passBox({x, top + px(3), px(16), px(11)}, Phase::Training, pass);
            x += px(21);
            x += m_writer.text({x, top, m_bytes.right() - x, height}, passTitle(pass), letters) + px(14);
        }
        m_writer.text({m_times.left(), top, m_times.width(), height}, origins(), letters);
        return top + height;
    }

    /// "filled: measured here, hollow: predicted for 8 x H100 SXM 80 GB".
    [[nodiscard]] QString origins() const
    {
        const auto solid = std::ranges::find(m_values.rows, false, &PhaseRow::predicted);
        const auto hollow = std::ranges::find(m_values.rows, true, &PhaseRow::predicted);
        if (hollow == m_values.rows.end())
            return measuredWords(*solid->run);
        const QString predicted = tr("hollow: %1").arg(pointSource(*hollow->run));
        if (solid == m_values.rows.end())
            return predicted;
        const bool recorded = solid->run->source == Source::Recorded;
        return tr("filled: %1, %2").arg(recorded ? tr("recorded") : measuredWhere(*solid->run), predicted);
    }

    static std::int64_t sent(const PhaseRow &row, Pass pass)
    {
        return row.summary.passes[static_cast<std::size_t>(pass)].sentBytesPerRank;
    }

    void layRow(const PhaseRow &row, double top)
    {
        const double bar = px(m_row * kBarShare);
        const double y = top + (px(m_row) - bar) / 2;
        m_writer.text({m_area.left(), top, m_bytes.left() - m_area.left() - px(10), px(m_row)}, row.point.title,
                      {13, 500, {}}, Qt::AlignRight | Qt::AlignVCenter);
        layBytes(row, y, bar);
        layTime(row, y, bar);
        for (const QRectF &chart : {m_bytes, m_times})
            m_writer.rule({chart.left(), top}, {chart.left(), top + px(m_row)}, theme().text3);
    }

    void layBytes(const PhaseRow &row, double top, double height)
    {
        const double room = m_bytes.width() - px(kWords);
        double x = m_bytes.left();
        for (const Pass pass : kPasses) {
            const double width = m_mostBytes > 0 ? room * static_cast<double>(sent(row, pass)) / m_mostBytes : 0;
            if (width > 0)
                passBox({x, top, width, height}, row.point.experiment.phase, pass);
            x += width;
        }
        const std::optional<double> ratio = row.toPrefill;
        const QString bytes = formatBytes(static_cast<double>(row.sums().sentBytesPerRank));
        const QString times =
            ratio ? QString::fromStdString(formatRatio(*ratio)) + QChar(0x00d7) + QLatin1Char(' ') : QString();
        x += px(6);
        x += m_writer.text({x, top, m_bytes.right() - x, height}, times, {14, 700, {}}) + (ratio ? px(5) : 0);
        m_writer.text({x, top, m_bytes.right() - x, height},
                      row.ratioPredicted ? tr("(predicted) %1").arg(bytes) : bytes, {12, 400, theme().text2});
        m_writer.spot({m_bytes.left(), top, m_bytes.width(), height},
                      row.point.title + QStringLiteral(": ") + formatExactBytes(row.sums().sentBytesPerRank) +
                          tr(" per rank and step"));
    }

    [[nodiscard]] double timeWidth(double time) const
    {
        const double room = m_times.width() - px(kWords);
        const double decades = std::log10(m_mostTime / m_leastTime) + kFoot;
        return room * (std::log10(time / m_leastTime) + kFoot) / decades;
    }

    void layTime(const PhaseRow &row, double top, double height)
    {
        const std::optional<double> time = row.communicationPerToken();
        double x = m_times.left();
        if (time && *time > 0) {
            const BarPaint paint = barPaint(theme().phase(row.point.experiment.phase), theme().surface,
                                            row.predicted() ? BarOrigin::Predicted : BarOrigin::Measured);
            const double width = timeWidth(*time);
            m_writer.box({.rect = {x, top, width, height},
                          .fill = paint.fill,
                          .outline = paint.outline,
                          .line = std::max(1.0, px(1.6))});
            x += width;
        }
        x += px(6);
        x += m_writer.text({x, top, m_times.right() - x, height},
                           time && *time > 0 ? formatDuration(time)
                           : time            ? tr("none")
                                             : undefinedText(),
                           {14, 700, {}}) +
             px(8);
        if (row.share() && time && *time > 0)
            m_writer.text({x, top, m_times.right() - x, height}, tr("%1 of step").arg(formatShare(*row.share())),
                          {12, 400, theme().text2});
        m_writer.spot({m_times.left(), top, m_times.width(), height}, row.point.title + QStringLiteral(": ") +
                                                                          formatDuration(time) + tr(" a token, ") +
                                                                          pointSource(*row.run));
    }

    SheetWriter &m_writer;
    const PhasesValues &m_values;
    QRectF m_area;
    double m_row;
    QRectF m_bytes; ///< left and right of the charts
    QRectF m_times;
    double m_mostBytes = 0;
    double m_mostTime = 0;
    double m_leastTime = 0;
};

} // namespace

double layPhasesCharts(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double top, double row)
{
    return PhasesCharts(writer, values, area, row).lay(top);
}

double layPhasesReasons(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double top)
{
    const SheetWriter::Letters letters{13, 400, {}};
    double y = top;
    const auto paragraph = [&](const QString &lead, const QString &words) {
        if (words.isEmpty())
            return;
        const QString all = lead + QStringLiteral("  ") + words;
        const int bold = static_cast<int>(lead.size());
        const double height = writer.heightOf(all, letters, area.width(), bold) + 1;
        writer.paragraph({area.left(), y, area.width(), height}, all, letters, bold);
        y += height + writer.px(4);
    };
    for (const PhaseReason &reason : values.reasons)
        paragraph(tr("Bytes %1").arg(reason.ratio), reason.words);
    paragraph(tr("Decode"), values.perToken);
    paragraph(tr("Bubble"), values.bubble);
    return y;
}

} // namespace shardscope

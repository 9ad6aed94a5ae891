// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/number_format.h"
#include "ui/pages/phases_parts.h"
#include "ui/pages/points_provenance.h"
#include "ui/run_words.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr double kNameShare = 0.2; ///< of the width, for the points' names
constexpr double kTokens = 0.075;
constexpr double kHead = 36; ///< two lines, design pixels

struct Column {
    QString title;
    QString cell; ///< of one row
    bool time = false;
};

std::vector<Column> columnsOf(const PhaseRow &row)
{
    const PassSummary &sums = row.sums();
    return {{tr("collectives\na step"), QString::number(sums.collectives)},
            {tr("payload\na step"), formatBytes(static_cast<double>(sums.payloadBytes))},
            {tr("sent per rank\na step"), formatBytes(static_cast<double>(sums.sentBytesPerRank))},
            {tr("sent per rank\na token"), formatBytes(row.bytesPerToken())},
            {tr("communication\na step"), formatDuration(sums.communicationNs), true},
            {tr("communication\na token"), formatDuration(row.communicationPerToken()), true},
            {tr("whole step\na token"), formatDuration(row.stepPerToken()), true},
            {tr("communication\nof the step"), row.share() ? formatShare(*row.share()) : undefinedText(), true}};
}

class PhasesTable
{
public:
    PhasesTable(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double row)
        : m_writer(writer), m_values(values), m_area(area), m_row(row)
    {
    }

    double lay(double top)
    {
        layHead(top);
        double y = top + m_writer.px(kHead);
        for (const PhaseRow &row : m_values.rows)
            y = layRow(row, y);
        m_writer.rule({m_area.left(), y}, {m_area.right(), y}, theme().border);
        return layFoot(y + m_writer.px(3));
    }

private:
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }
    [[nodiscard]] QRectF column(std::size_t index, std::size_t count, double top, double height) const
    {
        const double left = m_area.left() + (kNameShare + kTokens) * m_area.width();
        const double width = (m_area.right() - left) / static_cast<double>(count);
        return {left + width * static_cast<double>(index), top, width - m_writer.px(6), height};
    }
    [[nodiscard]] QRectF tokensColumn(double top, double height) const
    {
        return {m_area.left() + kNameShare * m_area.width(), top, kTokens * m_area.width() - m_writer.px(6), height};
    }

    void head(const QRectF &place, const QString &words)
    {
        const SheetWriter::Letters letters{11.5, 600, theme().text2};
        const QStringList lines = words.split(QLatin1Char('\n'));
        const double line = place.height() / 2;
        for (qsizetype i = 0; i < lines.size(); ++i)
            m_writer.text({place.left(), place.top() + line * static_cast<double>(i), place.width(), line}, lines[i],
                          letters, Qt::AlignRight | Qt::AlignVCenter);
    }

    void layHead(double top)
    {
        const double height = m_writer.px(kHead - 4);
        head(tokensColumn(top, height), tr("tokens\na step"));
        const std::vector<Column> columns = columnsOf(m_values.rows.front());
        for (std::size_t i = 0; i < columns.size(); ++i)
            head(column(i, columns.size(), top, height), columns[i].title);
    }

    double layRow(const PhaseRow &row, double top)
    {
        const double height = m_writer.px(m_row);
        m_writer.rule({m_area.left(), top}, {m_area.right(), top}, theme().grid);
        const double side = m_writer.px(11);
        phaseDot(m_writer, {m_area.left() + m_writer.px(2), top + (height - side) / 2, side, side}, row.predicted());
        const QRectF name(m_area.left() + m_writer.px(20), top, kNameShare * m_area.width() - m_writer.px(26), height);
        const bool variant = row.point.title.startsWith(QLatin1Char('+'));
        m_writer.text(name, row.point.title, {14, variant ? 500 : 600, {}});
        const auto right = Qt::AlignRight | Qt::AlignVCenter;
        m_writer.text(tokensColumn(top, height), formatGrouped(row.point.experiment.globalTokens()),
                      {13.5, 400, theme().text2}, right);
        const std::vector<Column> columns = columnsOf(row);
        QStringList details{row.point.title + QStringLiteral(": ") + pointSource(*row.run)};
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const bool faint = columns[i].time && row.predicted();
            m_writer.text(column(i, columns.size(), top, height), columns[i].cell,
                          {13.5, 500, faint ? theme().text2 : theme().text}, right);
            details << QString(columns[i].title).replace(QLatin1Char('\n'), QLatin1Char(' ')) + QStringLiteral(": ") +
                           columns[i].cell;
        }
        m_writer.spot({m_area.left(), top, m_area.width(), height}, details.join(QLatin1Char('\n')));
        return top + height;
    }

    double layFoot(double top)
    {
        const bool predicted = std::ranges::any_of(m_values.rows, &PhaseRow::predicted);
        const bool measured = !std::ranges::all_of(m_values.rows, &PhaseRow::predicted);
        const double height = m_writer.px(18);
        const SheetWriter::Letters letters{12, 400, theme().text2};
        double x = m_area.left() + m_writer.px(2);
        const auto entry = [&](bool hollow, const QString &words) {
            const double side = m_writer.px(10);
            phaseDot(m_writer, {x, top + (height - side) / 2, side, side}, hollow);
            x += side + m_writer.px(6);
            x += m_writer.text({x, top, m_area.right() - x, height}, words, letters) + m_writer.px(18);
        };
        for (const bool hollow : {false, true}) {
            if (hollow ? !predicted : !measured)
                continue;
            const auto row = std::ranges::find(m_values.rows, hollow, &PhaseRow::predicted);
            const QString beyond = nodeNote(*row->run);
            const QString origin = pointSource(*row->run) + (beyond.isEmpty() ? QString() : tr(" (%1)").arg(beyond));
            entry(hollow,
                  hollow ? tr("times %1; counts and bytes by the plan").arg(origin)
                         : tr("%1; times are medians, communication includes waiting").arg(measuredWords(*row->run)));
        }
        if (!m_values.optimizer.isEmpty())
            m_writer.text({x, top, m_area.right() - x, height}, m_values.optimizer, letters);
        return top + height;
    }

    SheetWriter &m_writer;
    const PhasesValues &m_values;
    QRectF m_area;
    double m_row;
};

} // namespace

void phaseDot(SheetWriter &writer, const QRectF &place, bool predicted)
{
    const Theme &theme = writer.theme();
    Sheet::Box dot;
    dot.rect = place;
    dot.radius = place.width() / 2;
    dot.fill = predicted ? QColor() : theme.ok;
    dot.outline = predicted ? theme.text3 : QColor();
    dot.line = std::max(1.0, writer.px(1.8));
    writer.box(dot);
}

double layPhasesTable(SheetWriter &writer, const PhasesValues &values, const QRectF &area, double top, double row)
{
    return PhasesTable(writer, values, area, row).lay(top);
}

} // namespace shardscope

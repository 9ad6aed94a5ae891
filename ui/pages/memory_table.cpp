// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/text.h"
#include "ui/pages/memory_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

namespace shardscope {

namespace {

constexpr double kHead = 21; ///< design pixels
constexpr double kSwatch = 22;
constexpr double kName = 268;
constexpr double kNumber = 84;
constexpr double kState = 104;
constexpr double kSource = 26;
constexpr double kGap = 10;
constexpr double kRoomyWidth = 1230; ///< from here on every column has room

class TableLayout
{
public:
    TableLayout(SheetWriter &writer, const MemoryTable &table, const QRectF &area, double row)
        : m_writer(writer), m_table(table), m_area(area), m_row(row), m_roomy(area.width() >= writer.px(kRoomyWidth))
    {
    }

    double lay(double top)
    {
        double y = layHead(top);
        for (const MemoryRow &row : m_table.rows)
            y = layRow(row, y);
        return layWords(y + px(7));
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    /// One line's cells from left to right.
    struct Cells {
        QString name, parameters;
        std::array<QString, 3> states;
        QString training, inference, formula, source;
    };

    void layCells(const Cells &cells, double y, double height, const SheetWriter::Letters &names,
                  const SheetWriter::Letters &numbers, const SheetWriter::Letters &formulas)
    {
        double x = m_area.left() + px(kSwatch);
        const auto cell = [&](const QString &words, double width, const SheetWriter::Letters &letters, bool right) {
            const QRectF rect(x, y, px(width), height);
            m_writer.text(right ? rect.adjusted(px(6), 0, 0, 0) : rect.adjusted(0, 0, -px(4), 0), words, letters,
                          (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            x += px(width);
        };
        cell(cells.name, kName, names, false);
        if (m_roomy) {
            cell(cells.parameters, kNumber - 14, formulas, true);
            for (const QString &state : cells.states)
                cell(state, kState, formulas, true);
        }
        cell(cells.training, kNumber, numbers, true);
        cell(cells.inference, kNumber, numbers, true);
        x += px(2 * kGap);
        const double rest = (m_area.right() - x) / m_writer.px(1) - kSource;
        cell(cells.formula, rest, formulas, false);
        cell(cells.source, kSource, formulas, true);
    }

    double layHead(double top)
    {
        const SheetWriter::Letters letters{12, 600, theme().text2};
        Cells cells;
        cells.name = tr("what lies on one GPU");
        cells.parameters = tr("parameters");
        cells.states = m_table.stateTitles;
        cells.training = tr("training");
        cells.inference = tr("inference");
        cells.formula = tr("parameters, or bytes, by formula");
        layCells(cells, top, px(kHead), letters, letters, letters);
        m_writer.rule({m_area.left(), top + px(kHead)}, {m_area.right(), top + px(kHead)}, theme().border);
        return top + px(kHead + 2);
    }

    double layRow(const MemoryRow &row, double top)
    {
        const bool sum = row.kind == MemoryRow::Kind::States || row.kind == MemoryRow::Kind::Total;
        const bool aside = row.kind == MemoryRow::Kind::DividedByTp;
        const QRectF whole(m_area.left(), top, m_area.width(), px(m_row));
        if (sum)
            m_writer.box({.rect = whole, .fill = theme().surface2});
        const QRectF swatch(whole.left() + px(3), whole.center().y() - px(5), px(13), px(10));
        if (row.load || row.kind == MemoryRow::Kind::Part)
            memorySwatch(m_writer, swatch, row.load, row.part);
        const QString source = row.source > 0 ? QStringLiteral("[%1]").arg(row.source) : QString();
        const Cells cells{row.name, row.parameters, row.states, row.training, row.inference, row.formula, source};
        const QColor quiet = theme().text2;
        const SheetWriter::Letters names{12.5, sum ? 600 : 400, aside ? quiet : QColor()};
        const SheetWriter::Letters numbers{12.5, sum ? 700 : 500, aside ? quiet : QColor()};
        layCells(cells, top, px(m_row), names, numbers, {12, 400, quiet});
        m_writer.spot(whole, detailsOf(row));
        return top + px(m_row);
    }

    [[nodiscard]] QString detailsOf(const MemoryRow &row) const
    {
        QStringList lines{row.name};
        if (!row.training.isEmpty())
            lines << tr("training: %1").arg(row.training);
        if (!row.inference.isEmpty())
            lines << tr("inference: %1").arg(row.inference);
        if (!row.formula.isEmpty())
            lines << row.formula;
        if (row.source > 0)
            lines << m_table.sources[static_cast<std::size_t>(row.source) - 1];
        return lines.join(QLatin1Char('\n'));
    }

    double layWords(double top)
    {
        double y = top;
        const auto line = [&](const QString &words, const QColor &colour) {
            const SheetWriter::Letters letters{11.5, 400, colour};
            const double height = m_writer.heightOf(words, letters, m_area.width()) + 1;
            y += m_writer.paragraph({m_area.left(), y, m_area.width(), height}, words, letters) + px(2);
        };
        for (const QString &note : m_table.notes)
            line(note, theme().text2);
        for (std::size_t i = 0; i < m_table.sources.size(); ++i)
            line(QStringLiteral("[%1] %2").arg(i + 1).arg(m_table.sources[i]), theme().text2);
        line(sentence({TextId::MemorySymbols, {}}), theme().text3);
        return y;
    }

    SheetWriter &m_writer;
    const MemoryTable &m_table;
    QRectF m_area;
    double m_row; ///< height, design pixels
    bool m_roomy; ///< else the three states stand in the bars alone
};

} // namespace

double layMemoryTable(SheetWriter &writer, const MemoryTable &table, const QRectF &area, double top, double row)
{
    return TableLayout(writer, table, area, row).lay(top);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/advice_parts.h"

#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kReasonsShare = 0.56; ///< of the width; the rest is for other machines
constexpr double kGap = 24;            ///< between columns, design pixels

class Reasons
{
public:
    Reasons(SheetWriter &writer, const AdviceValues &values, const QRectF &area)
        : m_writer(writer), m_values(values), m_area(area)
    {
    }

    double lay(double top)
    {
        const double left = m_area.width() * kReasonsShare;
        const QRectF reasons(m_area.left(), top, left, 0);
        const QRectF others(m_area.left() + left + px(kGap), top, m_area.width() - left - px(kGap), 0);
        const double y = std::max(layFindings(reasons), layElsewhere(others));
        return layRules(y + px(8));
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    double caption(const QRectF &column, double y, const QString &words)
    {
        m_writer.text({column.left(), y, column.width(), px(20)}, words, {14, 600, {}});
        return y + px(22);
    }

    double layFindings(const QRectF &column)
    {
        double y = caption(column, column.top(), tr("Why"));
        const SheetWriter::Letters letters{12.5, 400, {}};
        for (const AdviceValues::Finding &finding : m_values.findings) {
            const QString words = QStringLiteral("%1 [%2]").arg(finding.words).arg(finding.rule);
            const double height = m_writer.heightOf(words, letters, column.width()) + 1;
            m_writer.paragraph({column.left(), y, column.width(), height}, words, letters);
            y += height + px(4);
        }
        return y;
    }

    double layElsewhere(const QRectF &column)
    {
        double y = caption(column, column.top(), tr("The same question on other machines"));
        const double time = px(96);
        for (const AdviceElsewhere &other : m_values.elsewhere) {
            m_writer.text({column.left(), y, column.width(), px(17)}, other.machine, {12, 400, theme().text2});
            y += px(16);
            const QRectF line(column.left(), y, column.width(), px(19));
            if (other.layout.isEmpty())
                m_writer.text(line, other.instead, {13, 600, {}});
            else
                m_writer.text(line.adjusted(0, 0, -time, 0), other.layout, {13, 600, {}});
            m_writer.text({line.right() - time, y, time, px(19)}, other.time, {13, 400, {}},
                          Qt::AlignRight | Qt::AlignVCenter);
            y += px(22);
            m_writer.rule({column.left(), y - px(2)}, {column.right(), y - px(2)}, theme().grid);
        }
        return y;
    }

    /// In two columns, balanced by height.
    double layRules(double top)
    {
        const double width = (m_area.width() - px(kGap)) / 2;
        const SheetWriter::Letters letters{11, 400, theme().text2};
        std::vector<QString> words;
        std::vector<double> heights;
        double all = 0;
        for (std::size_t i = 0; i < m_values.rules.size(); ++i) {
            const AdviceValues::Rule &rule = m_values.rules[i];
            words.push_back(tr("[%1] %2. From: %3").arg(i + 1).arg(rule.words, rule.source));
            heights.push_back(m_writer.heightOf(words.back(), letters, width) + px(3));
            all += heights.back();
        }
        m_writer.rule({m_area.left(), top}, {m_area.right(), top}, theme().border);
        const double first = top + px(5);
        double y = first;
        double x = m_area.left();
        double lowest = y;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (x == m_area.left() && y + heights[i] / 2 > first + all / 2) {
                x += width + px(kGap);
                y = first;
            }
            m_writer.paragraph({x, y, width, heights[i]}, words[i], letters);
            y += heights[i];
            lowest = std::max(lowest, y);
        }
        return lowest;
    }

    SheetWriter &m_writer;
    const AdviceValues &m_values;
    QRectF m_area;
};

} // namespace

double layAdviceReasons(SheetWriter &writer, const AdviceValues &values, const QRectF &area, double top)
{
    return Reasons(writer, values, area).lay(top);
}

} // namespace shardscope

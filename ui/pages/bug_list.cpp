// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/bug_parts.h"
#include "ui/panels/scheme_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr double kHead = 24; ///< design pixels
constexpr double kRow = 46;  ///< at least
constexpr double kHighestRow = 56;
constexpr double kSign = 26;
constexpr double kNumbersShare = 0.42; ///< of the width

class List
{
public:
    List(SheetWriter &writer, const BugLabValues &values, const QRectF &room)
        : m_writer(writer), m_values(values), m_room(room), m_numbers(room.width() * kNumbersShare), m_row(rowHeight())
    {
    }

    double lay()
    {
        double y = layHead(m_room.top());
        for (std::size_t i = 0; i < m_values.cases.size(); ++i)
            y = layRow(m_values.cases[i], i == m_values.chosen, y);
        return y;
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    /// As high as the room allows, within limits.
    [[nodiscard]] double rowHeight() const
    {
        const double share = (m_room.height() - px(kHead + 2)) / static_cast<double>(m_values.cases.size()) - px(1);
        return std::clamp(share, px(kRow), px(kHighestRow));
    }

    double layHead(double top)
    {
        const QRectF line(m_room.left(), top, m_room.width(), px(kHead));
        const SheetWriter::Letters letters{12.5, 600, theme().text2};
        const double ink = m_writer.text(line.adjusted(0, 0, -m_numbers, 0), tr("what people do"), letters);
        m_writer.text(line.adjusted(ink + px(10), 0, -px(8), 0), tr("relative error: measured, expected"), letters,
                      Qt::AlignRight | Qt::AlignVCenter);
        m_writer.rule(line.bottomLeft(), line.bottomRight(), theme().border);
        return line.bottom() + px(2);
    }

    double layRow(const BugCase &bug, bool chosen, double top)
    {
        const QRectF whole(m_room.left(), top, m_room.width(), m_row);
        if (chosen)
            m_writer.box({.rect = whole,
                          .fill = theme().surface2,
                          .outline = theme().accent,
                          .line = std::max(1.0, px(1.6)),
                          .radius = px(4)});
        laySign(bug, whole);
        const QRectF words = whole.adjusted(px(kSign + 6), (m_row - px(38)) / 2, -m_numbers, 0);
        const QRectF first(words.left(), words.top(), words.width(), px(20));
        m_writer.text(first, schemeTitle(bug.scheme()), {14, 600, {}});
        const QRectF second(first.left(), first.bottom(), whole.right() - first.left() - px(8), px(18));
        const double expected = layExpected(bug, second);
        m_writer.text(second.adjusted(0, 0, -expected - px(8), 0), bugHabit(bug.scheme()), {12, 400, theme().text2});
        layMeasured(bug, {whole.right() - m_numbers, first.top(), m_numbers - px(8), first.height()});
        m_writer.spot(whole, detailsOf(bug));
        if (!chosen)
            m_writer.rule({whole.left(), whole.bottom()}, {whole.right(), whole.bottom()}, theme().grid);
        return whole.bottom() + px(1);
    }

    void laySign(const BugCase &bug, const QRectF &row)
    {
        const bool wrong = bug.run && !bug.wrongResults().empty();
        const double side = px(16);
        const QRectF sign(row.left() + px(8), row.center().y() - side / 2, side, side);
        if (bug.run)
            m_writer.mark(wrong ? SheetMark::Cross : SheetMark::Tick, sign, wrong ? theme().error : theme().ok);
        else
            m_writer.mark(SheetMark::Dash, sign, theme().text3);
    }

    void layMeasured(const BugCase &bug, const QRectF &line)
    {
        const auto right = Qt::AlignRight | Qt::AlignVCenter;
        if (!bug.run) {
            m_writer.text(line, tr("not run"), {13, 400, theme().text3}, right);
            return;
        }
        const std::vector<BugResult> wrong = bug.wrongResults();
        const QString all = errorsWords(wrong, false);
        const SheetWriter::Letters letters{13.5, 700, theme().error};
        if (wrong.empty())
            m_writer.text(line, tr("did not show"), {13, 500, theme().ok}, right);
        else if (m_writer.widthOf(all, letters) <= line.width())
            m_writer.text(line, all, letters, right);
        else
            m_writer.text(line, summed(wrong), letters, right);
    }

    /// "7 results, up to 1.1".
    [[nodiscard]] static QString summed(const std::vector<BugResult> &wrong)
    {
        double most = 0;
        for (const BugResult &result : wrong)
            most = std::max(most, result.error.value_or(0));
        return counted(std::ssize(wrong), tr("%1 result, up to %2|%1 results, up to %2")).arg(errorWords(most));
    }

    /// Right-aligned in the line; its width is returned.
    double layExpected(const BugCase &bug, const QRectF &line)
    {
        const QString expected = errorsWords(bug.results, true);
        return m_writer.text(line, expected.isEmpty() ? tr("no formula") : expected, {12, 400, theme().text2},
                             Qt::AlignRight | Qt::AlignVCenter);
    }

    [[nodiscard]] static QString detailsOf(const BugCase &bug)
    {
        QStringList lines{schemeTitle(bug.scheme()), bugHabit(bug.scheme())};
        for (const Mistake &mistake : bug.mistakes)
            lines << sentence(mistake.rule);
        if (bug.run)
            lines << tr("measured relative errors: %1").arg(errorsWords(bug.wrongResults(), false));
        if (const QString expected = errorsWords(bug.results, true); !expected.isEmpty())
            lines << tr("expected: %1").arg(expected);
        if (!bug.refusal.isEmpty())
            lines << bug.refusal;
        return lines.join(QLatin1Char('\n'));
    }

    SheetWriter &m_writer;
    const BugLabValues &m_values;
    QRectF m_room;
    double m_numbers;
    double m_row;
};

} // namespace

double layBugList(SheetWriter &writer, const BugLabValues &values, const QRectF &room)
{
    return List(writer, values, room).lay();
}

} // namespace shardscope

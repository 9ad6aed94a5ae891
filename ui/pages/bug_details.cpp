// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/pages/bug_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr double kCaption = 22; ///< design pixels
constexpr double kIndent = 24;
constexpr double kBar = 20;
constexpr double kName = 62;
constexpr double kNumbers = 250;
constexpr std::size_t kMostBars = 7;
constexpr double kScaleEnd = 1.1; ///< of the largest error

double paragraphIn(SheetWriter &writer, const QRectF &room, const QString &words, const SheetWriter::Letters &letters,
                   int boldLead = 0)
{
    const double height = writer.heightOf(words, letters, room.width(), boldLead) + 1;
    return room.top() + writer.paragraph({room.left(), room.top(), room.width(), height}, words, letters, boldLead);
}

/// "step 3, AR Y".
QString placesOf(const Plan &plan, const Mistake &mistake)
{
    QStringList places;
    for (const int id : mistake.steps)
        places << tr("%1, %2").arg(id + 1).arg(formulaText(plan.steps[static_cast<std::size_t>(id)].label));
    return (places.size() == 1 ? tr("Step %1.") : tr("Steps %1.")).arg(places.join(QStringLiteral("; ")));
}

double layMistake(SheetWriter &writer, const BugCase &shown, const Mistake &mistake, QRectF room)
{
    const Theme &theme = writer.theme();
    const QString lead = placesOf(*shown.plan, mistake);
    const QRectF words = room.adjusted(writer.px(kIndent), 0, 0, 0);
    const double side = writer.px(15);
    writer.mark(SheetMark::Cross, {room.left(), room.top() + writer.px(1), side, side}, theme.error);
    const double first = paragraphIn(writer, words, lead + QLatin1Char(' ') + sentence(mistake.rule), {12.5, 400, {}},
                                     static_cast<int>(lead.size()));
    const double second = mistake.consequence == mistake.rule
                              ? first
                              : paragraphIn(writer, words.adjusted(0, first - words.top() + writer.px(1), 0, 0),
                                            sentence(mistake.consequence), {12.5, 400, theme.text2});
    const QRectF right = words.adjusted(0, second - words.top() + writer.px(3), 0, 0);
    writer.mark(SheetMark::Tick, {room.left(), right.top() + writer.px(1), side, side}, theme.ok);
    return paragraphIn(writer, right, sentence(mistake.remedy), {12.5, 500, theme.ok});
}

/// Bars of the results that are off.
class Errors
{
public:
    Errors(SheetWriter &writer, const BugCase &shown, const QRectF &room)
        : m_writer(writer), m_shown(shown), m_room(room), m_wrong(shown.wrongResults())
    {
        for (const BugResult &result : m_wrong)
            m_most = std::max({m_most, result.error.value_or(0), result.expected.value_or(0)});
    }

    double lay()
    {
        const QRectF line(m_room.left(), m_room.top(), m_room.width(), px(kCaption));
        m_writer.text(line, tr("How far off: |result \u2212 right| / |right|"), {14, 700, {}});
        double y = line.bottom() + px(1);
        const std::size_t bars = std::min(m_wrong.size(), kMostBars);
        for (std::size_t i = 0; i < bars; ++i)
            y = layBar(m_wrong[i], y);
        y = layRest(bars, y);
        return layRatio(y);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    double layBar(const BugResult &result, double top)
    {
        const QRectF row(m_room.left(), top, m_room.width(), px(kBar));
        m_writer.text({row.left(), top, px(kName) - px(6), row.height()}, result.name, {13, 600, {}});
        const double left = row.left() + px(kName);
        const double width = row.width() - px(kName + kNumbers);
        const auto at = [&](double error) { return left + (m_most > 0 ? width * error / (m_most * kScaleEnd) : 0); };
        const double thick = px(12);
        const double y = row.center().y() - thick / 2;
        if (result.error)
            m_writer.box({.rect = {left, y, at(std::max(*result.error, 0.0)) - left, thick}, .fill = theme().error});
        if (result.expected) {
            // Hollow is what is expected, solid what was measured.
            const BarPaint hollow = barPaint(theme().error, theme().surface, BarOrigin::Predicted);
            const QRectF bar(left, y, at(*result.expected) - left, thick);
            if (!result.error)
                m_writer.box({.rect = bar, .fill = hollow.fill, .outline = hollow.outline, .line = px(1.2)});
            m_writer.rule({bar.right(), row.top() + px(1)}, {bar.right(), row.bottom() - px(1)}, theme().text, 2);
        }
        m_writer.text({row.right() - px(kNumbers - 8), top, px(kNumbers - 8), row.height()}, numbersOf(result),
                      {12.5, 400, {}});
        m_writer.spot(row, detailsOf(result));
        return row.bottom();
    }

    [[nodiscard]] static QString numbersOf(const BugResult &result)
    {
        QStringList parts;
        if (result.error)
            parts << errorWords(*result.error);
        if (result.law)
            parts << (result.expected
                          ? tr("expected %1 = %2").arg(lawFormula(*result.law), errorWords(*result.expected))
                          : tr("expected %1").arg(lawFormula(*result.law)));
        return parts.join(QStringLiteral(", "));
    }

    [[nodiscard]] static QString detailsOf(const BugResult &result)
    {
        QStringList lines{result.name + QStringLiteral(": ") + numbersOf(result)};
        if (result.error)
            lines << tr("the check allows %1").arg(QString::number(result.limit, 'e', 1));
        if (result.law)
            lines << lawWords(*result.law);
        return lines.join(QLatin1Char('\n'));
    }

    /// What the bars mean, what passed, and why the errors are what they are.
    double layRest(std::size_t bars, double top)
    {
        QStringList words;
        if (m_wrong.size() > bars)
            words << counted(static_cast<qint64>(m_wrong.size() - bars), tr("%1 more is off.|%1 more are off."));
        if (m_shown.run)
            words << passedWords();
        else
            words << (m_shown.refusal.isEmpty() ? tr("Not run yet: hollow bars are expected.")
                                                : tr("Cannot run: %1.").arg(m_shown.refusal));
        QStringList laws;
        for (const BugResult &result : m_wrong) {
            if (result.law && !laws.contains(lawWords(*result.law)))
                laws << lawWords(*result.law);
        }
        if (!laws.isEmpty())
            words << tr("Lines mark what is expected: %1.").arg(laws.join(QStringLiteral("; ")));
        else
            words << tr("The layer computes another function, so no formula says by how much.");
        return paragraphIn(m_writer, {m_room.left(), top + px(3), m_room.width(), 1}, words.join(QLatin1Char(' ')),
                           {12.5, 400, theme().text2});
    }

    [[nodiscard]] QString passedWords() const
    {
        QStringList names;
        double limit = 0;
        for (const BugResult &result : m_shown.results) {
            limit = std::max(limit, result.limit);
            if (!result.wrong())
                names << result.name;
        }
        const QString allowed = tr("The checks allow %1.").arg(QString::number(limit, 'e', 1));
        QString words = names.isEmpty() ? allowed : tr("%1 Right: %2.").arg(allowed, names.join(QStringLiteral(", ")));
        for (const Text &why : rightAllTheSame(*m_shown.plan))
            words += QLatin1Char(' ') + sentence(why) + QLatin1Char('.');
        return words;
    }

    double layRatio(double top)
    {
        if (!m_shown.ratio)
            return top;
        const QString words = sentence(ratioOfBug(m_shown.experiment, *m_shown.ratio));
        const QString lead = tr("Its traffic:");
        return paragraphIn(m_writer, {m_room.left(), top + px(5), m_room.width(), 1},
                           lead + QLatin1Char(' ') + words + QLatin1Char('.'), {12.5, 400, {}},
                           static_cast<int>(lead.size()));
    }

    SheetWriter &m_writer;
    const BugCase &m_shown;
    QRectF m_room;
    std::vector<BugResult> m_wrong;
    double m_most = 0;
};

} // namespace

double layBugMistakes(SheetWriter &writer, const BugCase &shown, const QRectF &room)
{
    const QRectF line(room.left(), room.top(), room.width(), writer.px(kCaption));
    writer.text(line, shown.mistakes.size() == 1 ? tr("The rule that it breaks") : tr("The rules that it breaks"),
                {14, 700, {}});
    double y = line.bottom() + writer.px(1);
    for (const Mistake &mistake : shown.mistakes)
        y = layMistake(writer, shown, mistake, {room.left(), y, room.width(), 1}) + writer.px(7);
    return y;
}

double layBugErrors(SheetWriter &writer, const BugCase &shown, const QRectF &room)
{
    return Errors(writer, shown, room).lay();
}

} // namespace shardscope

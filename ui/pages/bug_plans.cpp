// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/words.h"
#include "ui/pages/bug_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr double kCaption = 22; ///< design pixels
constexpr double kBox = 23;
constexpr double kGap = 4;
constexpr double kLine = kBox + 5;
constexpr double kLetters = 12;
constexpr double kSign = 14;
constexpr std::size_t kFewSteps = 14; ///< longer plans are shown without biases and sums

bool isSmall(const Step &step)
{
    return step.kind == StepKind::AddBias || step.kind == StepKind::SumRows || step.kind == StepKind::Add ||
           step.kind == StepKind::Scale;
}

/// One plan as a row of its steps, which goes on in the next line.
class Strip
{
public:
    Strip(SheetWriter &writer, const Plan &plan, const QRectF &room)
        : m_writer(writer), m_plan(plan), m_room(room), m_long(plan.steps.size() > kFewSteps)
    {
    }

    double lay(const QString &title, const QColor &colour)
    {
        m_x = m_room.left();
        m_y = layCaption(title, colour) + px(2);
        std::optional<Pass> pass;
        for (const Step &step : m_plan.steps) {
            if (m_long && isSmall(step) && !isBroken(step))
                continue;
            if (pass != step.pass)
                layPass(step.pass);
            pass = step.pass;
            layStep(step);
        }
        return m_y + px(kLine);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    [[nodiscard]] bool isBroken(const Step &step) const
    {
        return std::ranges::any_of(m_plan.brokenRules,
                                   [&](const BrokenRule &broken) { return broken.step == step.id; });
    }

    /// What the plan sends stands at the right of its name, or below it; the place below both is returned.
    double layCaption(const QString &title, const QColor &colour)
    {
        const SheetWriter::Letters name{14, 700, colour};
        const SheetWriter::Letters small{12.5, 400, theme().text2};
        const QString sent = sentWords(m_plan);
        const double room = m_room.width() - m_writer.widthOf(title, name) - px(14);
        const QRectF line(m_room.left(), m_room.top(), m_room.width(), px(kCaption));
        m_writer.text(line, title, name);
        if (m_writer.widthOf(sent, small) <= room) {
            m_writer.text(line.adjusted(line.width() - room, 0, 0, 0), sent, small, Qt::AlignRight | Qt::AlignVCenter);
            return line.bottom();
        }
        const QRectF below(line.left(), line.bottom() - px(2), line.width(), px(18));
        m_writer.text(below, sent, small);
        return below.bottom();
    }

    /// A place of that width, in the next line where this one is full.
    [[nodiscard]] QRectF next(double width)
    {
        if (m_x + width > m_room.right() && m_x > m_room.left()) {
            m_x = m_room.left();
            m_y += px(kLine);
        }
        const QRectF place(m_x, m_y, width, px(kBox));
        m_x += width + px(kGap);
        return place;
    }

    void layPass(Pass pass)
    {
        const SheetWriter::Letters letters{12, 500, theme().text2};
        const QString words = passName(pass);
        if (m_x > m_room.left())
            m_x += px(8);
        m_writer.text(next(m_writer.widthOf(words, letters) + px(4)), words, letters);
    }

    void layStep(const Step &step)
    {
        const bool broken = isBroken(step);
        const QString words = formulaText(step.label).replace(QChar(0x2026), QStringLiteral("..."));
        const QColor fill = step.collective ? theme().collective(step.collective->op) : theme().surface2;
        const SheetWriter::Letters letters{kLetters, step.collective || broken ? 600 : 400, Theme::textOn(fill)};
        const double sign = broken ? px(kSign + 3) : 0;
        const QRectF rect = next(m_writer.widthOf(words, letters) + px(14) + sign);
        m_writer.box({.rect = rect,
                      .fill = fill,
                      .outline = broken ? theme().error : theme().border,
                      .line = px(broken ? 2.4 : 1),
                      .radius = px(3)});
        if (broken) {
            const QRectF cross(rect.left() + px(6), rect.center().y() - px(kSign) / 2, px(kSign), px(kSign));
            m_writer.mark(SheetMark::Cross, cross, theme().error);
        }
        m_writer.text(rect.adjusted(sign, 0, 0, 0), words, letters, Qt::AlignCenter);
        m_writer.spot(
            rect, QStringList{tr("step %1: %2").arg(step.id + 1).arg(sentence(step.title)), sentence(step.reason)}.join(
                      QLatin1Char('\n')));
    }

    SheetWriter &m_writer;
    const Plan &m_plan;
    QRectF m_room;
    bool m_long;
    double m_x = 0;
    double m_y = 0;
};

QString schemeOption(const Plan &plan)
{
    return QString::fromUtf8(name(plan.experiment.scheme).data());
}

} // namespace

double layBugPlans(SheetWriter &writer, const BugCase &shown, const QRectF &room)
{
    const Theme &theme = writer.theme();
    const double y = Strip(writer, *shown.plan, room).lay(tr("Wrong: %1").arg(schemeOption(*shown.plan)), theme.error);
    if (!shown.right)
        return y;
    const QRectF below = room.adjusted(0, y - room.top() + writer.px(6), 0, 0);
    return Strip(writer, *shown.right, below).lay(tr("Right: %1").arg(schemeOption(*shown.right)), theme.ok);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/scene_list.h"
#include "ui/diagram/scrub_bar.h"
#include "ui/diagram/text_box.h"
#include "ui/diagram/words.h"
#include "ui/playback.h"
#include "ui/texts.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace shardscope {
namespace {

constexpr double kGroupPixels = 11;
constexpr std::size_t kMostNamedWide = 12;
constexpr double kStepMargin = 11; ///< of a name in its box, both sides, design pixels

auto keyOf(const Step &step)
{
    // The optimizer goes over all layers at once.
    const bool optimizer = step.pass == Pass::Optimizer;
    return std::tuple{step.pass, optimizer ? 0 : step.layer, optimizer ? 0 : step.microBatch};
}

ScrubGroup groupFor(const Plan &plan, const Step &step)
{
    ScrubGroup group;
    group.firstSegment = step.id;
    group.pass = step.pass;
    QStringList words{passName(step.pass)};
    QString brief = passName(step.pass).left(1);
    if (plan.experiment.layers > 1 && step.pass != Pass::Optimizer) {
        words << ScrubBar::tr("layer %1").arg(step.layer + 1);
        brief += QString::number(step.layer + 1);
    }
    if (plan.experiment.microBatches > 1 && step.pass != Pass::Optimizer) {
        words << ScrubBar::tr("micro-batch %1").arg(step.microBatch + 1);
        brief += QStringLiteral("#%1").arg(step.microBatch + 1);
    }
    group.label = words.join(QStringLiteral(" · "));
    group.brief = brief;
    return group;
}

/// The names under the groups; none lies on another.
class GroupLabels
{
public:
    GroupLabels(const QRectF &bar, const Theme &theme, double unit) : m_bar(bar), m_theme(theme), m_unit(unit) {}

    /// Under its group, and where that is too narrow beyond it; the current one in any case.
    bool addWide(double left, double right, const QString &text, bool current)
    {
        const double wide = textSize(text, kGroupPixels * m_unit, current ? 700 : 400).width();
        const double half = std::max((right - left) / 2, wide / 2 + 4);
        const double middle =
            std::clamp((left + right) / 2, m_bar.left() + half, std::max(m_bar.left() + half, m_bar.right() - half));
        return add(labelAt(middle - half, middle + half, text, current), current);
    }
    /// False where it does not fit its group's room.
    bool addWithin(double left, double right, const QString &text)
    {
        // A plan of many layers has more groups than can be measured in every frame.
        constexpr double kNarrowLetter = 3.5;
        if (static_cast<double>(text.size()) * kNarrowLetter * m_unit > right - left)
            return false;
        return add(labelAt(left, right, text, false), false);
    }
    [[nodiscard]] std::vector<TextBox> texts() { return std::move(m_texts); }

private:
    [[nodiscard]] TextBox labelAt(double left, double right, const QString &text, bool current) const
    {
        const QRectF box(left + 2, m_bar.bottom() + 4 * m_unit, right - left - 4, 17 * m_unit);
        return {box,
                text,
                kGroupPixels * m_unit,
                current ? 700 : 400,
                current ? m_theme.accent : m_theme.text2,
                Qt::AlignCenter};
    }
    bool add(const TextBox &wanted, bool anyway)
    {
        const TextBox label = fitted(wanted, kGroupPixels * m_unit * 0.8);
        const QRectF ink = inkRect(label);
        const bool whole = label.text == wanted.text;
        const bool isFree =
            std::ranges::none_of(m_texts, [&](const TextBox &other) { return inkRect(other).intersects(ink); });
        if (anyway || (whole && isFree))
            m_texts.push_back(label);
        return anyway || (whole && isFree);
    }

    QRectF m_bar;
    const Theme &m_theme;
    double m_unit;
    std::vector<TextBox> m_texts;
};

} // namespace

std::vector<ScrubSegment> scrubSegments(const Plan &plan)
{
    std::vector<ScrubSegment> segments;
    const std::vector<Scene> scenes = sceneList(plan);
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        if (!segments.empty() && segments.back().step == scenes[i].step) {
            ++segments.back().scenes;
            continue;
        }
        const Step &step = plan.steps[static_cast<std::size_t>(scenes[i].step)];
        segments.push_back({step.id, static_cast<int>(i), 1, formulaText(step.label), step.pass});
    }
    return segments;
}

std::vector<ScrubGroup> scrubGroups(const Plan &plan)
{
    std::vector<ScrubGroup> groups;
    for (const Step &step : plan.steps) {
        const bool continues = step.id > 0 && keyOf(plan.steps[static_cast<std::size_t>(step.id - 1)]) == keyOf(step);
        if (continues && !groups.empty())
            ++groups.back().segments;
        else
            groups.push_back(groupFor(plan, step));
    }
    return groups;
}

std::pair<double, double> ScrubBar::spanOf(const ScrubGroup &group) const
{
    const ScrubSegment &first = m_segments[static_cast<std::size_t>(group.firstSegment)];
    const ScrubSegment &last = m_segments[static_cast<std::size_t>(group.firstSegment + group.segments - 1)];
    return {xOf(first.firstScene), xOf(last.firstScene + last.scenes)};
}

std::vector<TextBox> ScrubBar::groupLabels() const
{
    GroupLabels labels(track(), *m_theme, m_unit);
    const auto now = static_cast<std::size_t>(groupOf(segmentOf(m_playback->position())));
    const auto [nowLeft, nowRight] = spanOf(m_groups[now]);
    labels.addWide(nowLeft, nowRight, m_groups[now].label, true);
    std::vector<std::size_t> narrow; // groups that their names do not fit under
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const auto [left, right] = spanOf(m_groups[i]);
        if (i != now && !labels.addWithin(left, right, m_groups[i].label))
            narrow.push_back(i);
    }
    for (const std::size_t i : narrow) {
        const auto [left, right] = spanOf(m_groups[i]);
        // Where there are few groups, their neighbours' names leave room.
        if (m_groups.size() > kMostNamedWide || !labels.addWide(left, right, m_groups[i].label, false))
            labels.addWithin(left, right, m_groups[i].brief);
    }
    return labels.texts();
}

void ScrubBar::paintGroups(QPainter &painter) const
{
    const int hovered = m_playback->hoveredStep() < 0 ? -1 : groupOf(m_playback->hoveredStep());
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        const auto [left, right] = spanOf(m_groups[i]);
        paintMark(painter, left, right, static_cast<int>(i) == hovered);
    }
    for (const TextBox &label : groupLabels())
        drawTextBox(painter, label);
}

std::vector<ScrubBar::StepBox> ScrubBar::stepRow(int first, int count, double top) const
{
    // Few steps are not stretched over the whole width.
    constexpr double kWidest = 110;
    const QRectF bar = track();
    std::vector<StepBox> row;
    const auto naturalWidth = [&](bool brief) {
        row.clear();
        double sum = 0;
        for (int i = first; i < first + count; ++i) {
            const QString &whole = m_segments[static_cast<std::size_t>(i)].label;
            // What the step makes says more than the first letters of how.
            const QString text = brief ? whole.section(QStringLiteral(" = "), 0, 0) : whole;
            const double width = textSize(text, kGroupPixels * m_unit, 600).width() + kStepMargin * m_unit;
            row.push_back({i, {bar.x() + sum, top, width, (kStepRow - 4) * m_unit}, text});
            sum += width;
        }
        return sum;
    };
    double sum = naturalWidth(false);
    if (sum > bar.width())
        sum = naturalWidth(true);
    const double share = std::min(1.0, bar.width() / sum);
    const double extra = std::max(0.0, (bar.width() - sum) / count);
    double x = bar.x();
    for (StepBox &step : row) {
        const double natural = step.box.width();
        const double wide = std::max(natural, std::min(natural + extra, kWidest * m_unit));
        const double width = share < 1 ? natural * share : wide;
        step.box = {x, top, width, step.box.height()};
        x += width;
    }
    return row;
}

int ScrubBar::splitOfRows() const
{
    constexpr double kSmallestLetters = 0.85; // of the names' size
    const auto all = static_cast<int>(m_segments.size());
    int best = 0;
    for (const ScrubGroup &group : m_groups) {
        const int split = group.firstSegment;
        if (split > 0 && (best == 0 || std::max(split, all - split) < std::max(best, all - best)))
            best = split;
    }
    constexpr int kMostInTwoRows = 80; // a longer plan is not even measured
    if (best == 0 || all > kMostInTwoRows)
        return 0;
    for (const auto &row : {stepRow(0, best, 0), stepRow(best, all - best, 0)}) {
        double natural = 0;
        for (const StepBox &step : row)
            natural += textSize(step.text, kGroupPixels * m_unit, 600).width() + kStepMargin * m_unit;
        if (natural * kSmallestLetters > track().width())
            return 0;
    }
    return best;
}

void ScrubBar::arrangeRows()
{
    m_boxes.clear();
    m_groupShown = -1;
    m_split = grouped() ? splitOfRows() : 0;
    const double top = track().bottom() + 25 * m_unit;
    if (m_split > 0) {
        m_boxes = stepRow(0, m_split, top);
        const auto rest = static_cast<int>(m_segments.size()) - m_split;
        std::ranges::move(stepRow(m_split, rest, top + kStepRow * m_unit), std::back_inserter(m_boxes));
    }
    showGroup();
    updateGeometry();
}

void ScrubBar::showGroup()
{
    if (!grouped() || m_split > 0 || !m_playback)
        return;
    const int shown = groupOf(segmentOf(m_playback->position()));
    if (std::exchange(m_groupShown, shown) == shown)
        return;
    const ScrubGroup &group = m_groups[static_cast<std::size_t>(shown)];
    m_boxes = stepRow(group.firstSegment, group.segments, track().bottom() + 25 * m_unit);
}

void ScrubBar::paintSteps(QPainter &painter) const
{
    const int shown = segmentOf(m_playback->position());
    const int group = groupOf(shown);
    for (const StepBox &step : m_boxes)
        paintStep(painter, step, step.segment == shown, groupOf(step.segment) == group);
}

/// `near`: of the group in which the position is.
void ScrubBar::paintStep(QPainter &painter, const StepBox &step, bool current, bool near) const
{
    const bool lit = segmentIn(step).step == m_playback->hoveredStep();
    painter.setPen(QPen(lit ? m_theme->accent : m_theme->border, m_unit));
    painter.setBrush(current ? m_theme->accent : near ? m_theme->surface2 : m_theme->surface);
    painter.drawRoundedRect(step.box.adjusted(m_unit, 0, -m_unit, 0), 3 * m_unit, 3 * m_unit);
    const TextBox label{
        step.box.adjusted(2 * m_unit, 0, -2 * m_unit, 0), step.text,      kGroupPixels * m_unit, current ? 600 : 400,
        current ? m_theme->onAccent : m_theme->text2,     Qt::AlignCenter};
    if (label.box.width() >= 6 * m_unit)
        drawTextBox(painter, fitted(label, kGroupPixels * m_unit * 0.8));
}

} // namespace shardscope

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
#include <tuple>

namespace shardscope {
namespace {

constexpr double kGroupPixels = 11;

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

void ScrubBar::paintGroups(QPainter &painter) const
{
    const QRectF bar = track();
    const int now = groupOf(segmentOf(m_playback->position()));
    const int hovered = m_playback->hoveredStep() < 0 ? -1 : groupOf(m_playback->hoveredStep());
    QRectF taken; // by the name of the group shown, which is named in any case
    const auto labelOf = [&](double left, double right, const QString &text, bool current) {
        return TextBox{{left + 2, bar.bottom() + 4 * m_unit, right - left - 4, 17 * m_unit},
                       text,
                       kGroupPixels * m_unit,
                       current ? 700 : 400,
                       current ? m_theme->accent : m_theme->text2,
                       Qt::AlignCenter};
    };
    const auto nameCurrent = [&](double left, double right, const QString &text) {
        const double half = std::max((right - left) / 2, textSize(text, kGroupPixels * m_unit, 700).width() / 2 + 4);
        const double middle =
            std::clamp((left + right) / 2, bar.left() + half, std::max(bar.left() + half, bar.right() - half));
        const TextBox label = labelOf(middle - half, middle + half, text, true);
        taken = label.box;
        drawTextBox(painter, fitted(label, kGroupPixels * m_unit * 0.8));
    };
    std::vector<std::size_t> order{static_cast<std::size_t>(now)};
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        if (i != order.front())
            order.push_back(i);
    }
    for (const std::size_t i : order) {
        const ScrubGroup &group = m_groups[i];
        const ScrubSegment &first = m_segments[static_cast<std::size_t>(group.firstSegment)];
        const ScrubSegment &last = m_segments[static_cast<std::size_t>(group.firstSegment + group.segments - 1)];
        const double left = xOf(first.firstScene);
        const double right = xOf(last.firstScene + last.scenes);
        paintMark(painter, left, right, static_cast<int>(i) == hovered);
        if (static_cast<int>(i) == now) {
            nameCurrent(left, right, group.label);
            continue;
        }
        TextBox label = labelOf(left, right, group.label, false);
        const double smallest = kGroupPixels * m_unit * 0.8;
        if (fitted(label, smallest).text != label.text)
            label.text = group.brief;
        if (fitted(label, smallest).text == label.text && !label.box.intersects(taken))
            drawTextBox(painter, fitted(label, smallest));
    }
}

} // namespace shardscope

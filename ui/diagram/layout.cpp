// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/layout.h"

#include "engine/record/hosts.h"
#include "ui/diagram/layout_parts.h"
#include "ui/diagram/matrix_painter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardscope {
namespace {

constexpr double kDesignWidth = 900;
constexpr double kDesignHeight = 420;
constexpr double kLeastCaption = 0.88; ///< of its letters, before it takes a second line
constexpr double kStripFrom = 380;     ///< a lower picture gives the height of what travels to its cards
constexpr double kRoomy = 0.8;         ///< of the unit asked for: a smaller picture gives its height to the cards
constexpr double kScheduleFrom = 400;  ///< as low a picture has no room for the schedule of a pipeline
constexpr double kMostReadable = 1.35; ///< how much larger words are than the rest of a small picture

/// A scheme that breaks a rule says so in every scene: a slide is seen without the one that explains it.
bool isWrongOnPurpose(const Plan &plan)
{
    return name(plan.experiment.scheme).starts_with("bug:");
}

/// Title, pass and step count; returns the bottom.
double layoutTitle(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const double height = std::round(m.title * 1.4);

    const QString count = stepCount(*frame.plan, layout.scene);
    const double countWidth = textSize(count, m.label, 500).width() + 2;
    QRectF right(room.right() - countWidth, room.y(), countWidth, height);
    layout.texts.push_back({right, count, m.label, 500, frame.theme->text2, Qt::AlignRight | Qt::AlignVCenter});

    const QString pass = passName(step.pass);
    const QSizeF passSize = textSize(pass, m.small, 600);
    layout.badge =
        QRectF(right.left() - passSize.width() - 26 * m.u, 0, passSize.width() + 16 * m.u, passSize.height() + 4 * m.u);
    layout.badge.moveCenter({layout.badge.center().x(), right.center().y()});
    layout.texts.push_back(
        {layout.badge, pass, m.small, 600, Theme::textOn(frame.theme->compute(step.pass)), Qt::AlignCenter});

    double end = layout.badge.left() - 12 * m.u;
    if (isWrongOnPurpose(*frame.plan)) {
        const QString words = Words::tr("wrong on purpose");
        const double width = textSize(words, std::round(m.label), 700).width() + 2;
        layout.texts.push_back({{end - width, room.y(), width, height},
                                words,
                                std::round(m.label),
                                700,
                                frame.theme->error,
                                Qt::AlignRight | Qt::AlignVCenter});
        end -= width + 12 * m.u;
    }
    const QRectF box(room.x(), room.y(), end - room.x(), height);
    TextBox title{box, QString::fromStdString(english(step.title)), m.title, 700, frame.theme->text};
    // A title too long by its last clause is complete without it.
    while (fitted(title, m.label).text != title.text && title.text.contains(QStringLiteral(", ")))
        title.text = title.text.left(title.text.lastIndexOf(QStringLiteral(", ")));
    layout.texts.push_back(fitted(title, m.label));
    return box.bottom();
}

/// Formula or tensor at the left, times at the right; returns the bottom.
double layoutCaption(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const double height = std::round(m.label * 1.7);
    const QString time = timeCaption(*frame.plan, frame.run, layout.scene);
    const double timeWidth = std::min(room.width() * 0.55, textSize(time, m.small, 500).width() + 2);
    const QRectF right(room.right() - timeWidth, room.y(), timeWidth, height);
    if (!time.isEmpty())
        layout.texts.push_back(
            fitted({right, time, m.small, 500, frame.theme->text2, Qt::AlignRight | Qt::AlignVCenter}, 8 * m.u));
    TextBox words{{room.x(), room.y(), room.width() - timeWidth - 16 * m.u, height},
                  caption(*frame.plan, layout.scene),
                  m.label,
                  500,
                  frame.theme->text2};
    TextBox shown = fitted(words, std::round(kLeastCaption * m.label));
    const bool isRoomy = m.u >= kRoomy * frame.unit;
    if (!isRoomy) {
        shown = fitted(words, 8 * m.u);
    } else if (shown.text != words.text) {
        // Two lines beat letters that nobody reads.
        words.wrap = true;
        words.alignment = Qt::AlignLeft | Qt::AlignTop;
        words.pixels = std::round(kLeastCaption * m.label);
        words.box.setHeight(std::ceil(textSize(words.text, words.pixels, 500, words.box.width()).height()) + 1);
        words.box.setHeight(std::min(words.box.height(), 2 * height));
        shown = fitted(words, 8 * m.u);
    }
    layout.texts.push_back(shown);
    return room.y() + std::max(height, shown.box.height()) + 4 * m.u;
}

/// The height for the longest reason of the plan: the cards must not jump from step to step.
double narrationHeight(const DiagramFrame &frame, const Step &step, const Metrics &m, const Narration &now,
                       double width)
{
    std::string longest;
    for (const Step &each : frame.plan->steps) {
        std::string reason = english(each.reason);
        if (reason.size() > longest.size())
            longest = std::move(reason);
    }
    longest += namesNote(*frame.plan, step).toStdString();
    const double current = textSize(now.whole(), m.body, 400, width, static_cast<int>(now.lead.size())).height();
    return std::max(current, textSize(QString::fromStdString(longest), m.body, 400, width).height());
}

/// Narration at the bottom of `room`; returns its top.
double layoutNarration(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Metrics &m = layout.metrics;
    const Narration words = narrationOf(*frame.plan, layout.scene);
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const double wanted = narrationHeight(frame, step, m, words, room.width());
    const double height = std::min(std::ceil(wanted) + 1, 0.26 * layout.area.height());
    TextBox text{{room.x(), room.bottom() - height, room.width(), height},
                 words.whole(),
                 m.body,
                 400,
                 frame.theme->text,
                 Qt::AlignLeft | Qt::AlignTop,
                 true,
                 static_cast<int>(words.lead.size())};
    layout.texts.push_back(fitted(text, 9 * m.u));
    return room.bottom() - height;
}

/// "1/4" on every partial sum; on all ranks' sheets how many there are.
void layoutBadges(DiagramLayout &layout, const DiagramFrame &frame)
{
    for (const MatrixBox &matrix : layout.matrices) {
        if (matrix.view.look != MatrixView::Look::Partial)
            continue;
        const QString text = matrix.view.rank == kAllRanks ? QStringLiteral("× %1").arg(matrix.view.addends)
                                                           : QStringLiteral("1/%1").arg(matrix.view.addends);
        const QRectF box = partialBadge(heldRect(frontSheet(matrix.box, matrix.view, layout.metrics.u), matrix.view),
                                        layout.metrics.u);
        layout.texts.push_back(fitted(
            {box, text, std::min(layout.metrics.small, box.height() * 0.78), 600, frame.theme->text, Qt::AlignCenter},
            6));
    }
}

Scene sceneAt(const Plan &plan, double position, double &fraction)
{
    const std::vector<Scene> scenes = sceneList(plan);
    const auto last = static_cast<double>(scenes.size() - 1);
    const double index = std::clamp(std::floor(position), 0.0, last);
    fraction = std::clamp(position - index, 0.0, 1.0);
    return scenes[static_cast<std::size_t>(index)];
}

} // namespace

Metrics metricsFor(const QRectF &area, double unit)
{
    Metrics m;
    m.u = std::max(0.3, std::min({unit, area.width() / kDesignWidth, area.height() / kDesignHeight}));
    // Large areas (slides, full screen) get larger words than the unit alone gives.
    const double room = std::min(area.width() / kDesignWidth, area.height() / kDesignHeight) / m.u;
    const double grow = std::clamp(std::sqrt(room), 1.0, 1.5);
    m.title = 19 * m.u * grow;
    // In a small area pictures shrink before words do: nobody reads 8 pixels.
    const auto words = [&](double pixels, double least) {
        const double size = pixels * m.u * grow;
        return std::clamp(least * std::min(unit, 1.0), size, kMostReadable * size);
    };
    m.body = words(13.5, 12);
    m.label = words(12.5, 11.5);
    m.small = words(11.5, 11);
    m.margin = 14 * m.u * grow;
    m.gap = 12 * m.u * grow;
    return m;
}

QRectF MapBox::cell(int row, int column) const
{
    const double w = grid.width() / columns;
    const double h = grid.height() / rows;
    return {grid.x() + column * w, grid.y() + row * h, w, h};
}

const ChunkBox *DiagramLayout::chunk(int rank, int chunk) const
{
    const auto found = std::find_if(chunks.begin(), chunks.end(),
                                    [&](const ChunkBox &box) { return box.rank == rank && box.chunk == chunk; });
    return found == chunks.end() ? nullptr : &*found;
}

bool DiagramLayout::areApart(int from, int to) const
{
    return !hosts.empty() && hosts[static_cast<std::size_t>(from)] != hosts[static_cast<std::size_t>(to)];
}

std::vector<int> allRanks(int ranks)
{
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

namespace {

/// The map explains itself, so it comes without the legend line.
void layoutBody(DiagramLayout &layout, const DiagramFrame &frame, QRectF room, bool legend)
{
    const Metrics &m = layout.metrics;
    if (legend)
        room.setBottom(room.bottom() - layoutLegend(layout, frame, room));
    room.setBottom(layoutNarration(layout, frame, room) - m.gap * 0.8);
    if (layout.collective)
        layoutCollective(layout, frame, room);
    else
        layoutCompute(layout, frame, room);
}

} // namespace

DiagramLayout layoutDiagram(const DiagramFrame &frame, const QRectF &area)
{
    DiagramLayout layout;
    layout.area = area;
    layout.metrics = metricsFor(area, frame.unit);
    layout.ranks = frame.plan->mesh().size();
    layout.scene = sceneAt(*frame.plan, frame.position, layout.fraction);
    layout.collective = collectiveScene(*frame.plan, layout.scene);
    if (frame.run != nullptr && frame.run->experiment().mesh == frame.plan->mesh())
        layout.hosts = hostsByRank(*frame.run);

    const Metrics &m = layout.metrics;
    QRectF room = area.adjusted(m.margin, m.margin * 0.7, -m.margin, -m.margin * 0.8);
    room.setTop(layoutTitle(layout, frame, room));
    room.setTop(layoutCaption(layout, frame, room));
    if (area.height() >= kStripFrom * m.u)
        room.setTop(room.top() + layoutTravelStrip(layout, frame, room));
    if (area.height() >= kScheduleFrom * m.u)
        room.setTop(room.top() + layoutSchedule(layout, frame, room));
    if (!frame.followed.isEmpty())
        room.setTop(room.top() + layoutFollowStrip(layout, frame, room));
    const DiagramLayout head = layout;
    layoutBody(layout, frame, room, frame.legend);
    if (layout.map && frame.legend) {
        layout = head;
        layoutBody(layout, frame, room, false);
    }
    layoutBadges(layout, frame);
    std::erase_if(layout.texts, [](const TextBox &text) { return text.text.isEmpty(); });
    return layout;
}

} // namespace shardscope

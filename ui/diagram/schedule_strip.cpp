// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/schedule.h"
#include "ui/charts/chart_style.h"
#include "ui/diagram/layout_parts.h"
#include "ui/diagram/scene_layers.h"

#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace shardscope {
namespace {

constexpr int kMostStages = 16;      ///< more rows take the cards' room
constexpr double kRow = 1.5;         ///< of small letters
constexpr double kMostHeight = 0.2;  ///< of the picture
constexpr double kLowestRow = 9;     ///< design pixels
constexpr double kNarrowestUnit = 2; ///< design pixels of one forward
constexpr double kFar = 0.6;         ///< how pale is what happens at another time

/// Each card of a picture asks, and in an animation each picture: the last answer is kept.
std::shared_ptr<const std::vector<ScheduledWork>> workOf(const Plan &plan)
{
    using Key = std::tuple<Schedule, int, int, bool>;
    const Experiment &e = plan.experiment;
    const Key key{e.schedule, plan.mesh().extent(MeshAxis::Pp), e.microBatches, e.phase == Phase::Training};
    static std::mutex mutex; // pictures are painted outside the GUI thread
    static std::pair<Key, std::shared_ptr<const std::vector<ScheduledWork>>> last;
    const std::scoped_lock lock(mutex);
    if (!last.second || last.first != key)
        last = {key, std::make_shared<const std::vector<ScheduledWork>>(std::apply(pipelineTimetable, key))};
    return last.second;
}

/// A pipeline's work in units of one forward, and which of it the step shown is part of.
struct Timetable {
    std::shared_ptr<const std::vector<ScheduledWork>> work;
    int length = 0;
    const ScheduledWork *now = nullptr; ///< null: the step is of no micro-batch

    Timetable(const Plan &plan, const Step &step) : work(workOf(plan))
    {
        for (const ScheduledWork &each : *work)
            length = std::max(length, each.end);
        if (step.pass == Pass::Optimizer || step.stage == kEveryStage)
            return;
        // What is recomputed is so for the backward that needs it.
        const StageWork wanted{step.stage, step.microBatch, step.pass != Pass::Forward};
        const auto found = std::ranges::find(*work, wanted, &ScheduledWork::work);
        now = found == work->end() ? nullptr : &*found;
    }
    [[nodiscard]] bool besideNow(const ScheduledWork &other) const
    {
        return now && other.work.stage != now->work.stage && other.begin < now->end && other.end > now->begin;
    }
};

QString nameOf(Schedule schedule)
{
    return schedule == Schedule::GPipe ? QStringLiteral("GPipe") : QStringLiteral("1F1B");
}

QString headingOf(const Plan &plan)
{
    const bool training = plan.experiment.phase == Phase::Training;
    const QString outlined = Words::tr("outlined: the step shown; strong: at the same time");
    if (!training)
        return Words::tr("Micro-batches on the stages; %1").arg(outlined);
    return Words::tr("%1 schedule: micro-batches on the stages, a backward drawn as long as two forwards; %2")
        .arg(nameOf(plan.experiment.schedule), outlined);
}

} // namespace

QString meanwhileOf(const Plan &plan, const Step &step, int stage)
{
    const Timetable timetable(plan, step);
    if (!timetable.now)
        return {};
    QStringList pieces;
    for (const ScheduledWork &each : *timetable.work) {
        if (each.work.stage == stage && timetable.besideNow(each))
            pieces << (each.work.backward ? Words::tr("backward of micro-batch %1")
                                          : Words::tr("forward of micro-batch %1"))
                          .arg(each.work.microBatch + 1);
    }
    return pieces.isEmpty() ? Words::tr("waits meanwhile: the bubble")
                            : Words::tr("meanwhile %1").arg(pieces.join(Words::tr(", then ")));
}

double layoutSchedule(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Plan &plan = *frame.plan;
    const int stages = plan.mesh().extent(MeshAxis::Pp);
    if (stages < 2 || stages > kMostStages)
        return 0;
    const Metrics &m = layout.metrics;
    const Timetable timetable(plan, plan.steps[static_cast<std::size_t>(layout.scene.step)]);
    const double row = std::min(kRow * m.small, kMostHeight * layout.area.height() / stages);
    const double pixels = std::round(std::min(m.small * 0.94, row * 0.8));
    const double heading = std::round(m.small * 1.4);
    const double labels = textSize(Words::tr("stage %1").arg(stages - 1), pixels, 500).width() + 8 * m.u;
    const double unit = (room.width() - labels) / timetable.length;
    const TextBox words{{room.x(), room.y(), room.width(), heading},
                        headingOf(plan),
                        std::round(m.small * 0.94),
                        500,
                        frame.theme->text3};
    const TextBox shown = fitted(words, 7 * m.u);
    if (row < kLowestRow * m.u || unit < kNarrowestUnit * m.u || shown.text != words.text)
        return 0;
    layout.texts.push_back(shown);
    const double top = room.y() + heading;
    for (int stage = 0; stage < stages; ++stage)
        layout.texts.push_back({{room.x(), top + stage * row, labels, row},
                                Words::tr("stage %1").arg(stage),
                                pixels,
                                500,
                                frame.theme->text2});
    for (const ScheduledWork &each : *timetable.work) {
        const QRectF box(room.x() + labels + each.begin * unit, top + each.work.stage * row + 1,
                         (each.end - each.begin) * unit - 1, row - 2);
        const ScheduleBox cell{box, each.work.backward, &each == timetable.now, timetable.besideNow(each)};
        layout.schedule.push_back(cell);
        const QString number = QString::number(each.work.microBatch + 1);
        const TextBox text{box,
                           number,
                           pixels,
                           600,
                           cell.now || cell.beside ? Theme::textOn(scheduleColour(cell, *frame.theme))
                                                   : frame.theme->text2,
                           Qt::AlignCenter};
        const QSizeF size = textSize(number, pixels, 600);
        if (size.width() < box.width() && size.height() <= box.height() + 1)
            layout.texts.push_back(text);
    }
    return heading + stages * row + 6 * m.u;
}

QColor scheduleColour(const ScheduleBox &cell, const Theme &theme)
{
    const QColor colour = theme.compute(cell.backward ? Pass::Backward : Pass::Forward);
    return cell.now || cell.beside ? colour : mixed(colour, theme.surface, kFar);
}

void paintSchedule(QPainter &painter, const DiagramLayout &layout, const Theme &theme)
{
    const double line = 2.4 * layout.metrics.u;
    for (const ScheduleBox &cell : layout.schedule)
        painter.fillRect(cell.box, scheduleColour(cell, theme));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, line, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    for (const ScheduleBox &cell : layout.schedule) {
        if (cell.now)
            painter.drawRect(cell.box.adjusted(-line / 2, -line / 2, line / 2, line / 2));
    }
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_content.h"

#include "engine/record/hosts.h"
#include "engine/record/statistics.h"
#include "ui/charts/number_format.h"
#include "ui/diagram/matrix_view.h"
#include "ui/diagram/words.h"
#include "ui/run_words.h"
#include "ui/setting_words.h"
#include "ui/texts.h"
#include "ui/timeline/step_times.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Waiting below this share of the communication is not worth a title's words.
constexpr double kWorthSaying = 0.05;

/// No-break spaces: vector formats merge plain ones.
QString separator()
{
    return QStringLiteral("\u00a0 ·\u00a0 ");
}

QString phaseName(Phase phase)
{
    switch (phase) {
    case Phase::Training:
        return tr("training step");
    case Phase::Prefill:
        return tr("prefill pass");
    case Phase::Decode:
        break;
    }
    return tr("decode pass");
}

/// What the ranks do not compute is more than the bubble: they communicate, and no two stages take equally long.
QString bubbleTitle(const Run &run, const QString &phase, double idle)
{
    const int stages = run.plan.mesh().extent(MeshAxis::Pp);
    const int microBatches = run.experiment().microBatches;
    const QString batches = counted(microBatches, tr("%1 micro-batch|%1 micro-batches"));
    return tr("Ranks compute for %1 of the %2; the bubble of %3 stages and %4 alone idles %5")
        .arg(formatShare(1 - idle), phase)
        .arg(stages)
        .arg(batches, formatShare((stages - 1.0) / (microBatches + stages - 1.0)));
}

QString findingTitle(const TimelineContent &content)
{
    const Run &run = *content.run;
    const QString phase = phaseName(run.experiment().phase);
    if (content.data.empty())
        return tr("Where the time goes: no timed step yet");
    const StepTimes times = stepTimes(content.data);
    const auto text = [](std::int64_t ns) { return formatDuration(static_cast<double>(ns)); };
    if (!content.data.communicates)
        return tr("The %1 takes %2 and needs no communication").arg(phase, text(times.elapsedNs));
    if (times.elapsedNs <= 0)
        return tr("Where the time of one %1 goes").arg(phase);
    if (run.experiment().extent(MeshAxis::Pp) > 1 && times.idleShare >= kWorthSaying)
        return bubbleTitle(run, phase, times.idleShare);
    const auto communication = static_cast<double>(times.communicationNs);
    const QString title = tr("Up to %1 of the %2 is communication: %3 of %4")
                              .arg(formatShare(communication / static_cast<double>(times.elapsedNs)), phase,
                                   text(times.communicationNs), text(times.elapsedNs));
    if (static_cast<double>(times.hiddenNs) >= kWorthSaying * communication)
        return tr("%1; %2 of it hidden").arg(title, text(times.hiddenNs));
    return static_cast<double>(times.waitNs) < kWorthSaying * communication
               ? title
               : tr("%1; up to %2 are waiting").arg(title, text(times.waitNs));
}

QString sourceOf(const Run &run)
{
    switch (run.source) {
    case Source::Predicted:
        return sourcePhrase(run);
    case Source::Recorded:
        return tr("recorded %1").arg(runDate(run));
    case Source::Measured:
        break;
    }
    return measuredWhere(run);
}

/// "the median", "the fastest", "the slowest"; empty for any other.
QString rankOf(const TimelineData &data, int number)
{
    if (number == data.medianNumber)
        return tr("the median");
    const auto [fastest, slowest] = std::minmax_element(data.timedNs.begin(), data.timedNs.end());
    const std::int64_t length = data.timedNs[static_cast<std::size_t>(number - 1)];
    return length == *fastest ? tr("the fastest") : length == *slowest ? tr("the slowest") : QString();
}

QString lengthOf(const TimelineData &data, int number)
{
    return formatDuration(static_cast<double>(data.timedNs[static_cast<std::size_t>(number - 1)]));
}

/// "training step 7 of 20, the median: 194 ms". A step of the plan is another thing, so the phase is named.
QString drawnStep(const TimelineContent &content)
{
    const TimelineData &data = content.data;
    const QString which =
        tr("%1 %2 of %3").arg(phaseName(content.run->experiment().phase)).arg(data.timedNumber).arg(data.timedCount);
    const QString rank = data.timedCount > 1 ? rankOf(data, data.timedNumber) : QString();
    const QString named = rank.isEmpty() ? which : which + QStringLiteral(", ") + rank;
    return tr("%1: %2").arg(named, lengthOf(data, data.timedNumber));
}

/// Of more ranks than can be drawn.
QString rowsNote(const TimelineData &data)
{
    int drawn = 0;
    for (const int alike : data.alike)
        drawn += alike;
    const QString rows = counted(data.rowCount(), tr("%1 row|%1 rows"));
    return drawn == data.ranks ? tr("%1 for %2 ranks: those that do the same are drawn once").arg(rows).arg(data.ranks)
                               : tr("%1 for %2 of %3 ranks").arg(rows).arg(drawn).arg(data.ranks);
}

/// The shortest note first: what the card's width cuts off is the end of the longest.
QString captionOf(const TimelineContent &content)
{
    QStringList parts;
    if (!content.data.empty() && content.run->source != Source::Predicted)
        parts << drawnStep(content);
    parts << sourceOf(*content.run) << settingNotes({&content.run->experiment()});
    if (const QString incomplete = stepsNote(*content.run); !incomplete.isEmpty())
        parts << tr("only %1").arg(incomplete);
    if (content.data.rowCount() < content.data.ranks)
        parts << rowsNote(content.data);
    if (const std::int64_t ns = clockUncertaintyNs(*content.run); ns > 0)
        parts << tr("clocks of the hosts aligned within %1").arg(formatDuration(static_cast<double>(ns)));
    QStringList notes;
    if (const auto hosts = hostsText(*content.run))
        notes << QString::fromStdString(english(*hosts));
    for (const std::string &note : content.run->machine.notes)
        notes << withMicroSign(QString::fromStdString(note));
    std::stable_sort(notes.begin(), notes.end(),
                     [](const QString &a, const QString &b) { return a.size() < b.size(); });
    return (parts + notes).join(separator());
}

/// Padding that the work does not leave room for: the stages are not equally long, whatever the caption says.
QStringList shortPaddings(const Run &run)
{
    const auto times =
        run.experiment().stageDelay ? pipelineTimes(run, TimedIterations(run)) : std::optional<PipelineTimes>();
    QStringList words;
    if (times && times->forward && !times->forward->covers())
        words << tr("too little padding: a forward takes up to %1").arg(formatDuration(times->forward->workNs));
    if (times && times->backward && !times->backward->covers())
        words << tr("too little padding: a backward takes up to %1").arg(formatDuration(times->backward->workNs));
    return words;
}

QString warningOf(const TimelineContent &content)
{
    QStringList parts = shortPaddings(*content.run);
    if (content.stale)
        parts << tr("measured for other settings");
    // Its full sentence ends the caption, where a narrow card cuts it off.
    if (const QString beyond = nodeNote(*content.run); !beyond.isEmpty())
        parts << beyond;
    if (content.data.rejected > 0)
        parts << tr("impossible records left out: %1").arg(content.data.rejected);
    return parts.join(separator());
}

QString durationLine(const TimelineBar &bar)
{
    const QString duration = formatDuration(static_cast<double>(bar.duration()));
    if (!bar.collective || bar.waitNs == 0)
        return duration;
    return tr("%1 = %2 waiting + %3 transfer")
        .arg(duration, formatDuration(static_cast<double>(bar.waitNs)),
             formatDuration(static_cast<double>(bar.duration() - bar.waitNs)));
}

/// nccl-tests, doc/PERFORMANCE.md: S is the total array, busbw makes ops and rank counts comparable.
QString bandwidthLine(const TimelineContent &content, const TimelineBar &bar)
{
    const Collective &collective = *content.step(bar.step).collective;
    const int ranks = content.run->plan.groupSize(collective);
    const auto factor = busFactor(name(bar.op), ranks);
    if (!factor)
        return tr("busbw n/a, one rank");
    const auto transfer = static_cast<double>(bar.duration() - bar.waitNs);
    if (transfer <= 0)
        return tr("busbw %1").arg(undefinedText());
    // Bytes per nanosecond are GB/s with GB = 1e9.
    const double busbw = static_cast<double>(bar.payloadBytes) * *factor / transfer;
    const QString formula = bar.op == CollectiveOp::AllReduce ? QStringLiteral("2(n−1)/n")
                            : *factor < 1                     ? QStringLiteral("(n−1)/n")
                                                              : QStringLiteral("1");
    return tr("busbw %1 = S × %2 / transfer, n = %3, GB = 1e9 B").arg(formatGBs(busbw), formula).arg(ranks);
}

/// "all-reduce"; where the plan communicates along several axes "all-reduce over dp".
QString opWithAxis(const TimelineContent &content, const TimelineBar &bar)
{
    if (content.data.axes.size() == 1)
        return opName(bar.op);
    const std::string_view axis = axisName(bar.axis);
    return tr("%1 over %2").arg(opName(bar.op), QString::fromUtf8(axis.data(), static_cast<qsizetype>(axis.size())));
}

/// The classic mistake: a timer around the call sees how long ordering takes.
QStringList launchLines(const TimelineBar &bar)
{
    if (bar.launchNs == 0)
        return {};
    return {tr("a timer around the call would show %1: the launch, not the work")
                .arg(formatDuration(static_cast<double>(bar.launchNs)))};
}

} // namespace

BarOrigin TimelineContent::origin() const
{
    if (stale)
        return BarOrigin::Stale;
    return run && run->source == Source::Predicted ? BarOrigin::Predicted : BarOrigin::Measured;
}

TimelineContent timelineContent(std::shared_ptr<const Run> run, bool stale, const IterationChoice &choice)
{
    TimelineContent content;
    // A prediction is made for the settings as they are.
    content.stale = stale && run && run->source != Source::Predicted;
    content.run = std::move(run);
    if (!content.run) {
        content.title = tr("Where the time goes: no run yet");
        return content;
    }
    content.data = timelineData(*content.run, choice);
    content.title = findingTitle(content);
    content.caption = captionOf(content);
    content.warning = warningOf(content);
    return content;
}

QString captionWithin(QString caption, const QFontMetricsF &metrics, double width)
{
    for (qsizetype end = caption.lastIndexOf(separator()); end > 0 && metrics.horizontalAdvance(caption) > width;
         end = caption.lastIndexOf(separator()))
        caption.truncate(end);
    return metrics.elidedText(caption, Qt::ElideRight, width);
}

QStringList barDescription(const TimelineContent &content, const TimelineBar &bar)
{
    const Step &step = content.step(bar.step);
    const QString pass = QString::fromStdString(std::string(name(bar.pass)));
    QStringList lines;
    lines << tr("%1  ·  %2  ·  %3").arg(formulaText(step.label), pass, rankName(content.run->plan, bar.rank));
    if (!bar.collective) {
        lines << tr("%1  ·  %2").arg(durationLine(bar), formatFlop(static_cast<double>(step.flops)));
        return lines << launchLines(bar);
    }
    lines.front() = tr("%1: %2").arg(opWithAxis(content, bar), lines.front());
    lines << durationLine(bar);
    lines << tr("payload S = %1 (whole array)  ·  this rank sent %2")
                 .arg(formatBytes(static_cast<double>(bar.payloadBytes)),
                      formatBytes(static_cast<double>(bar.sentBytes)));
    lines << bandwidthLine(content, bar);
    for (const CarriedEvent &carried : content.run->carried) {
        if (carried.step == bar.step)
            lines << tr("carried by %1, %2: NCCL's own choice")
                         .arg(QString::fromStdString(carried.algorithm), QString::fromStdString(carried.protocol));
    }
    if (content.data.hiddenNs > 0)
        lines << tr("%1 hidden under compute, %2 exposed")
                     .arg(formatDuration(static_cast<double>(bar.hiddenNs)),
                          formatDuration(static_cast<double>(bar.duration() - bar.hiddenNs)));
    return lines << launchLines(bar);
}

QString choiceText(const TimelineData &data, const IterationChoice &choice)
{
    const int number = chosenNumber(data, choice);
    const QString length = lengthOf(data, number);
    switch (choice.kind) {
    case IterationChoice::Kind::Median:
        return tr("Median: step %1, %2").arg(number).arg(length);
    case IterationChoice::Kind::Fastest:
        return tr("Fastest: step %1, %2").arg(number).arg(length);
    case IterationChoice::Kind::Slowest:
        return tr("Slowest: step %1, %2").arg(number).arg(length);
    case IterationChoice::Kind::Number:
        break;
    }
    return tr("Step %1, %2").arg(number).arg(length);
}

QString rowTitle(const TimelineContent &content, int row)
{
    const int rank = content.data.rows[static_cast<std::size_t>(row)];
    const int others = content.data.alike[static_cast<std::size_t>(row)] - 1;
    QString title = rankTitle(content.run->plan, rank);
    if (others > 0)
        return tr("%1 and %2 alike").arg(title).arg(others);
    if (const Host *host = hostOf(*content.run, rank))
        title = QString::fromStdString(host->name) + QStringLiteral(" · ") + title;
    return title;
}

QString passHeading(Pass pass)
{
    switch (pass) {
    case Pass::Forward:
        return tr("FORWARD");
    case Pass::Recompute:
        return tr("RECOMPUTE");
    case Pass::Backward:
        return tr("BACKWARD");
    case Pass::Optimizer:
        break;
    }
    return tr("OPTIMIZER");
}

} // namespace shardscope

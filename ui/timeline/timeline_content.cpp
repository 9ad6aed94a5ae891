// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_content.h"

#include "engine/record/statistics.h"
#include "ui/charts/number_format.h"
#include "ui/texts.h"

#include <QCoreApplication>

namespace shardscope {
namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Timeline", text);
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

QString findingTitle(const TimelineContent &content)
{
    const Run &run = *content.run;
    const QString phase = phaseName(run.experiment().phase);
    if (content.data.empty())
        return tr("Where the time goes: no timed step yet");
    const RunSummary summary = summarize(run);
    const auto elapsed = summary.step.elapsedNs;
    if (!content.data.communicates)
        return tr("The %1 takes %2 and needs no communication").arg(phase, formatDuration(elapsed));
    const auto communication = summary.step.communicationNs;
    if (!elapsed || !communication || *elapsed <= 0)
        return tr("Where the time of one %1 goes").arg(phase);
    return tr("%1 of the %2 is communication: %3 of %4")
        .arg(formatShare(*communication / *elapsed), phase, formatDuration(communication), formatDuration(elapsed));
}

QString sourceOf(const Run &run)
{
    switch (run.source) {
    case Source::Predicted:
        return tr("predicted for %1")
            .arg(QString::fromStdString(run.hardware.empty() ? run.machine.host : run.hardware));
    case Source::Recorded:
        return tr("recorded %1").arg(QString::fromStdString(run.startedAt).left(10));
    case Source::Measured:
        break;
    }
    return tr("measured here");
}

QString captionOf(const TimelineContent &content)
{
    const TimelineData &data = content.data;
    QStringList parts;
    if (!data.empty() && content.run->source != Source::Predicted)
        parts << tr("step %1 of %2, the median").arg(data.timedNumber).arg(data.timedCount);
    parts << sourceOf(*content.run);
    for (const std::string &note : content.run->machine.notes)
        parts << QString::fromStdString(note);
    return parts.join(QStringLiteral("  ·  "));
}

QString warningOf(const TimelineContent &content)
{
    QStringList parts;
    if (content.stale)
        parts << tr("measured for other settings");
    if (content.data.rejected > 0)
        parts << tr("impossible records left out: %1").arg(content.data.rejected);
    return parts.join(QStringLiteral("  ·  "));
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
    const int ranks = content.run->plan.mesh().extent(collective.axis);
    const auto factor = busFactor(name(bar.op), ranks);
    if (!factor)
        return tr("busbw n/a, one rank");
    const auto transfer = static_cast<double>(bar.duration() - bar.waitNs);
    if (transfer <= 0)
        return tr("busbw %1").arg(undefinedText());
    // Bytes per nanosecond are GB/s with GB = 1e9.
    const double busbw = static_cast<double>(bar.payloadBytes) * *factor / transfer;
    const QString formula = bar.op == CollectiveOp::AllReduce ? QStringLiteral("2(n−1)/n") : QStringLiteral("(n−1)/n");
    return tr("busbw %1 = S × %2 / transfer, n = %3, GB = 1e9 B").arg(formatGBs(busbw), formula).arg(ranks);
}

} // namespace

BarOrigin TimelineContent::origin() const
{
    if (stale)
        return BarOrigin::Stale;
    return run && run->source == Source::Predicted ? BarOrigin::Predicted : BarOrigin::Measured;
}

TimelineContent timelineContent(std::shared_ptr<const Run> run, bool stale)
{
    TimelineContent content;
    // A prediction is made for the settings as they are.
    content.stale = stale && run && run->source != Source::Predicted;
    content.run = std::move(run);
    if (!content.run) {
        content.title = tr("Where the time goes: no run yet");
        return content;
    }
    content.data = timelineData(*content.run);
    content.title = findingTitle(content);
    content.caption = captionOf(content);
    content.warning = warningOf(content);
    return content;
}

QStringList barDescription(const TimelineContent &content, const TimelineBar &bar)
{
    const Step &step = content.step(bar.step);
    const QString pass = QString::fromStdString(std::string(name(bar.pass)));
    QStringList lines;
    lines << tr("%1  ·  %2  ·  rank %3").arg(formulaText(step.label), pass).arg(bar.rank);
    if (!bar.collective) {
        lines << tr("%1  ·  %2 FLOP").arg(durationLine(bar), formatGrouped(step.flops));
        return lines;
    }
    lines.front() = tr("%1: %2").arg(collectiveName(bar.op), lines.front());
    lines << durationLine(bar);
    lines << tr("payload S = %1 (whole array)  ·  this rank sent %2")
                 .arg(formatBytes(static_cast<double>(bar.payloadBytes)),
                      formatBytes(static_cast<double>(bar.sentBytes)));
    lines << bandwidthLine(content, bar);
    return lines;
}

QString collectiveName(CollectiveOp op)
{
    QString text = QString::fromStdString(std::string(name(op)));
    return text.replace(QLatin1Char('_'), QLatin1Char('-'));
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_words.h"

#include "engine/simulate/hardware.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QDateTime>
#include <QStringList>

namespace shardscope {

namespace {

QString hardwareTitle(const Run &run)
{
    if (!run.machine.host.empty())
        return QString::fromStdString(titleOf(run.machine));
    return run.hardware == "this" ? tr("this machine") : QString::fromStdString(run.hardware);
}

} // namespace

QString runDate(const Run &run)
{
    const QDateTime start = QDateTime::fromString(QString::fromStdString(run.startedAt), Qt::ISODate).toLocalTime();
    // The same form for every reader: a slide travels further than a locale.
    return start.isValid() ? start.toString(QStringLiteral("yyyy-MM-dd HH:mm")) : QString::fromStdString(run.startedAt);
}

QString sourcePhrase(const Run &run)
{
    const QString host = QString::fromStdString(titleOf(run.machine));
    switch (run.source) {
    case Source::Measured:
        return tr("measured %1 on %2").arg(runDate(run), host);
    case Source::Recorded:
        return tr("recorded on %1, %2").arg(host, runDate(run));
    case Source::Predicted:
        break;
    }
    return tr("predicted for %1").arg(hardwareTitle(run));
}

QString measuredWhere(const Run &run)
{
    return run.machine.remote.empty() ? tr("measured here")
                                      : tr("measured on %1").arg(QString::fromStdString(run.machine.remote));
}

QString predictedMachine(const Run &run)
{
    // "gpu1: 2 cores, AMD ...", "8 x H100 SXM 80 GB, NVLink 4, ring": what follows tells alike ones apart.
    const QString title = hardwareTitle(run);
    if (run.hardware != "this")
        return title.section(QLatin1Char(','), 0, 0);
    const QString name = title.section(QStringLiteral(": "), 0, 0);
    return name == QLatin1String("this machine") || name == title ? tr("this machine") : name;
}

QString nodeNote(const Run &run)
{
    const Hardware *hardware = findHardware(run.hardware);
    const int ranks = run.experiment().ranks();
    if (!hardware || ranks <= hardware->devices)
        return {};
    const int nodes = (ranks + hardware->devices - 1) / hardware->devices;
    return tr("%1 ranks on %2 nodes of %3: ports between them assumed").arg(ranks).arg(nodes).arg(hardware->devices);
}

QString stepsNote(const Run &run)
{
    if (run.isPrediction()) // it has one step and no clock
        return {};
    const int timed = run.completeIterations();
    const int asked = run.experiment().steps;
    return timed < asked ? tr("%1 of %2").arg(timed).arg(counted(asked, tr("%1 step|%1 steps"))) : QString();
}

QString partialNote(const std::vector<const Run *> &runs)
{
    QStringList notes;
    for (const Run *run : runs) {
        const QString note = run ? stepsNote(*run) : QString();
        if (note.isEmpty())
            continue;
        // Beside the phases of N ranks stands one phase of the same layer on one.
        const bool one = run->experiment().ranks() == 1 && runs.front() && runs.front()->experiment().ranks() > 1;
        notes << (one ? tr("N = 1") : QString::fromUtf8(name(run->experiment().phase).data())) + QLatin1Char(' ') +
                     note;
    }
    return notes.join(QStringLiteral(", "));
}

bool isBrokenOff(const Run &run)
{
    return !run.isPrediction() && (!run.end || run.end->status == EndEvent::Status::Cancelled);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/points_provenance.h"

#include "ui/check_words.h"
#include "ui/run_words.h"
#include "ui/setting_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

/// "median of 5 to 20 timed steps".
QString statisticOf(const std::vector<const Run *> &runs)
{
    const auto [fewest, most] = std::ranges::minmax(runs, {}, &Run::completeIterations);
    const int least = fewest->completeIterations();
    const int highest = most->completeIterations();
    return least == highest ? counted(least, tr("median of %1 timed step|median of %1 timed steps"))
                            : tr("median of %1 to %2 timed steps").arg(least).arg(highest);
}

QStringList measuredParts(const std::vector<const Run *> &runs)
{
    const Run &first = *runs.front();
    QStringList parts{sourcePhrase(first)};
    QStringList software{QString::fromStdString(first.machine.backend)};
    for (const auto &[library, version] : first.machine.libraries)
        software << QString::fromStdString(library) + QLatin1Char(' ') + QString::fromStdString(version);
    software.removeAll(QString());
    if (!software.isEmpty())
        parts << software.join(QStringLiteral(", "));
    parts << statisticOf(runs);
    if (const CheckVerdict checks = checkVerdict(runs); checks.state != CheckVerdict::State::Unchecked)
        parts << checks.line;
    QStringList notes;
    for (const Run *run : runs) {
        notes << delayWords(run->experiment());
        // "2 ranks on 2 cores; not GPU times": what several runs have in common is said once.
        for (const std::string &note : run->machine.notes)
            notes << withMicroSign(QString::fromStdString(note)).split(QStringLiteral("; "));
    }
    // What is true of all stands last: "1 rank on 2 cores · 2 ranks on 2 cores · not GPU times".
    std::ranges::reverse(notes);
    notes.removeDuplicates();
    std::ranges::reverse(notes);
    return parts + notes;
}

} // namespace

QString pointsProvenance(const std::vector<const Run *> &runs)
{
    std::vector<const Run *> measured;
    const Run *predicted = nullptr;
    for (const Run *run : runs) {
        if (run && !run->isPrediction())
            measured.push_back(run);
        else if (run && (!predicted || run->experiment().ranks() > predicted->experiment().ranks()))
            predicted = run; // the one that is furthest beyond a node
    }
    QStringList parts;
    if (!measured.empty())
        parts = measuredParts(measured);
    if (predicted) {
        parts << (measured.empty() ? sourcePhrase(*predicted) : tr("hollow: %1").arg(sourcePhrase(*predicted)));
        parts << nodeNote(*predicted);
        parts.removeAll(QString());
    }
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString measuredWords(const Run &run)
{
    const bool recorded = run.source == Source::Recorded;
    if (run.machine.backend != "gloo")
        return recorded ? tr("recorded elsewhere") : measuredWhere(run);
    return recorded ? tr("recorded elsewhere on CPU ranks") : tr("%1 on CPU ranks").arg(measuredWhere(run));
}

QString pointSource(const Run &run)
{
    return run.isPrediction() ? tr("predicted for %1").arg(predictedMachine(run)) : sourcePhrase(run);
}

QString originWords(const Run &run)
{
    const QString words = run.isPrediction() ? pointSource(run) : measuredWords(run);
    return words.left(1).toUpper() + words.mid(1);
}

bool comparable(const Run &a, const Run &b)
{
    if (a.isPrediction() || b.isPrediction())
        return a.isPrediction() && b.isPrediction() && a.hardware == b.hardware;
    return a.source == b.source && a.machine.host == b.machine.host && a.machine.remote == b.machine.remote &&
           a.machine.backend == b.machine.backend;
}

Transport transportOf(const std::vector<RunPtr> &measured, const Hardware &predictedFor)
{
    const auto known = std::ranges::find_if(measured, [](const RunPtr &run) { return run != nullptr; });
    return known == measured.end() ? predictedFor.transport : (*known)->plan.transport;
}

} // namespace shardscope

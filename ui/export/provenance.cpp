// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/provenance.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>

namespace shardscope {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Provenance", text);
}

QString settingsOf(const Experiment &experiment)
{
    return QStringLiteral("%1 %2, %3, b %4, s %5, h %6, N %7")
        .arg(QString::fromUtf8(name(experiment.scheme).data()), QString::fromUtf8(name(experiment.phase).data()),
             QString::fromUtf8(name(experiment.dtype).data()))
        .arg(experiment.batch)
        .arg(experiment.sequence)
        .arg(experiment.hidden)
        .arg(experiment.ranks());
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
    const QString host = QString::fromStdString(run.machine.host);
    switch (run.source) {
    case Source::Measured:
        return tr("measured %1 on %2").arg(runDate(run), host);
    case Source::Recorded:
        return tr("recorded on %1, %2").arg(host, runDate(run));
    case Source::Predicted:
        break;
    }
    return tr("predicted for %1").arg(host.isEmpty() ? QString::fromStdString(run.hardware) : host);
}

QString provenance(const Run *run, const Experiment &experiment)
{
    QStringList parts;
    if (run) {
        parts << sourcePhrase(*run);
        QStringList software{QString::fromStdString(run->machine.backend)};
        for (const auto &[library, version] : run->machine.libraries)
            software << QString::fromStdString(library) + QLatin1Char(' ') + QString::fromStdString(version);
        software.removeAll(QString());
        if (run->source != Source::Predicted && !software.isEmpty())
            parts << software.join(QStringLiteral(", "));
    }
    parts << settingsOf(experiment);
    if (run && run->source != Source::Predicted)
        parts << tr("median of %1 steps, p10 to p90").arg(run->completeIterations());
    if (run) {
        for (const std::string &note : run->machine.notes)
            parts << QString::fromStdString(note);
    }
    parts << QStringLiteral("Shardscope " SHARDSCOPE_VERSION);
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_progress.h"

#include "ui/translation.h"

#include <QFile>
#include <QTextStream>
#include <cstdio>

namespace shardscope {

namespace {

constexpr int kLongMs = 30'000;

/// Progress is for eyes, not for files. Where /proc does not say, there is none.
bool stderrIsTerminal()
{
    const QString target = QFile::symLinkTarget(QStringLiteral("/proc/self/fd/2"));
    return target.startsWith(QLatin1String("/dev/pts/")) || target.startsWith(QLatin1String("/dev/tty"));
}

} // namespace

QString timeLeft(double fraction, double elapsedSeconds)
{
    constexpr double kLeastSeconds = 3;
    constexpr double kLeastFraction = 0.02;
    constexpr double kMinute = 60;
    if (elapsedSeconds < kLeastSeconds || fraction < kLeastFraction || fraction >= 1)
        return {};
    const double left = elapsedSeconds * (1 - fraction) / fraction;
    return left < 1.5 * kMinute ? tr("about %1 s left").arg(qMax(1, qRound(left)))
                                : tr("about %1 min left").arg(qRound(left / kMinute));
}

ExportProgress::ExportProgress() : m_terminal(stderrIsTerminal())
{
    m_long.setSingleShot(true);
    m_long.setInterval(kLongMs);
}

void ExportProgress::begin(int runs, bool predictable)
{
    m_since.start();
    if (m_terminal)
        return;
    QObject::connect(&m_long, &QTimer::timeout, &m_long, [runs, predictable] {
        const QString count = runs == 1 ? tr("1 run") : tr("%1 runs").arg(runs);
        QString words = tr("still measuring (%1 for this picture)").arg(count);
        if (predictable)
            words += tr("; --hardware with a preset predicts instead");
        QTextStream(stderr) << QStringLiteral("shardscope: ") << words << Qt::endl;
    });
    m_long.start();
}

void ExportProgress::show(const QString &stage, double fraction)
{
    if (!m_terminal)
        return;
    const QString left = timeLeft(fraction, static_cast<double>(m_since.elapsed()) / 1000);
    QTextStream(stderr) << QStringLiteral("\r\033[K%1 %2 %").arg(stage).arg(qRound(100 * qMax(0.0, fraction)))
                        << (left.isEmpty() ? left : QStringLiteral(", ") + left) << Qt::flush;
}

void ExportProgress::clear()
{
    m_long.stop();
    if (m_terminal)
        QTextStream(stderr) << QStringLiteral("\r\033[K") << Qt::flush;
}

} // namespace shardscope

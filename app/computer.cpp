// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/computer.h"

#include "engine/simulate/simulate.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QFile>
#include <QThread>

namespace shardscope {

namespace {

constexpr double kShareOfMemory = 0.8; ///< above it the engine refuses too
constexpr double kAutomaticSeconds = 2;

QString rankWord(int ranks)
{
    return counted(ranks, tr("%1 rank|%1 ranks"));
}

QString coreWord(int cores)
{
    return counted(cores, tr("%1 core|%1 cores"));
}

std::optional<std::int64_t> availableMemory()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QList<QByteArray> lines = file.readAll().split('\n');
    for (const QByteArray &line : lines) {
        if (line.startsWith("MemAvailable:"))
            return line.mid(13).trimmed().split(' ').first().toLongLong() * 1024;
    }
    return std::nullopt;
}

} // namespace

Computer Computer::thisOne()
{
    return {QThread::idealThreadCount(), availableMemory(), {}};
}

Computer Computer::of(const HelloEvent &hello)
{
    const auto bytes = hello.availableBytes > 0 ? std::optional(hello.availableBytes) : std::nullopt;
    return {coresOf(hello.machine), bytes, QString::fromStdString(hello.machine.remote)};
}

QString Computer::where() const
{
    return name.isEmpty() ? tr("here") : tr("on %1").arg(name);
}

RunPermission runPermission(const Experiment &experiment, const Computer &computer, double stepSeconds)
{
    const int ranks = experiment.ranks();
    if (computer.cores == 0)
        return {true, false, tr("Not connected to %1; press Run to connect").arg(computer.name)};
    if (ranks > computer.mostRanks())
        return {false, false,
                tr("%1 would share %2; up to %3 ranks run for real %4")
                    .arg(rankWord(ranks), coreWord(computer.cores))
                    .arg(computer.mostRanks())
                    .arg(computer.where())};
    const double needed = static_cast<double>(estimatedBytesPerRank(experiment)) * ranks;
    if (computer.availableBytes) {
        const double free = static_cast<double>(*computer.availableBytes);
        if (needed > kShareOfMemory * free)
            return {
                false, false,
                counted(ranks, tr("%1 rank needs %2 of memory, %3 are free|%1 ranks need %2 of memory, %3 are free"))
                    .arg(gigabytes(needed), gigabytes(free))};
    }
    if (stepSeconds > kAutomaticSeconds)
        return {true, false,
                tr("One step is expected to take %1 s %2; press Run to measure it")
                    .arg(QString::number(stepSeconds, 'f', stepSeconds < 10 ? 1 : 0), computer.where())};
    return {true, true, {}};
}

QString honestyNote(int ranks, int cores)
{
    if (ranks <= cores)
        return tr("CPU ranks; not GPU times");
    if (cores == 1)
        return tr("%1 ranks share one core; not GPU times").arg(ranks);
    return tr("%1 ranks share %2 cores; not GPU times").arg(ranks).arg(cores);
}

QString honestyOn(int ranks, const Computer &computer)
{
    const QString note = honestyNote(ranks, computer.cores);
    return computer.name.isEmpty() ? note : tr("On %1: %2").arg(computer.name, note);
}

QString ranksOnCoresWord(int ranks, const Computer &computer)
{
    const QString words = tr("%1 on %2").arg(rankWord(ranks), coreWord(computer.cores));
    return computer.name.isEmpty() ? words : tr("%1 of %2").arg(words, computer.name);
}

QString gigabytes(double bytes)
{
    return tr("%1 GB").arg(QString::number(bytes / 1e9, 'f', bytes < 1e10 ? 1 : 0));
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_files.h"

#include "ui/texts.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QLocale>
#include <QSaveFile>
#include <QStringList>

namespace shardscope {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("RunFiles", text);
}

} // namespace

OpenedRuns openRuns(const QString &file)
{
    const QString shown = QDir::toNativeSeparators(file);
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly))
        return {{}, QStringLiteral("%1: %2").arg(shown, source.errorString()), {}};
    const QByteArray bytes = source.readAll();
    RunFile read = readRuns(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    OpenedRuns opened{std::move(read.runs), {}, {}};
    QString first;
    if (!read.problems.empty()) {
        const auto &[line, text] = read.problems.front();
        first = tr("%1, line %2: %3").arg(shown).arg(line).arg(sentence(text));
    }
    if (!opened.runs.empty())
        opened.note = first;
    else
        opened.problem =
            first.isEmpty() ? tr("%1: holds no run; expected a file that Shardscope saved").arg(shown) : first;
    return opened;
}

QString saveRuns(const QString &file, const std::vector<Run> &runs)
{
    const std::string bytes = writeRuns(runs);
    QSaveFile target(file);
    const auto size = static_cast<qint64>(bytes.size());
    if (!target.open(QIODevice::WriteOnly) || target.write(bytes.data(), size) != size || !target.commit())
        return QStringLiteral("%1: %2").arg(QDir::toNativeSeparators(file), target.errorString());
    return {};
}

QString recordedTitle(const Run &run)
{
    if (!run.hardware.empty())
        return tr("A prediction from a file");
    const QDateTime start = QDateTime::fromString(QString::fromStdString(run.startedAt), Qt::ISODate).toLocalTime();
    return start.isValid() ? tr("Recorded on %1").arg(QLocale().toString(start, QLocale::ShortFormat))
                           : tr("Recorded, without a date");
}

QString recordedWhere(const Run &run)
{
    QStringList parts{QString::fromStdString(run.machine.host)};
    // The first note says how the ranks shared the machine; those of a prediction are its formulas.
    if (run.hardware.empty() && !run.machine.notes.empty())
        parts << QString::fromStdString(run.machine.notes.front());
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

QString rejectedNote(int rejected)
{
    if (rejected == 0)
        return {};
    return rejected == 1 ? tr("1 impossible record was left out: a clock that did not run, or an unknown step or rank")
                         : tr("%1 impossible records were left out: clocks that did not run, or unknown steps or ranks")
                               .arg(rejected);
}

} // namespace shardscope

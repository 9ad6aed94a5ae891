// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_files.h"

#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/translation.h"
#include "ui/whole_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>

namespace shardscope {

namespace {

/// Some problems name their remedy already.
QString withAllowed(const QString &problem, const Text &text)
{
    if (text.id == TextId::StreamNewer || sentence(text).contains(QLatin1String(".shardscope")))
        return problem;
    return tr("%1; allowed: a recording that Shardscope saved (.shardscope)").arg(problem);
}

} // namespace

OpenedRuns openRuns(const QString &file)
{
    const QString shown = QDir::toNativeSeparators(file);
    // A device or a pipe may have no end, and a pipe without a writer no beginning.
    if (const QFileInfo info(file); info.exists() && !info.isFile())
        return {{}, tr("%1: is no regular file; allowed: a .shardscope file").arg(shown), {}};
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
    else if (first.isEmpty())
        opened.problem = tr("%1: holds no run; allowed: a recording that Shardscope saved (.shardscope)").arg(shown);
    else
        opened.problem = withAllowed(first, read.problems.front().second);
    return opened;
}

QString saveRuns(const QString &file, const std::vector<Run> &runs)
{
    const std::string bytes = writeRuns(runs);
    return writeWhole(file, QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
}

QString recordedTitle(const Run &run)
{
    if (!run.hardware.empty())
        return tr("A prediction from a file");
    const QString date = runDate(run);
    return date.isEmpty() ? tr("Recorded, without a date") : tr("Recorded on %1").arg(date);
}

QString recordedWhere(const Run &run)
{
    QStringList parts{QString::fromStdString(titleOf(run.machine))};
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

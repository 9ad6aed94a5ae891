// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_files.h"

#include "ui/texts.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSaveFile>

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

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ssh_end.h"

#include "ui/remote/host_name.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr int kSshFailed = 255;
constexpr int kNotFound = 127;      ///< of a shell: no such program
constexpr int kNotExecutable = 126; ///< of a shell

/// What ssh writes, what that means of host %1, and what helps; %2 is the address for a terminal.
struct Cause {
    const char *words;
    const char *meaning;
    const char *remedy;
};
constexpr const char *kInATerminal =
    QT_TRANSLATE_NOOP("SshEnd", "Check the user and the key: what this window needs is that ssh %2 logs in from a "
                                "terminal.");
constexpr const char *kIsItOn = QT_TRANSLATE_NOOP("SshEnd", "Is the machine on, and the network or VPN up?");
// The first that fits: the changed key before the failed verification that follows from it.
constexpr Cause kCauses[] = {
    {"Host key verification failed", QT_TRANSLATE_NOOP("SshEnd", "The host key of %1 was not accepted"),
     QT_TRANSLATE_NOOP("SshEnd", "Connect again and answer yes if its fingerprint is the right one.")},
    {"Too many authentication failures", QT_TRANSLATE_NOOP("SshEnd", "This user was not let in by %1"), kInATerminal},
    {"Permission denied", QT_TRANSLATE_NOOP("SshEnd", "This user was not let in by %1"), kInATerminal},
    {"Could not resolve hostname", QT_TRANSLATE_NOOP("SshEnd", "No machine is known as %1"),
     QT_TRANSLATE_NOOP("SshEnd", "Check the spelling; short names of machines stand in ~/.ssh/config.")},
    {"Connection refused", QT_TRANSLATE_NOOP("SshEnd", "No connection to %1"),
     QT_TRANSLATE_NOOP("SshEnd", "Does an ssh server run there, on that port? Another port stands in ~/.ssh/config, or "
                                 "in SHARDSCOPE_SSH=\"ssh -p PORT\".")},
    {"timed out", QT_TRANSLATE_NOOP("SshEnd", "No answer from %1"), kIsItOn},
    {"No route to host", QT_TRANSLATE_NOOP("SshEnd", "No answer from %1"), kIsItOn},
    {"Network is unreachable", QT_TRANSLATE_NOOP("SshEnd", "No answer from %1"), kIsItOn},
    {"not responding", QT_TRANSLATE_NOOP("SshEnd", "No answer from %1"), kIsItOn},
};

QStringList linesOf(const QString &errors)
{
    QStringList lines;
    for (const QString &line : errors.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        if (!line.trimmed().isEmpty())
            lines << line.trimmed();
    }
    return lines;
}

/// The last line with those words; empty: none has them.
QString lineWith(const QStringList &lines, const QString &words)
{
    const auto found = std::find_if(lines.rbegin(), lines.rend(),
                                    [&](const QString &line) { return line.contains(words, Qt::CaseInsensitive); });
    return found == lines.rend() ? QString() : *found;
}

QString withWords(const QString &meaning, const QString &words)
{
    // ssh ends its sentences with a full stop; this one goes on.
    QString end = words;
    while (end.endsWith(QLatin1Char('.')))
        end.chop(1);
    return end.isEmpty() ? meaning : QStringLiteral("%1: %2").arg(meaning, end);
}

EngineEnd changedKey(const QString &host, const QStringList &lines)
{
    // Debian's ssh writes the whole command, with the file that holds the old key.
    QString remove = lineWith(lines, QStringLiteral("ssh-keygen -f"));
    if (remove.isEmpty())
        remove = QStringLiteral("ssh-keygen -R ") + host;
    QString words = lineWith(lines, QStringLiteral("has changed and you have requested"));
    if (words.isEmpty())
        words = lineWith(lines, QStringLiteral("HAS CHANGED")).remove(QLatin1Char('@')).trimmed();
    return {withWords(tr("The host key of %1 has changed, and ssh refuses to connect").arg(host), words),
            tr("Somebody may be listening in. If the machine was installed anew, remove its old key and connect again: "
               "%1")
                .arg(remove)};
}

EngineEnd noEngine(const QString &host, const QString &words)
{
    return {
        withWords(tr("No Shardscope engine is found on %1").arg(host), words),
        tr("Install it there: in Shardscope's folder packaging/setup.sh --engine-only, cmake --preset release "
           "-DSHARDSCOPE_GUI=OFF, cmake --build --preset release. Put build/release/bin on the PATH that ssh logins "
           "have, or name shardscope-engine with its path in SHARDSCOPE_REMOTE_ENGINE here.")};
}

EngineEnd sshFailed(const SshEnd &end, const QString &host, const QStringList &lines)
{
    const QString last = lines.isEmpty() ? QString() : lines.back();
    if (end.greeted) // whatever broke it, it is the same to whoever looks at results
        return {withWords(tr("The connection to %1 was lost").arg(host), last), tr("Results so far stay.")};
    if (!lineWith(lines, QStringLiteral("HOST IDENTIFICATION HAS CHANGED")).isEmpty())
        return changedKey(host, lines);
    for (const Cause &cause : kCauses) {
        const QString line = lineWith(lines, QLatin1String(cause.words));
        if (line.isEmpty())
            continue;
        QString remedy = tr(cause.remedy);
        return {withWords(tr(cause.meaning).arg(host), line), remedy.replace(QLatin1String("%2"), end.address)};
    }
    return {withWords(tr("No connection to %1").arg(host), last),
            tr("What this window needs is that ssh %1 logs in from a terminal.").arg(end.address)};
}

} // namespace

EngineEnd explain(const SshEnd &end)
{
    const QString host = hostName(end.address);
    const QStringList lines = linesOf(end.errors);
    const QString last = lines.isEmpty() ? QString() : lines.back();
    if (end.killed)
        return {tr("The connection to %1 was lost: ssh was killed").arg(host), tr("Results so far stay.")};
    if (end.exitCode == kSshFailed)
        return sshFailed(end, host, lines);
    if (!end.greeted && end.exitCode == kNotFound)
        return noEngine(host, last);
    if (!end.greeted && end.exitCode == kNotExecutable)
        return {withWords(tr("The engine on %1 cannot be started").arg(host), last),
                tr("It must be a program that this user may start there.")};
    const QString ended = tr("The engine on %1 ended with exit status %2").arg(host).arg(end.exitCode);
    return {withWords(ended, last), end.greeted
                                        ? tr("Results so far stay.")
                                        : tr("Does ssh %1 shardscope-engine doctor find something?").arg(end.address)};
}

} // namespace shardscope

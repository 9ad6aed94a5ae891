// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_start.h"

#include <QProcess>

namespace shardscope {

EngineStart engineHere(const QString &program)
{
    return {program, {QStringLiteral("serve")}};
}

EngineStart engineBySsh(const QString &address)
{
    QStringList words = QProcess::splitCommand(qEnvironmentVariable("SHARDSCOPE_SSH"));
    if (words.isEmpty())
        words << QStringLiteral("ssh");
    QString engine = qEnvironmentVariable("SHARDSCOPE_REMOTE_ENGINE").trimmed();
    if (engine.isEmpty())
        engine = QStringLiteral("shardscope-engine");
    const QString program = words.takeFirst();
    // No terminal there: its bytes would be changed. A network that falls silent is noticed after 10 s. What comes
    // behind "--" is no option, whatever it begins with.
    for (const char *option : {"ServerAliveInterval=5", "ServerAliveCountMax=2", "ConnectTimeout=15"})
        words << QStringLiteral("-o") << QLatin1String(option);
    words << QStringLiteral("-T") << QStringLiteral("--") << address << QStringLiteral("exec %1 serve").arg(engine);
    return {program, words};
}

} // namespace shardscope

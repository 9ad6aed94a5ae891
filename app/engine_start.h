// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace shardscope {

/// The command that starts an engine.
struct EngineStart {
    QString program;
    QStringList arguments;
};

/// An engine of this machine.
[[nodiscard]] EngineStart engineHere(const QString &program);

/// An engine of another machine, `address` as hostProblem() allows it. SHARDSCOPE_SSH names the ssh command, with its
/// options; SHARDSCOPE_REMOTE_ENGINE what the shell there starts.
[[nodiscard]] EngineStart engineBySsh(const QString &address);

} // namespace shardscope

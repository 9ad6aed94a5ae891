// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace shardscope {

/// How an ssh that carried an engine's stream ended.
struct SshEnd {
    QString address;      ///< as it was asked for
    int exitCode = 0;     ///< ssh's own failures are 255, all others those of the command there
    bool killed = false;  ///< by a signal
    bool greeted = false; ///< the engine had said hello
    QString errors;       ///< what ssh, the shell there and the engine wrote on stderr
};

/// One sentence, and what helps.
struct EngineEnd {
    QString reason;
    QString remedy;
};

/// ssh's words with what they mean: no such host, no way in, another key, no engine there, a lost connection.
[[nodiscard]] EngineEnd explain(const SshEnd &end);

} // namespace shardscope

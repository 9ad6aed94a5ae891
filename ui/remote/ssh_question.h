// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace shardscope {

/// What ssh asks while it connects, in its own words.
struct SshQuestion {
    enum class Kind {
        Secret,  ///< password, passphrase, one-time code: never shown unless asked for
        HostKey, ///< yes or no: is this the host's key?
        Confirm, ///< yes or no
        Notice   ///< nothing to answer: a security key waits to be touched
    } kind = Kind::Secret;
    int id = 0;
    QString host;       ///< that is connected to
    QString words;      ///< ssh's
    bool again = false; ///< it has asked the same before: the answer was not accepted
};

/// The kind of what ssh asks. `hint` is SSH_ASKPASS_PROMPT: "confirm", "none" or empty.
[[nodiscard]] SshQuestion::Kind questionKind(const QString &words, const QString &hint);

} // namespace shardscope

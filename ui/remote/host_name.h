// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace shardscope {

/// Why `address` cannot be given to ssh as [USER@]HOST, one line; empty: it can. Whether the host exists is ssh's to
/// find out.
[[nodiscard]] QString hostProblem(const QString &address);

/// What labels call it: "gpu1" of "me@gpu1" and of "ssh://me@gpu1:2222".
[[nodiscard]] QString hostName(const QString &address);

} // namespace shardscope

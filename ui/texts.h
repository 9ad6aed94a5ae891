// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/text.h"

#include <QString>

namespace shardscope {

/// A sentence of the engine in the window's language.
[[nodiscard]] QString sentence(const Text &text);

} // namespace shardscope

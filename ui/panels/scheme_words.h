// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QString>

namespace shardscope {

/// "MLP: columns, then rows", as every list of schemes has it.
[[nodiscard]] QString schemeTitle(Scheme scheme);
/// What is special about it, one sentence.
[[nodiscard]] QString schemeTooltip(Scheme scheme);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/text.h"

#include <QString>

namespace shardscope {

/// Changes `experiment` so that the rule of `problem`, one of validate()'s, holds, as little as it can. Returns what
/// was changed, in words; empty when nothing near would do.
[[nodiscard]] QString repaired(Experiment &experiment, const Text &problem);

/// The rule alone, without the option's spelling on the command line and without what is allowed there.
[[nodiscard]] QString ruleOf(const Text &problem);

} // namespace shardscope

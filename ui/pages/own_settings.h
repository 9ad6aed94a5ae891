// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QString>
#include <set>
#include <string_view>

namespace shardscope {

/// "Not as in the workbench: scheme mlp instead of row, phase training instead of decode": what a page draws otherwise
/// than `asked`, in the names of the command line, so that no picture passes for another experiment's. Of `drawn` only
/// options that it uses; `varied`: those over which the page draws its curves. Empty where nothing differs.
[[nodiscard]] QString ownSettings(const Experiment &asked, const Experiment &drawn,
                                  const std::set<std::string_view> &varied);

} // namespace shardscope

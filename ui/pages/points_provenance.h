// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/run.h"

#include <QString>
#include <vector>

namespace shardscope {

/// Where the numbers of a page of points come from, for the footer of a picture: what was measured or recorded, with
/// machine, libraries, statistic and checks; then which machine the hollow marks are predicted for. Null is passed
/// over.
[[nodiscard]] QString pointsProvenance(const std::vector<const Run *> &runs);

/// "measured here, 4 ranks share 2 cores", "recorded on ...", "predicted for ...": where one point comes from.
[[nodiscard]] QString pointSource(const Run &run);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/derivation/derivation_content.h"

namespace shardscope {

/// What is known of the time of `step`: a row for what ran, one for the prediction, and of a collective whether it
/// could be hidden under compute, by what ran where anything did. Runs of other settings are left out.
[[nodiscard]] std::vector<DerivationContent::Row> derivationTimes(const Plan &plan, const Step &step,
                                                                  const Results &results, const RunSummary &ran);

} // namespace shardscope

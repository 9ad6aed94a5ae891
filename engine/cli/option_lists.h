// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"

#include <string>
#include <vector>

namespace shardscope::cli {

/// The values of a list, each once. A mesh holds commas itself (tp=2,dp=2), so its list is separated by semicolons.
/// Throws Failure (exit 2).
[[nodiscard]] std::vector<std::string> splitList(const std::string &option, const std::string &list);

/// The other way round.
[[nodiscard]] std::string joinList(const std::string &option, const std::vector<std::string> &values);

/// An option that no point uses is as wrong as in a single experiment, and gets that experiment's words. `first` is
/// what the first point was read from. Throws Refused.
void refuseUnused(const OptionValues &given, const std::vector<Experiment> &points, OptionValues first);

} // namespace shardscope::cli

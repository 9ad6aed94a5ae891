// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/text.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// A rule between options that an experiment breaks.
struct Violation {
    Text text;
    /// The options of which another value mends it; the nearest allowed ones become the last argument of the text.
    /// "tp", "dp" and "pp" are axes of the mesh.
    std::vector<std::string_view> mendedBy{};
};

struct FirstViolation {
    Violation violation;
    std::size_t rule = 0; ///< its place in the order in which rules are asked
};

/// The first rule between options that `e` breaks; single values must be such as their options read.
[[nodiscard]] std::optional<FirstViolation> firstViolation(const Experiment &e);

/// Options whose values were given, so that they do not follow from others.
using GivenOptions = std::set<std::string, std::less<>>;

/// "--heads 8 or 20, or --ranks 2": of each option that mends it the nearest values below and above that are
/// allowed. They leave nothing else to mend where that can be, or else only rules that come later. A list of words
/// alone, "library, ring", where one option that takes words mends it.
[[nodiscard]] std::string nearestAllowed(const Experiment &e, const FirstViolation &found, const GivenOptions &given);

/// validate(), for an experiment that was read from these options.
[[nodiscard]] std::optional<Text> refusal(const Experiment &e, const GivenOptions &given);

/// "--ranks 6, or --mesh tp=4": how --ranks and --mesh can agree, for an experiment that has the mesh and was to have
/// `ranks`.
[[nodiscard]] std::string agreeingMeshes(const Experiment &e, int ranks, const GivenOptions &given);

} // namespace shardscope

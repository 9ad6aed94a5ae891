// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/arguments.h"
#include "engine/cli/points.h"
#include "engine/plan/refusal.h"
#include "engine/plan/run_limits.h"

#include <algorithm>
#include <span>

namespace shardscope::cli {

/// Thrown by what reads options: a refusal that is still without advice.
struct Refused {
    Refusal refusal;
};

/// One experiment, or Refused.
[[nodiscard]] inline Experiment readOrRefuse(const OptionValues &given, Unused unused)
{
    Experiment read;
    if (auto refusal = refusalOf(given, unused, read))
        throw Refused{std::move(*refusal)};
    return read;
}

/// Whether what is offered for that purpose could be done: a run has narrower limits than a prediction.
[[nodiscard]] inline bool isPossible(Purpose purpose, std::span<const Experiment> points)
{
    return purpose == Purpose::Prediction ||
           std::ranges::all_of(points, [](const Experiment &point) { return !runLimitProblem(point); });
}

/// What `read` makes of the options of a whole command. What it refuses is a Failure (exit 2) that names what may be
/// typed instead: each was read by `read`, so that all points of the command accept it, and `isOffered` agreed.
/// `points`: about so many.
template <typename Read, typename IsOffered>
auto readAdvised(const OptionValues &given, Read read, IsOffered isOffered, std::size_t points = 1)
{
    try {
        return read(given);
    } catch (const Refused &refused) {
        const Reader reader = [&](const OptionValues &values) -> std::optional<Refusal> {
            try {
                return isOffered(read(values)) ? std::nullopt : std::optional(Refusal{}); // nothing to try next
            } catch (const Refused &again) {
                return again.refusal;
            } catch (const Failure &) {
                return Refusal{};
            }
        };
        constexpr std::size_t kFewest = 30;
        const std::size_t readings = std::max(kFewest, kMostReadings / std::max<std::size_t>(points, 1));
        throw badArgument(english(advised(refused.refusal, given, reader, static_cast<int>(readings))));
    }
}

} // namespace shardscope::cli

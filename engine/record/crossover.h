// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope {

/// One size at which the layer ran on one rank and on several.
struct SizePoint {
    std::int64_t size = 0; ///< of the option
    const Run *one = nullptr;
    const Run *many = nullptr;
    Distribution oneStep; ///< times of the step, in nanoseconds
    Distribution manyStep;
    /// p10 to p90 of both overlap: another run may turn them round. Never of predictions, which have one step.
    [[nodiscard]] bool unclear() const;
    /// Clearly, and by the margin from which speedupFinding() says so too.
    [[nodiscard]] bool faster() const;
};

/// From which size on N ranks are faster than one: at low load latency eats what the smaller share of the arithmetic
/// saves.
struct Crossover {
    int ranks = 0;
    std::vector<SizePoint> points;    ///< ascending
    std::optional<std::int64_t> from; ///< the smallest size from which on all are faster; none: not at the largest
    Text finding;
    std::int64_t causeAt = 0;  ///< the largest clear size below the crossing; without one the smallest clear
    std::optional<Text> cause; ///< why many are slower there, or, where they always are, faster; none: all unclear
};

/// The runs on `ranks` ranks beside those on one that are the same but for `option`, a whole number ("batch",
/// "sequence", "hidden": with what follows from it by default), each with times. Nothing below two sizes.
[[nodiscard]] std::optional<Crossover> crossoverOf(const std::vector<const Run *> &runs, std::string_view option,
                                                   int ranks);

/// The same layer but for the number of ranks and `option`.
[[nodiscard]] bool sameLayerBut(std::string_view option, const Experiment &a, const Experiment &b);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/step_speed.h"

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
    double mostSpeedup = 0; ///< mostPlausibleSpeedup() of the two
    bool outlier = false;   ///< one of them took clearly longer than at a larger size: something else was busy
    /// As paceOf(), and an outlier is disturbed.
    [[nodiscard]] Pace pace() const;
    [[nodiscard]] bool faster() const { return pace() == Pace::Faster; }
    /// Whether one way or the other, by more than the times vary.
    [[nodiscard]] bool clear() const { return faster() || pace() == Pace::NotFaster; }
};

/// From which size on N ranks are faster than one: at low load latency eats what the smaller share of the arithmetic
/// saves.
struct Crossover {
    int ranks = 0;
    std::vector<SizePoint> points;    ///< ascending
    std::optional<std::int64_t> from; ///< the smallest size from which on all are faster; none: not at the largest
    Text finding;
    /// The largest clear size below the crossing; without one the smallest clear; without any the smallest disturbed.
    std::int64_t causeAt = 0;
    std::optional<Text> cause; ///< why many are slower there, or, where they always are, faster; none: all unclear
};

/// The runs on `ranks` ranks beside those on one that are the same but for `option`, a whole number ("batch",
/// "sequence", "hidden": with what follows from it by default), each with times. Nothing below two sizes.
[[nodiscard]] std::optional<Crossover> crossoverOf(const std::vector<const Run *> &runs, std::string_view option,
                                                   int ranks);

/// Where the measured times and those predicted for the same machine contradict each other: at which sizes N ranks are
/// clearly faster by the one and clearly not by the other. Up to two sentences; empty where they agree.
[[nodiscard]] std::vector<Text> disagreements(const Crossover &measured, const Crossover &predicted,
                                              std::string_view option);

/// The same layer but for the number of ranks and `option`.
[[nodiscard]] bool sameLayerBut(std::string_view option, const Experiment &a, const Experiment &b);

} // namespace shardscope

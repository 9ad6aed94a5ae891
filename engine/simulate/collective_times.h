// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/step.h"
#include "engine/simulate/group_span.h"
#include "engine/simulate/hardware.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace shardscope {

/// A predicted duration in whole nanoseconds: nothing ends where it began.
[[nodiscard]] std::int64_t predictedNs(double seconds);

/// What one collective takes once all of its group have come, and what each place of the group does in it.
struct CollectiveTimes {
    /// One hop of one of our own algorithms.
    struct Hop {
        std::int64_t ns = 0;
        std::vector<std::int64_t> sentBytes; ///< by place
        std::vector<bool> takesPart;         ///< by place
    };

    std::int64_t ns = 0;
    std::vector<Hop> hops;               ///< none where the library chooses
    std::vector<std::int64_t> sentBytes; ///< by place, over all hops

    /// Whether every place does the same.
    [[nodiscard]] bool even() const;
};

/// Predicts each collective once: layers and micro-batches repeat the same ones.
class CollectiveTimetable
{
public:
    /// `hardware` as one rank has it (shareOf()).
    explicit CollectiveTimetable(Hardware hardware) : m_hardware(std::move(hardware)) {}

    /// The reference stays valid.
    [[nodiscard]] const CollectiveTimes &timesOf(const Collective &collective, const GroupSpan &group);

private:
    /// What the times depend on: operation, algorithm, group, elements, wire dtype, bytes sent.
    using Key = std::tuple<CollectiveOp, Algorithm, GroupSpan, std::int64_t, DType, std::int64_t>;

    Hardware m_hardware;
    std::map<Key, CollectiveTimes> m_known;
};

} // namespace shardscope

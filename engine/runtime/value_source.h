// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace shardscope {

/// Which values generated tensors hold.
enum class Values {
    Random,   ///< about normal, unit variance times the tensor's scale
    Integers, ///< -1, 0, 1 whatever the scale: sums are exact, so results can be compared bit for bit
};

/// A value as a function of (seed, tensor's name, global element index) and of nothing else: each rank makes only its
/// shard, the number of ranks does not change the values, and nobody ever holds a whole large matrix.
class ValueSource
{
public:
    explicit ValueSource(std::uint64_t seed, Values values = Values::Random) : m_seed(seed), m_values(values) {}

    /// Writes `count` consecutive elements of the tensor `name` from the global `firstIndex` on, times `scale`.
    void fill(float *out, std::int64_t count, std::string_view name, std::int64_t firstIndex, float scale) const;
    /// The same for whole numbers, uniform from 0 to `bound` - 1, whatever the kind of values; `bound` is at most 2^32.
    void fillIndices(std::int64_t *out, std::int64_t count, std::string_view name, std::int64_t firstIndex,
                     std::int64_t bound) const;

private:
    [[nodiscard]] std::uint32_t keyOf(std::string_view name, std::int64_t block) const;
    template <typename Number, typename Body>
    void forBlocks(Number *out, std::int64_t count, std::string_view name, std::int64_t firstIndex,
                   const Body &body) const;

    std::uint64_t m_seed;
    Values m_values;
};

/// 1/sqrt(fanIn); 1 where there is none (activations and their gradients).
[[nodiscard]] float valueScale(std::int64_t fanIn);

} // namespace shardscope

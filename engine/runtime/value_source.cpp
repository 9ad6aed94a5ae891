// SPDX-License-Identifier: MIT
#include "engine/runtime/value_source.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

/// One key serves this many consecutive elements, so that the inner loop has 32-bit counters that vectorise.
constexpr std::int64_t kBlock = std::int64_t{1} << 31;

/// The finalizer "lowbias32" (Chris Wellons, "Prospecting for Hash Functions", public domain): two multiplications.
constexpr std::uint32_t mix(std::uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

/// The sum of two uniform 16-bit numbers, centred: a triangular distribution with standard deviation
/// 65536/sqrt(6), near enough to a normal one. Exact in f32, so that every compiler gives the same bits.
float triangular(std::uint32_t hash)
{
    return static_cast<float>(static_cast<std::int32_t>(hash & 0xffffU) + static_cast<std::int32_t>(hash >> 16) -
                              65535);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target_clones("avx2", "default")]]
#endif
void fillRandom(float *out, std::int64_t count, std::uint32_t first, std::uint32_t key, float factor)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = triangular(mix((first + static_cast<std::uint32_t>(i)) ^ key)) * factor;
}

void fillIntegers(float *out, std::int64_t count, std::uint32_t first, std::uint32_t key)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] =
            static_cast<float>(static_cast<std::int32_t>(mix((first + static_cast<std::uint32_t>(i)) ^ key) % 3U) - 1);
}

} // namespace

std::uint32_t ValueSource::keyOf(std::string_view name, std::int64_t block) const
{
    std::uint32_t key = mix(static_cast<std::uint32_t>(m_seed) ^ mix(static_cast<std::uint32_t>(m_seed >> 32)));
    for (const char c : name)
        key = mix(key + static_cast<unsigned char>(c) + 0x9e3779b9U);
    return mix(key ^ static_cast<std::uint32_t>(block));
}

/// Calls body(out, count, first 32-bit counter, key) for each run of elements that has one key.
template <typename Number, typename Body>
void ValueSource::forBlocks(Number *out, std::int64_t count, std::string_view name, std::int64_t firstIndex,
                            const Body &body) const
{
    while (count > 0) {
        const std::int64_t block = firstIndex / kBlock;
        const std::int64_t within = firstIndex % kBlock;
        const std::int64_t now = std::min(count, kBlock - within);
        body(out, now, static_cast<std::uint32_t>(within), keyOf(name, block));
        out += now;
        firstIndex += now;
        count -= now;
    }
}

void ValueSource::fill(float *out, std::int64_t count, std::string_view name, std::int64_t firstIndex,
                       float scale) const
{
    const float factor = scale * std::sqrt(6.0F) / 65536.0F;
    forBlocks(out, count, name, firstIndex,
              [&](float *part, std::int64_t length, std::uint32_t first, std::uint32_t key) {
                  if (m_values == Values::Random)
                      fillRandom(part, length, first, key, factor);
                  else
                      fillIntegers(part, length, first, key);
              });
}

void ValueSource::fillIndices(std::int64_t *out, std::int64_t count, std::string_view name, std::int64_t firstIndex,
                              std::int64_t bound) const
{
    forBlocks(out, count, name, firstIndex,
              [bound](std::int64_t *part, std::int64_t length, std::uint32_t first, std::uint32_t key) {
                  for (std::int64_t i = 0; i < length; ++i) {
                      const std::uint64_t hash = mix((first + static_cast<std::uint32_t>(i)) ^ key);
                      // A share of the bound instead of a remainder: uniform to 2^-32.
                      part[i] = static_cast<std::int64_t>((hash * static_cast<std::uint64_t>(bound)) >> 32);
                  }
              });
}

float valueScale(std::int64_t fanIn)
{
    return fanIn > 0 ? 1.0F / std::sqrt(static_cast<float>(fanIn)) : 1.0F;
}

} // namespace shardscope

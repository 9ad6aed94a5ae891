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

void ValueSource::fill(float *out, std::int64_t count, std::string_view name, std::int64_t firstIndex,
                       float scale) const
{
    const float factor = scale * std::sqrt(6.0F) / 65536.0F;
    while (count > 0) {
        const std::int64_t block = firstIndex / kBlock;
        const std::int64_t within = firstIndex % kBlock;
        const std::int64_t now = std::min(count, kBlock - within);
        const std::uint32_t key = keyOf(name, block);
        if (m_values == Values::Random)
            fillRandom(out, now, static_cast<std::uint32_t>(within), key, factor);
        else
            fillIntegers(out, now, static_cast<std::uint32_t>(within), key);
        out += now;
        firstIndex += now;
        count -= now;
    }
}

float valueScale(std::int64_t fanIn)
{
    return fanIn > 0 ? 1.0F / std::sqrt(static_cast<float>(fanIn)) : 1.0F;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/runtime/host_cores.h"

#include <bit>
#include <cstring>
#include <sched.h>

namespace shardscope {

std::vector<std::int64_t> allowedCoreBits()
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    ::sched_getaffinity(0, sizeof mask, &mask);
    std::vector<std::int64_t> words(sizeof mask / sizeof(std::int64_t));
    std::memcpy(words.data(), &mask, sizeof mask);
    return words;
}

int bitsIn(const std::vector<std::int64_t> &words)
{
    int bits = 0;
    for (const std::int64_t word : words)
        bits += std::popcount(static_cast<std::uint64_t>(word));
    return bits;
}

} // namespace shardscope

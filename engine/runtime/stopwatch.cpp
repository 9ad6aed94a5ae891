// SPDX-License-Identifier: MIT
#include "engine/runtime/stopwatch.h"

#include <ctime>

namespace shardscope {

std::int64_t Stopwatch::rawNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace shardscope

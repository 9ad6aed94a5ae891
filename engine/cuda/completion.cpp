// SPDX-License-Identifier: MIT
#include "engine/cuda/completion.h"

#include <algorithm>
#include <thread>

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kHealthInterval{20};
/// Steps that take longer than this are not disturbed by a thread that sleeps between its looks.
constexpr std::chrono::milliseconds kSpinning{2};

bool allPassed(const std::vector<const CudaEvent *> &events)
{
    return std::all_of(events.begin(), events.end(), [](const CudaEvent *event) { return event->passed(); });
}

} // namespace

void waitForCompletion(const CompletionWatch &watch)
{
    const Clock::time_point start = Clock::now();
    Clock::time_point progressed = start;
    Clock::time_point asked = start;
    std::size_t passed = 0;
    while (!allPassed(watch.last)) {
        const Clock::time_point now = Clock::now();
        // Two streams pass their marks in no common order, so one mark may keep others that have been passed waiting.
        for (; watch.stopwatch && passed < watch.stopwatch->marks() && watch.stopwatch->passed(passed); ++passed)
            progressed = now;
        if (now - asked > kHealthInterval) {
            watch.requireHealthy();
            asked = now;
        }
        if (now - progressed > watch.limit)
            throw CudaError("the GPU timed out: nothing has ended for " + std::to_string(watch.limit.count()) +
                            " ms after mark " + std::to_string(passed));
        if (now - start > kSpinning)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    watch.requireHealthy();
}

} // namespace shardscope

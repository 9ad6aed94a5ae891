// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/cuda_stopwatch.h"

#include <chrono>
#include <functional>
#include <vector>

namespace shardscope {

/// Waits for what has been ordered. Time limits are those of one operation: as long as marks are passed one after the
/// other the device is at work; when none is for longer than `limit`, something hangs.
struct CompletionWatch {
    const CudaStopwatch *stopwatch = nullptr;     ///< whose marks show progress
    std::vector<const CudaEvent *> last;          ///< of every stream
    std::function<void()> requireHealthy = [] {}; ///< throws what the libraries have noticed
    std::chrono::milliseconds limit{30000};
};

/// Returns when every stream has passed its last event. Throws CudaError "timed out" naming how far it came, or what
/// requireHealthy() throws.
void waitForCompletion(const CompletionWatch &watch);

} // namespace shardscope

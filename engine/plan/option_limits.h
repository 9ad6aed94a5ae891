// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace shardscope {

// The allowed ranges. Sizes go far beyond any machine, so that it is the memory estimate that refuses the giants; they
// end where byte counts would leave int64: a weight of 1e8 x 4e8 f64 is 3.2e17 bytes.
inline constexpr int kMostRanks = 16'384; ///< of a prediction: ranks that do the same are walked once
inline constexpr std::int64_t kMostHidden = 100'000'000;
inline constexpr std::int64_t kMostFfn = 400'000'000;
inline constexpr std::int64_t kMostHeads = 1'000'000;
inline constexpr std::int64_t kMostVocabulary = 100'000'000;
inline constexpr std::int64_t kMostLayers = 256; ///< each is planned step by step
inline constexpr int kMostMicroBatches = 512;
inline constexpr std::int64_t kMostLayerPasses = 2048; ///< layers times micro-batches, of one plan
inline constexpr std::int64_t kMostBatch = 65'536;
inline constexpr std::int64_t kMostSequence = 1'048'576;
inline constexpr std::int64_t kMostActivationElements = std::int64_t{1} << 50; ///< tokens times width
inline constexpr int kMostThreads = 1024;
inline constexpr int kMostSteps = 100'000;
inline constexpr double kMostDelayMilliseconds = 60'000;
inline constexpr double kLeastTimeoutSeconds = 0.001;
inline constexpr double kMostTimeoutSeconds = 86'400;

// What runs for real, and what the controls of the window go to: a process for each rank, each layer computed
// (run_limits.h).
inline constexpr int kMostRanksInRun = 64;
inline constexpr std::int64_t kMostLayersInRun = 64;
inline constexpr int kMostMicroBatchesInRun = 64;
inline constexpr std::int64_t kMostLayerPassesInRun = 512;

/// Of a group whose hops are listed one by one: contribution sets are 64-bit masks.
inline constexpr int kMostHopRanks = 64;

} // namespace shardscope

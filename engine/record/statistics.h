// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/pipeline_times.h"
#include "engine/record/run.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// Median with p10 and p90, in nanoseconds; percentiles by linear interpolation between order statistics.
struct Distribution {
    double median = 0;
    double p10 = 0;
    double p90 = 0;
    int samples = 0;
};
[[nodiscard]] std::optional<Distribution> distributionOf(std::vector<double> samples);
[[nodiscard]] std::optional<double> medianOf(std::vector<double> samples);

/// What the time of a collective went to, from at least kVerdictSamples timed steps and as many repetitions of the
/// zero-skew baseline of the same run; w and t are the medians of wait and transfer:
/// - transfer: w is within what the ranks differ by even when a barrier releases them together (p90 of the baseline's
///   waits), or under a tenth of t;
/// - waiting: w is beyond the baseline's p90 and larger than t;
/// - mixed: between the two; inconclusive: too few samples, or no baseline.
inline constexpr int kVerdictSamples = 3;
enum class Verdict { Transfer, Waiting, Mixed, Inconclusive };
[[nodiscard]] std::string_view name(Verdict verdict);

/// One collective of the plan, over the timed iterations. Undefined values (one rank, no samples) are empty; of a
/// message between two ranks (send_recv) only the duration is defined, what its receiver waited and received.
struct CollectiveSummary {
    int step = 0;
    Pass pass = Pass::Forward;
    std::string op;     ///< as counted by the communicator; as planned before anything is measured
    std::string tensor; ///< "Y"; of one message for several "Q, K, V" or "dW2 … db1"
    MeshAxis axis = MeshAxis::Tp;
    int groupSize = 1; ///< ranks that run it together: of the axis, or of a sub-group of it
    Text why;
    int count = 0; ///< per step, observed
    int plannedCount = 0;
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytesPerRank = 0;
    std::string wireDtype;
    int hops = 0;          ///< 0: unknown
    std::string algorithm; ///< of the library, in its own words; empty: not told
    std::string protocol;
    std::optional<Distribution> duration; ///< per iteration the maximum over ranks
    std::optional<double> transferNs;     ///< median of the minimum over ranks
    std::optional<double> waitNs;         ///< median of what the rank that waited longest waited
    std::optional<double> algbwGBs;       ///< payload / transfer, GB = 1e9
    std::optional<double> busbwGBs;       ///< algbw x 2(n-1)/n or (n-1)/n
    Verdict verdict = Verdict::Inconclusive;
};

/// Totals of one pass or of the step: counts of the rank with the largest sum, times as the median over iterations of
/// the maximum over ranks. Exposed and hidden are those of the rank that communicates longest, so that they add up.
struct PassSummary {
    int collectives = 0;
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytesPerRank = 0;
    std::optional<double> communicationNs; ///< inside collectives, waiting included
    std::optional<double> exposedNs;       ///< not hidden under compute
    std::optional<double> hiddenNs;
    std::optional<double> computeNs;
    std::optional<double> elapsedNs; ///< of a pass: the stretches in which the rank was at it, gaps included
    std::optional<double> waitNs;    ///< of communicationNs what was waiting for other ranks, as far as it can be told
    /// Of a pipeline's step: 1 - (busy time of all ranks) / (ranks x step time), busy is computing or padding.
    std::optional<double> bubbleShare;
};

struct RunSummary {
    std::vector<CollectiveSummary> collectives;
    std::array<PassSummary, kPassCount> passes;
    PassSummary step;
    PassSummary withoutOptimizer; ///< forward, recompute, backward: what ratios compare
    std::optional<Distribution> stepElapsed;
    std::optional<Distribution> stepCommunication;
    std::optional<PipelineTimes> pipeline; ///< of a mesh with stages
    int iterations = 0;                    ///< timed, complete
    bool observedAsPlanned = true;         ///< counts, payloads and sent bytes of the communicator equal the plan's
    bool checksPassed = true;              ///< and made: false for what was measured and cut off before its end
};
[[nodiscard]] RunSummary summarize(const Run &run);

/// 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 else; empty at n = 1 (nccl-tests,
/// doc/PERFORMANCE.md).
[[nodiscard]] std::optional<double> busFactor(std::string_view op, int ranks);

/// Length of a union of half-open intervals, and of the part of `a` that `b` covers.
struct Interval {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
[[nodiscard]] std::int64_t unionLength(std::vector<Interval> intervals);
[[nodiscard]] std::int64_t coveredLength(std::vector<Interval> a, std::vector<Interval> b);

} // namespace shardscope

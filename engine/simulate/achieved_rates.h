// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"
#include "engine/simulate/hardware.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// What a rate is of. Core attention counts as bound by memory: the scores of all heads go through it between the
/// products (kernel_work.h).
enum class RateKind { MatrixProducts, MemoryBound, Collective };
/// "matrix_products", "memory_bound", "collective": the words of the JSON documents.
[[nodiscard]] std::string_view name(RateKind kind);

enum class PeakOrigin {
    DataSheet,         ///< of the card, as its preset quotes it
    Measured,          ///< of this machine
    LinkSpecification, ///< of what joins the ranks
    Assumed,           ///< of the ports between nodes
};
/// "data_sheet", "measured", "link_specification", "assumed".
[[nodiscard]] std::string_view name(PeakOrigin origin);

/// What one rank could reach at most.
struct RatePeak {
    double perSecond = 0; ///< FLOP, or bytes
    PeakOrigin origin = PeakOrigin::DataSheet;
    Text source; ///< the number with its unit and whose it is, as a clause
};

/// By the cost model, what keeps a rate below its peak.
enum class RateLimit {
    Unknown,    ///< no machine to hold it against, or it comes to less than half of what the model says limits it
    Peak,       ///< the one that it is held against
    Memory,     ///< of products: too few FLOP for each byte
    Arithmetic, ///< of core attention: its products
    Latency,
};
/// "unknown", "peak", "memory", "arithmetic", "latency".
[[nodiscard]] std::string_view name(RateLimit limit);

/// Operations of one kind within a row: the same formula and sizes in every layer and micro-batch.
struct RatePart {
    std::string label;                             ///< "Z = X·W1"
    std::int64_t rows = 0, inner = 0, columns = 0; ///< m, k, n of a matrix product on one rank; 0 of others
    int count = 0;                                 ///< per rank and step
    double flops = 0;                              ///< of one: 2·m·n·k
    double bytes = 0;                              ///< of one: what it reads and writes at least once
    std::optional<double> medianNs;                ///< of all of them in a step
    std::optional<double> perSecond;               ///< FLOP of a product, else bytes
};

/// What a rank did of one kind in one step, how fast, and how near that comes to what its machine could do.
struct RateRow {
    RateKind kind = RateKind::MatrixProducts;
    Pass pass = Pass::Forward;
    bool coreAttention = false;
    std::vector<RatePart> parts; ///< of products and operations, in plan order
    int count = 0;               ///< operations, or collectives, per rank and step, as planned
    double flops = 0;            ///< per rank and step, by the plan
    double bytes = 0;            ///< read and written per rank and step; of collectives sent per rank and step

    // Of a collective.
    std::string op;     ///< "all_reduce"
    std::string tensor; ///< "Y", "Y.1 ... Y.4"
    MeshAxis axis = MeshAxis::Tp;
    int groupSize = 1;
    double payloadBytes = 0;     ///< S of one, as it travels
    double sentBytesPerRank = 0; ///< of one
    double busFactor = 0;        ///< busFactor()

    /// Of products and operations the median over timed steps of the sum, of the slowest of the ranks with the most
    /// work; of a collective one transfer without waiting (CollectiveSummary::transferNs).
    std::optional<double> medianNs;
    std::optional<double> perSecond; ///< FLOP, bytes, or of a collective its bus bandwidth in bytes
    std::optional<RatePeak> peak;
    std::optional<double> share; ///< of the peak; above 1 there is a note
    RateLimit limit = RateLimit::Unknown;
    double latencyNs = 0;    ///< by the cost model: starts, or what an empty message takes; of one collective
    double latencyShare = 0; ///< of the time by the cost model
    std::optional<Text> note;
};

/// The machine whose peaks apply to a run: of a prediction the one it is for; of GPUs the preset of the same card; else
/// `own`, this machine as it was measured, where the run is from here. Null when none is known. The result points to
/// `own` or to a preset.
[[nodiscard]] const Hardware *peaksFor(const Run &run, const Hardware *own);
/// Why there is none.
[[nodiscard]] Text whyNoPeaks(const Run &run);
/// Of a prediction: which shares its model begins with, so that nobody takes them for a finding.
[[nodiscard]] std::optional<Text> rateAssumptions(const Run &run, const Hardware &peaks);

/// Rates of the run's plan: products and operations by pass, then the kinds of collectives in the order in which they
/// run. `peaks` may be null: rates without shares. A run without timed steps has work and no rates.
///
/// - FLOP and bytes by the plan (Step::flops, and kernelsOf for what goes through memory).
/// - Bus bandwidth: S / t times 2(n-1)/n for an all-reduce, (n-1)/n for an all-gather, reduce-scatter or all-to-all, 1
///   else (nccl-tests, doc/PERFORMANCE.md), with S as it travels: that is what a link carries.
/// - Peaks are those of one rank: shareOf() where cores are shared.
[[nodiscard]] std::vector<RateRow> achievedRates(const Run &run, const RunSummary &summary, const Hardware *peaks);

/// FLOP for each byte at which a rank's matrix products stop being limited by memory; 0 where that is not known.
[[nodiscard]] double ridgeOf(const Hardware &peaks, DType dtype);

/// "645 TFLOP/s", "12.3 GFLOP/s".
[[nodiscard]] std::string formatFlopRate(double flopPerSecond);
/// "1.64 TB/s", "820 MB/s", B/s in steps of 1000.
[[nodiscard]] std::string formatByteRate(double bytesPerSecond);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"
#include "engine/plan/step.h"
#include "engine/plan/text.h"
#include "engine/record/exit_code.h"
#include "engine/record/topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace shardscope {

// The stream: one JSON object a line, and the saved run file is the same lines. Times are nanoseconds since the run's
// origin on the rank's own monotonic clock; ranks of one host share it.

inline constexpr int kProtocolMajor = 1;

enum class Source { Measured, Predicted, Recorded };
[[nodiscard]] std::string_view name(Source source);

/// One machine of several and the ranks on it. Its clock is another than that of rank 0: times in the stream have been
/// moved into rank 0's already, and this says by how much and how surely.
struct Host {
    std::string name;                    ///< of the host, or "node 0" of a prediction
    std::vector<int> ranks;              ///< ascending
    std::int64_t clockOffsetNs = 0;      ///< what was added to its times
    std::int64_t clockUncertaintyNs = 0; ///< either way; 0: nothing was aligned, one clock or none
    bool operator==(const Host &) const = default;
};

/// What ran it: said once per stream, and carried by every export.
struct Machine {
    std::string backend;                          ///< "gloo", "nccl"
    std::string host;                             ///< "4 cores, AMD EPYC 7763" or the preset's title; no host name
    std::vector<std::string> devices;             ///< "rank 0: CPU core"
    std::map<std::string, std::string> libraries; ///< "libtorch" -> "1.13.1"
    std::vector<std::string> notes;               ///< "4 ranks share 2 cores; not GPU times"
    std::vector<Host> hosts;                      ///< empty: all ranks on one, and in older recordings
    std::string remote;                           ///< as the window reached it by ssh, "gpu1"; empty: it was here
    bool operator==(const Machine &) const = default;
};

/// "4 cores, AMD EPYC 7763", of another machine "gpu1 (4 cores, AMD EPYC 7763)"; empty where nothing is known.
[[nodiscard]] std::string titleOf(const Machine &machine);
/// Cores of CPU ranks, which lead Machine::host; at least 1.
[[nodiscard]] int coresOf(const Machine &machine);

/// First line: protocol version, engine version, machine.
struct HelloEvent {
    int protocolMajor = kProtocolMajor;
    int protocolMinor = 0;
    std::string engineVersion;
    Machine machine;
    std::int64_t availableBytes = 0; ///< of memory without swapping; 0: not said, as by older engines
    bool operator==(const HelloEvent &) const = default;
};

/// A run begins. The plan is not sent: it follows from the options.
struct RunEvent {
    std::string id;
    Source source = Source::Measured;
    std::string startedAt;   ///< ISO 8601 with offset
    std::string hardware;    ///< preset of a prediction
    OptionValues experiment; ///< allOptions()
    Machine machine;
    int starts = 0;     ///< of a prediction: operations that its busiest rank starts in a step
    double startNs = 0; ///< of a prediction: what starting one takes, whatever its size
    /// Of a prediction of more ranks than can be written one by one: Run::standIns. Else empty.
    std::vector<int> standIns;
    bool operator==(const RunEvent &) const = default;
};

/// One operation of one rank in one iteration.
struct SpanEvent {
    int rank = 0;
    int iteration = 0; ///< 0-based, warm-ups first
    bool warmup = false;
    int step = 0; ///< Plan::steps
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    /// On a GPU: how long the host took to order it, which is what a timer around the call would have shown. 0: not
    /// known, and of a CPU, whose calls do the work.
    std::int64_t launchNs = 0;
    // Of a collective, as the communicator counted, not as the plan says; empty op otherwise.
    std::string op; ///< "all_reduce"
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytes = 0; ///< by this rank
    std::string wireDtype;
    bool operator==(const SpanEvent &) const = default;
};

/// One hop of one of our own algorithms, as one rank saw it.
struct HopEvent {
    int rank = 0;
    int iteration = 0;
    bool warmup = false;
    int step = 0;
    int hop = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::int64_t sentBytes = 0;
    bool operator==(const HopEvent &) const = default;
};

/// A rank's whole iteration: from the barrier before it to its last operation.
struct IterationEvent {
    int rank = 0;
    int iteration = 0;
    bool warmup = false;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    bool operator==(const IterationEvent &) const = default;
};

/// The same collective with all ranks released together by a barrier, repeated in the same run: what transfer and
/// waiting of a zero-skew collective of that size are here.
struct BaselineEvent {
    int step = 0;
    std::vector<std::int64_t> transferNs; ///< per repetition, minimum over ranks
    std::vector<std::int64_t> waitNs;     ///< per repetition, maximum over ranks of duration - transfer
    bool operator==(const BaselineEvent &) const = default;
};

inline constexpr double kUnknownError = -1;

/// How a library carried a collective out, in its own words, where it told.
struct CarriedEvent {
    int step = 0;
    std::string algorithm; ///< "RING", "TREE", "NVLS"
    std::string protocol;  ///< "LL", "LL128", "SIMPLE"
    bool operator==(const CarriedEvent &) const = default;
};

/// Comparison of one result with the unsharded float64 reference; or of ranks with each other.
struct CheckEvent {
    std::string name;         ///< "Y", "dW1", "ranks agree: Y"
    double relativeError = 0; ///< ||y - ref|| / ||ref||; -1 stands for NaN
    double limit = 0;
    bool passed = false;
    // How the result depends on the number of ranks, all relative to ||ref||; kUnknownError where nothing is split.
    double wholeError = kUnknownError;  ///< of one device in the run's dtype
    double piecesError = kUnknownError; ///< of one device that adds its products in N pieces, in rank order
    double fromWhole = kUnknownError;   ///< how far the ranks' result is from that of one device
    double fromPieces = kUnknownError;  ///< and from that of one device in N pieces
    /// Of int8 weights: how far the result is from float64 with the weights before they were rounded to int8.
    double quantizationError = kUnknownError;
    bool operator==(const CheckEvent &) const = default;
};

struct MemoryEvent {
    std::int64_t measuredBytesPerRank = 0; ///< maximum over ranks
    std::int64_t formulaBytesPerRank = 0;
    bool operator==(const MemoryEvent &) const = default;
};

/// Where a long command stands; `fraction` in 0..1, or negative when unknown.
struct ProgressEvent {
    Text stage;
    double fraction = -1;
    bool operator==(const ProgressEvent &) const = default;
};

/// Something the user should know. Errors name cause and remedy.
struct MessageEvent {
    enum class Level { Info, Warning, Error } level = Level::Info;
    int rank = -1;      ///< -1: no single rank
    Text text;          ///< what and why
    Text remedy;        ///< NoReason when there is none
    std::string detail; ///< library's own words, stderr
    bool operator==(const MessageEvent &) const = default;
};

/// One point of `bandwidth`, or of measuring `this` machine.
struct BandwidthEvent {
    CollectiveOp op = CollectiveOp::AllReduce;
    int ranks = 0;
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytes = 0; ///< by each rank; more than the payload says where Gloo sums bf16 as f32
    std::int64_t medianNs = 0;  ///< transfer
    bool operator==(const BandwidthEvent &) const = default;
};

/// Compute speed measured on this machine with that many ranks at once, for predictions.
struct ComputeEvent {
    DType dtype = DType::F32;
    int ranks = 1;
    double flopsPerSecond = 0; ///< one rank's large matrix product
    double bytesPerSecond = 0; ///< one rank's memory bandwidth, elementwise
    double overheadNs = 0;     ///< of one small operation
    bool operator==(const ComputeEvent &) const = default;
};

/// What the machine is made of: after the hello, or soon after it, and again with every run, whose file keeps it.
struct TopologyEvent {
    Topology topology;
    bool operator==(const TopologyEvent &) const = default;
};

/// How busy the machine is, every second while a command runs. Of the stream, not of a run.
struct LoadEvent {
    double cpuPercent = 0;      ///< of all cores, since the last one
    double ranksPercent = 0;    ///< of that by the ranks; the rest is something else, which disturbs
    std::int64_t freeBytes = 0; ///< of memory, without swapping; 0: unknown
    std::vector<GpuLoad> gpus;  ///< as Topology::gpus
    bool operator==(const LoadEvent &) const = default;
};

/// Last line of a run or command.
struct EndEvent {
    std::string id;
    enum class Status { Done, Failed, Cancelled } status = Status::Done;
    int exitCode = kDone; ///< ExitCode
    std::int64_t elapsedNs = 0;
    bool operator==(const EndEvent &) const = default;
};

[[nodiscard]] std::string_view name(MessageEvent::Level level); ///< "info", "warning", "error"
[[nodiscard]] std::string_view name(EndEvent::Status status);   ///< "done", "failed", "cancelled"

using Event = std::variant<HelloEvent, RunEvent, SpanEvent, HopEvent, IterationEvent, BaselineEvent, CarriedEvent,
                           CheckEvent, MemoryEvent, ProgressEvent, MessageEvent, BandwidthEvent, ComputeEvent,
                           TopologyEvent, LoadEvent, EndEvent>;

} // namespace shardscope

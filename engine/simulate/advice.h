// SPDX-License-Identifier: MIT
#pragma once

#include "engine/simulate/hardware.h"
#include "engine/simulate/memory_model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope {

// Which TP, PP and DP fit a model on given GPUs and links, and why. Everything is a value: the command line prints it,
// a page can draw it. Predictions, never measurements: the cost model of the preset, the memory model.

/// What of a device's memory a layout may take; the rest is CUDA context, NCCL buffers, fragmentation (vLLM's default).
inline constexpr double kUsableMemoryShare = 0.9;
inline constexpr int kMostGpus = 131'072;

struct AdviceQuestion {
    Model model;
    Hardware hardware;
    int gpus = 8;
    int bytesPerParameter = 18;
    std::int64_t stepSequences = 512;     ///< training: sequences of one optimizer step, all replicas
    std::int64_t serveSequences = 32;     ///< inference: sequences decoded at once by a replica
    std::int64_t sequence = 8192;         ///< tokens of each; inference: in the KV cache
    std::optional<double> tokenSeconds{}; ///< most per output token
};
/// 2^22 tokens a step (512 sequences of 8192) and the model's own sequence length.
[[nodiscard]] AdviceQuestion questionFor(const Model &model, const Hardware &hardware, int gpus);
/// Why the question makes no sense; which, why, what is allowed.
[[nodiscard]] std::optional<Text> problemOf(const AdviceQuestion &question);

/// A finding with the rule that it follows from and where the rule comes from.
struct AdviceLine {
    Text finding;
    Text rule;
    Text source;
};

/// What decides about a layout. In this order: a layout has the first that applies.
enum class LayoutVerdict {
    NotDivisible,       ///< heads or MLP cannot be cut so
    LeavesNode,         ///< TP is larger than a node
    TooFewSequences,    ///< fewer sequences than replicas
    DoesNotFit,         ///< memory
    TooSlow,            ///< misses the latency target
    CommunicationBound, ///< the links take longer than the arithmetic
    Slower,             ///< possible, but another is faster
    Recommended,
};
/// "does_not_fit": the words of the JSON document.
[[nodiscard]] std::string_view name(LayoutVerdict verdict);
/// A few words for a table.
[[nodiscard]] Text describe(LayoutVerdict verdict);

/// Seconds of one training step on the fullest stage; nothing overlaps.
struct StepTime {
    double arithmetic = 0;
    double recompute = 0;
    double tensorParallel = 0; ///< collectives of TP, recomputed ones too
    double pipeline = 0;       ///< sends between stages
    double bubble = 0;
    double dataParallel = 0; ///< gradients and weights between replicas

    [[nodiscard]] double total() const
    {
        return arithmetic + recompute + tensorParallel + pipeline + bubble + dataParallel;
    }
};

struct TrainingLayout {
    MemorySettings settings; ///< tp, pp, dp, and the least recomputation that fits
    LayoutVerdict verdict = LayoutVerdict::Slower;
    bool fits = false;
    bool communicationBound = false;
    std::int64_t memoryBytes = 0; ///< per GPU; 0 when the layout is impossible
    std::int64_t stateBytes = 0;
    std::int64_t activationBytes = 0;
    double linkMargin = 0; ///< F·W/C / N: above 1 compute-bound; 0 when N = 1
    std::int64_t microBatches = 0;
    std::optional<StepTime> step{}; ///< of what fits in the node
    bool bestOfTp = false;          ///< what to show when one row for each TP is enough
    std::vector<AdviceLine> lines;  ///< the deciding one first
};

struct ServingLayout {
    MemorySettings settings; ///< dp: replicas that the GPUs hold
    LayoutVerdict verdict = LayoutVerdict::Slower;
    bool fits = false;
    bool communicationBound = false;
    std::int64_t memoryBytes = 0; ///< per GPU; 0 when the layout is impossible
    std::int64_t weightBytes = 0;
    std::int64_t cacheBytes = 0;
    double linkMargin = 0;           ///< F/(B·beta) / N; 0 when N = 1
    double tokenSeconds = 0;         ///< per output token; 0 when the layout is impossible
    double communicationSeconds = 0; ///< of it in all-reduces
    double tokensPerSecondPerGpu = 0;
    std::vector<AdviceLine> lines; ///< the deciding one first
};

struct Advice {
    AdviceQuestion question;
    std::int64_t usableBytes = 0; ///< per GPU
    double trainingLinkLimit = 0; ///< F·W/C
    double decodeLinkLimit = 0;   ///< F/(B·beta)
    Text trainingAssumptions;
    Text servingAssumptions;
    std::vector<TrainingLayout> training;  ///< by TP, then PP
    std::vector<ServingLayout> serving;    ///< by TP
    std::vector<AdviceLine> trainingLines; ///< the recommendation first, then what explains it
    std::vector<AdviceLine> servingLines;

    /// nullptr when nothing fits.
    [[nodiscard]] const TrainingLayout *recommendedTraining() const;
    [[nodiscard]] const ServingLayout *recommendedServing() const;
    /// Where nothing meets the latency target: what fits and misses it by the least; else nullptr.
    [[nodiscard]] const ServingLayout *nearestServing() const;
};

/// Only for questions without a problem. Takes milliseconds.
[[nodiscard]] Advice advise(const AdviceQuestion &question);

} // namespace shardscope

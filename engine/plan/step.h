// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/tensor.h"
#include "engine/plan/text.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

enum class Pass { Forward, Recompute, Backward, Optimizer };
inline constexpr std::size_t kPassCount = 4;
enum class Stream { Compute, Communication };

/// What a step does. Inputs and outputs are listed in the order given here.
enum class StepKind {
    MatMul,                 ///< {A, B} -> C, with Step::transposeA / transposeB
    Dequantize,             ///< {W in int8, scales} -> W, each column times its scale
    AddBias,                ///< {Y, b} -> Y + b
    Gelu,                   ///< {Z} -> H
    GeluBackward,           ///< {dH, Z} -> dZ
    SwiGlu,                 ///< {G, U} -> silu(G) * U
    SwiGluBackward,         ///< {dH, G, U} -> {dG, dU}
    Add,                    ///< {A, B} -> A + B
    SumRows,                ///< {dY} -> db, the sum over tokens
    Scale,                  ///< {A} -> Step::factor · A
    LayerNorm,              ///< {X, g, c} -> g · (X - mean) / std + c, row by row
    LayerNormBackward,      ///< {dY, X, g} -> dX
    LayerNormScaleGradient, ///< {dY, X} -> dg, the sum over tokens of dY times the normalised X
    /// {Q, K, V} or, in decode, {Q, K, V, Kcache, Vcache} -> {C, P}: per sequence and head P = softmax(Q·Kᵀ/sqrt(d))
    /// with a causal mask, C = P·V. Step::attention has the sizes; query head i uses KV head i·k/a.
    AttentionCore,
    AttentionCoreBackward, ///< {dC, Q, K, V, P} -> {dQ, dK, dV}
    EmbeddingLookup,       ///< {ids, E} -> X; ids outside the rank's rows of E give zeros
    EmbeddingBackward,     ///< {ids, dX} -> dE, rows of the rank's own ids
    LastPosition,          ///< {X} -> the last token's row of each sequence
    RowMax,                ///< {Z} -> M, of the rank's columns
    SumExp,                ///< {Z, M} -> S, the sum over the rank's columns of exp(Z - M)
    TargetLogit,           ///< {Z, M, ids} -> T, Z - M at the target's column; 0 on ranks without it
    CrossEntropy,          ///< {S, T} -> log S - T
    CrossEntropyBackward,  ///< {Z, M, S, ids} -> dZ = (exp(Z - M)/S - onehot) · Step::factor
    Adam,                  ///< {W, dW, m, v} -> {W, m, v}: one step of Adam, Step::factor the learning rate
    Pad,                   ///< {Y} -> Y, after the stage has been at its micro-batch for Step::padMs
    Slice,                 ///< Replicated -> Shard, each rank keeps its part; no communication
    Collective,            ///< Step::collective
};

enum class CollectiveOp { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Gather, AllToAll, SendRecv };

/// "forward", "all_reduce": the words of the JSON documents.
[[nodiscard]] std::string_view name(Pass pass);
[[nodiscard]] std::string_view name(CollectiveOp op);
[[nodiscard]] std::string_view name(StepKind kind);
[[nodiscard]] std::string_view name(Stream stream);

/// Sizes of core attention, the same on every rank.
struct AttentionSizes {
    std::int64_t sequences = 1; ///< b
    std::int64_t headSize = 1;  ///< d: heads of a rank are its columns of Q over d
    bool operator==(const AttentionSizes &) const = default;
};

/// A collective along one mesh axis. Sizes follow nccl-tests: the payload S is the total logical array.
struct Collective {
    CollectiveOp op = CollectiveOp::AllReduce;
    MeshAxis axis = MeshAxis::Tp;
    /// Groups of so many neighbours along the axis: the replicas of a KV head. 0: the whole axis.
    int replicas = 0;
    ReduceOp reduce = ReduceOp::Sum;
    bool average = false;    ///< the bug lab's: divides the sum by the group's size
    int toStage = 0;         ///< of a SendRecv; it comes from Step::stage
    bool overlapped = false; ///< runs beside the steps that do not depend on it
    Algorithm algorithm = Algorithm::Library;
    int gatherDim = 0;                 ///< dimension joined or cut by all-gather and reduce-scatter
    std::int64_t elements = 0;         ///< of the total logical array
    std::int64_t payloadBytes = 0;     ///< S, in the tensor's dtype
    DType wireDtype = DType::F32;      ///< what travels
    std::int64_t sentBytesPerRank = 0; ///< with that algorithm and wire dtype; the maximum over ranks
    int hops = 0;                      ///< of the hop schedule; 0 when the library chooses
};

/// One operation. A collective of several tensors (a bucket, or gradients in one message) lists them all, and what it
/// makes of each in the same order.
struct Step {
    int id = 0; ///< index into Plan::steps
    StepKind kind = StepKind::MatMul;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    bool transposeA = false;
    bool transposeB = false;
    Pass pass = Pass::Forward;
    int layer = 0;
    int microBatch = 0;
    int stage = kEveryStage; ///< the pipeline stage that runs it
    Stream stream = Stream::Compute;
    AttentionSizes attention;     ///< of core attention
    double factor = 1;            ///< of Scale, CrossEntropyBackward and Adam
    double padMs = 0;             ///< of Pad
    std::vector<int> dependsOn;   ///< earlier steps that must have ended
    std::string label;            ///< short formula for lanes and scrub bar: "Y = X·W", "AR Y"
    Text title;                   ///< what happens, one clause
    Text reason;                  ///< why, with this plan's names
    std::int64_t flops = 0;       ///< per rank, the largest share
    std::int64_t memoryBytes = 0; ///< read and written per rank
    std::optional<Collective> collective;
};

} // namespace shardscope

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
    MatMul,         ///< {A, B} -> C, with Step::transposeA / transposeB
    AddBias,        ///< {Y, b} -> Y + b
    Gelu,           ///< {Z} -> H
    GeluBackward,   ///< {dH, Z} -> dZ
    SwiGlu,         ///< {G, U} -> silu(G) * U
    SwiGluBackward, ///< {dH, G, U} -> {dG, dU}
    Add,            ///< {A, B} -> A + B
    SumRows,        ///< {dY} -> db, the sum over tokens
    Slice,          ///< Replicated -> Shard, each rank keeps its part; no communication
    Collective,     ///< Step::collective
};

enum class CollectiveOp { AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Gather, AllToAll, SendRecv };

/// "forward", "all_reduce": the words of the JSON documents.
[[nodiscard]] std::string_view name(Pass pass);
[[nodiscard]] std::string_view name(CollectiveOp op);
[[nodiscard]] std::string_view name(StepKind kind);
[[nodiscard]] std::string_view name(Stream stream);

/// A collective along one mesh axis. Sizes follow nccl-tests: the payload S is the total logical array.
struct Collective {
    CollectiveOp op = CollectiveOp::AllReduce;
    MeshAxis axis = MeshAxis::Tp;
    Algorithm algorithm = Algorithm::Library;
    int gatherDim = 0;                 ///< dimension joined or cut by all-gather and reduce-scatter
    std::int64_t elements = 0;         ///< of the total logical array
    std::int64_t payloadBytes = 0;     ///< S, in the tensor's dtype
    DType wireDtype = DType::F32;      ///< what travels
    std::int64_t sentBytesPerRank = 0; ///< with that algorithm and wire dtype; the maximum over ranks
    int hops = 0;                      ///< of the hop schedule; 0 when the library chooses
};

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
    int stage = 0;
    Stream stream = Stream::Compute;
    std::vector<int> dependsOn;   ///< earlier steps that must have ended
    std::string label;            ///< short formula for lanes and scrub bar: "Y = X·W", "AR Y"
    Text title;                   ///< what happens, one clause
    Text reason;                  ///< why, with this plan's names
    std::int64_t flops = 0;       ///< per rank, the largest share
    std::int64_t memoryBytes = 0; ///< read and written per rank
    std::optional<Collective> collective;
};

} // namespace shardscope

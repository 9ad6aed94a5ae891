// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/mesh.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope {

enum class Scheme {
    Column,
    Row,
    Mlp,
    Attention,
    Block,
    Embedding,
    Logits,
    DataParallel,
    Zero1,
    Zero2,
    Zero3,
    Pipeline,
    BugRowBiasEachRank,
    BugAllReduceColumns,
    BugNonlinearityOnPartial,
    BugAllReduceWeightGradient,
    BugMissingInputGradientReduce,
    BugAverageInsteadOfSum,
    BugConcatPartials,
    BugUnshardedHeads,
    BugUnreducedKv,
    BugNaiveExercise,
};
enum class Phase { Training, Prefill, Decode };
/// I64 is what token ids are, I8 what weights may be kept in; no experiment computes in them.
enum class DType { F32, F64, BF16, F16, I64, I8 };
/// What the weights of linear layers are kept in at inference: the experiment's dtype, or int8 with one f32 scale for
/// each output channel (weight-only quantization: activations keep the dtype).
enum class WeightDType { Same, Int8 };
enum class Algorithm { Library, Ring, Tree, Direct, HalvingDoubling };
enum class MlpKind { Gelu, Swiglu };
enum class Backend { Auto, Cpu, Cuda };
/// How the two linear layers of a pair are cut; Megatron's is column, then row.
enum class Pair { ColumnRow, RowColumn, RowRow, ColumnColumn };
/// What data-parallel, ZeRO and pipeline schemes run.
enum class Layer { Mlp, Attention, Block };
/// Activations between the parallel layers cut by tokens. Backward gathers the input of a column layer again (Megatron)
/// or keeps what forward gathered (Keep).
enum class SequenceParallel { Off, Megatron, Keep };
/// What backward computes again instead of keeping: nothing, core attention, the whole layer.
enum class Recompute { None, Selective, Full };
/// Where the sum of a row-parallel layer goes: to all ranks at once, or to rank 0 and from there to all.
enum class ReduceTo { All, Root };
/// Order of micro-batches in a pipeline: one forward, one backward; or all forwards, then all backwards.
enum class Schedule { OneFOneB, GPipe };

/// Bytes of one element.
[[nodiscard]] int bytesOf(DType dtype);

/// Makes one rank late before each step's first operation, to show waiting.
struct Delay {
    int rank = 0;
    double milliseconds = 0;
    bool operator==(const Delay &) const = default;
};

/// Pads every stage's forward and backward of one micro-batch to a duration, so that a pipeline's bubble can be seen.
struct StageDelay {
    double forwardMs = 0;
    double backwardMs = 0;
    bool operator==(const StageDelay &) const = default;
};

/// How long one collective may take in seconds when nothing is asked for: GPUs may have to load kernels first.
[[nodiscard]] constexpr double timeoutOn(Backend backend)
{
    return backend == Backend::Cuda ? 30 : 10;
}

/// One experiment: every option of the command line that describes what is run. Names follow the options
/// (`--gather-output` is `gatherOutput`); the table that reads, prints and explains them is `experiment_options.h`.
/// Symbols: b micro-batch, s sequence, h hidden, f ffn, a query heads, k KV heads, L layers, V vocabulary, m
/// micro-batches, N ranks of an axis, t tokens.
struct Experiment {
    Scheme scheme = Scheme::Mlp;
    Phase phase = Phase::Training;
    Mesh mesh{{2, 1, 1}};
    std::int64_t hidden = 1024;
    std::int64_t ffn = 4096; ///< default 4h: resolved when read
    std::int64_t batch = 4;
    std::int64_t sequence = 64;
    std::int64_t heads = 16;         ///< a, query heads; default h/64, at least 1
    std::int64_t kvHeads = 16;       ///< k, key and value heads; default a
    std::int64_t vocabulary = 32000; ///< V
    std::int64_t layers = 1;         ///< L; default 1, with a pipeline one per stage
    std::int64_t cache = 64;         ///< tokens in the KV cache before a decode step; default s
    MlpKind mlp = MlpKind::Gelu;
    Pair pair = Pair::ColumnRow;
    Layer layer = Layer::Mlp; ///< of the data-parallel, ZeRO and pipeline schemes
    DType dtype = DType::F32;
    WeightDType weightDtype = WeightDType::Same; ///< at inference
    bool bias = true;
    bool gatherOutput = false; ///< column: all-gather Y
    bool inputParallel = true; ///< row: X arrives sharded
    bool inputGradient = true; ///< training: X needs a gradient
    SequenceParallel sequenceParallel = SequenceParallel::Off;
    Recompute recompute = Recompute::None;
    bool parallelBlock = false; ///< attention and MLP side by side on one norm
    bool overlap = false;       ///< collectives beside compute that does not need them
    ReduceTo reduceTo = ReduceTo::All;
    int microBatches = 1; ///< m, per optimizer step
    Schedule schedule = Schedule::OneFOneB;
    std::optional<StageDelay> stageDelay;
    int zero = 0; ///< ZeRO stage on the dp axis of a mesh
    Backend backend = Backend::Auto;
    int threads = 0; ///< compute threads per rank; 0: max(1, cores allowed / ranks here), resolved by the rank host
    Algorithm algorithm = Algorithm::Library;
    int steps = 20;
    int warmup = 3;
    std::uint64_t seed = 1;
    std::optional<Delay> delay;
    double timeoutSeconds = 0; ///< of one collective; 0: as timeoutOn() says, resolved by the rank host

    /// Seconds that one collective may take, as asked for or by default.
    [[nodiscard]] double timeout() const { return timeoutSeconds > 0 ? timeoutSeconds : timeoutOn(backend); }
    [[nodiscard]] int ranks() const { return mesh.size(); }
    [[nodiscard]] int extent(MeshAxis axis) const { return mesh.extent(axis); }
    /// Tokens of one micro-batch of one data-parallel replica: b*s; in decode one token per sequence, b.
    [[nodiscard]] std::int64_t tokens() const { return phase == Phase::Decode ? batch : batch * sequence; }

    /// Tokens of one step over all micro-batches and replicas.
    [[nodiscard]] std::int64_t globalTokens() const { return tokens() * microBatches * extent(MeshAxis::Dp); }
    /// d = h/a.
    [[nodiscard]] std::int64_t headSize() const { return hidden / heads; }
    /// What is repeated L times; nothing for the single linear layers, embedding, logits and the bug lab.
    [[nodiscard]] std::optional<Layer> repeatedLayer() const;
    /// ZeRO stage on the dp axis, by the scheme or by `zero`.
    [[nodiscard]] int zeroStage() const;
    /// Weights are updated by Adam at the end of a training step: wherever a dp axis is what is shown.
    [[nodiscard]] bool hasOptimizer() const;

    bool operator==(const Experiment &) const = default;
};

/// The axis on which a scheme alone puts its ranks.
[[nodiscard]] MeshAxis ownAxis(Scheme scheme);
[[nodiscard]] bool isBug(Scheme scheme);
/// A mesh of `ranks` on one axis.
[[nodiscard]] Mesh meshAlong(MeshAxis axis, int ranks);

[[nodiscard]] std::string_view name(Scheme scheme);
[[nodiscard]] std::string_view name(Phase phase);
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::string_view name(WeightDType dtype);
[[nodiscard]] std::string_view name(Algorithm algorithm);
[[nodiscard]] std::string_view name(MlpKind kind);
[[nodiscard]] std::string_view name(Backend backend);
[[nodiscard]] std::string_view name(Pair pair);
[[nodiscard]] std::string_view name(Layer layer);
[[nodiscard]] std::string_view name(SequenceParallel mode);
[[nodiscard]] std::string_view name(Recompute recompute);
[[nodiscard]] std::string_view name(ReduceTo target);
[[nodiscard]] std::string_view name(Schedule schedule);

} // namespace shardscope

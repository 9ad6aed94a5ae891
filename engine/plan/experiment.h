// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/mesh.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope {

enum class Scheme { Column, Row, Mlp, BugRowBiasEachRank, BugAllReduceColumns };
enum class Phase { Training, Prefill, Decode };
enum class DType { F32, F64, BF16, F16 };
enum class Algorithm { Library, Ring, Tree, Direct, HalvingDoubling };
enum class MlpKind { Gelu, Swiglu };
enum class Backend { Auto, Cpu, Cuda };

/// Bytes of one element.
[[nodiscard]] int bytesOf(DType dtype);

/// Makes one rank late before each step's first operation, to show waiting.
struct Delay {
    int rank = 0;
    double milliseconds = 0;
    bool operator==(const Delay &) const = default;
};

/// One experiment: every option of the command line that describes what is run. Names follow the options
/// (`--gather-output` is `gatherOutput`); the table that reads, prints and explains them is `experiment_options.h`.
/// Symbols: b batch, s sequence, h hidden, f ffn, N tensor-parallel ranks, t tokens.
struct Experiment {
    Scheme scheme = Scheme::Mlp;
    Phase phase = Phase::Training;
    Mesh mesh{{2, 1, 1}};
    std::int64_t hidden = 1024;
    std::int64_t ffn = 4096; ///< default 4h: resolved when read
    std::int64_t batch = 4;
    std::int64_t sequence = 64;
    MlpKind mlp = MlpKind::Gelu;
    DType dtype = DType::F32;
    bool bias = true;
    bool gatherOutput = false; ///< column: all-gather Y
    bool inputParallel = true; ///< row: X arrives sharded
    bool inputGradient = true; ///< training: X needs a gradient
    Backend backend = Backend::Auto;
    int threads = 0; ///< compute threads per rank; 0: max(1, cores allowed / ranks here), resolved by the rank host
    Algorithm algorithm = Algorithm::Library;
    int steps = 20;
    int warmup = 3;
    std::uint64_t seed = 1;
    std::optional<Delay> delay;
    double timeoutSeconds = 10; ///< of one collective

    [[nodiscard]] int ranks() const { return mesh.size(); }
    /// Tokens of one pass: b*s; in decode one token per sequence, b.
    [[nodiscard]] std::int64_t tokens() const { return phase == Phase::Decode ? batch : batch * sequence; }

    bool operator==(const Experiment &) const = default;
};

[[nodiscard]] std::string_view name(Scheme scheme);
[[nodiscard]] std::string_view name(Phase phase);
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::string_view name(Algorithm algorithm);
[[nodiscard]] std::string_view name(MlpKind kind);
[[nodiscard]] std::string_view name(Backend backend);

} // namespace shardscope

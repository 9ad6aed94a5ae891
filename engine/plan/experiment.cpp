// SPDX-License-Identifier: MIT
#include "engine/plan/experiment.h"

#include <array>

namespace shardscope {
namespace {

template <typename Enum>
struct Word {
    Enum value;
    std::string_view text;
};

template <typename Enum, std::size_t N>
std::string_view wordFor(Enum value, const std::array<Word<Enum>, N> &words)
{
    for (const Word<Enum> &word : words) {
        if (word.value == value)
            return word.text;
    }
    return "";
}

constexpr std::array kSchemes{
    Word{Scheme::Column, "column"},
    Word{Scheme::Row, "row"},
    Word{Scheme::Mlp, "mlp"},
    Word{Scheme::Attention, "attention"},
    Word{Scheme::Block, "block"},
    Word{Scheme::Embedding, "embedding"},
    Word{Scheme::Logits, "logits"},
    Word{Scheme::DataParallel, "data-parallel"},
    Word{Scheme::Zero1, "zero1"},
    Word{Scheme::Zero2, "zero2"},
    Word{Scheme::Zero3, "zero3"},
    Word{Scheme::Pipeline, "pipeline"},
    Word{Scheme::BugRowBiasEachRank, "bug:row-bias-each-rank"},
    Word{Scheme::BugAllReduceColumns, "bug:all-reduce-columns"},
    Word{Scheme::BugNonlinearityOnPartial, "bug:nonlinearity-on-partial"},
    Word{Scheme::BugAllReduceWeightGradient, "bug:all-reduce-weight-gradient"},
    Word{Scheme::BugMissingInputGradientReduce, "bug:missing-input-gradient-reduce"},
    Word{Scheme::BugAverageInsteadOfSum, "bug:average-instead-of-sum"},
    Word{Scheme::BugConcatPartials, "bug:concat-partials"},
    Word{Scheme::BugUnshardedHeads, "bug:unsharded-heads"},
    Word{Scheme::BugUnreducedKv, "bug:unreduced-kv"},
    Word{Scheme::BugNaiveExercise, "bug:naive-exercise"},
};
constexpr std::array kPhases{
    Word{Phase::Training, "training"},
    Word{Phase::Prefill, "prefill"},
    Word{Phase::Decode, "decode"},
};
constexpr std::array kDTypes{
    Word{DType::F32, "f32"}, Word{DType::F64, "f64"}, Word{DType::BF16, "bf16"},
    Word{DType::F16, "f16"}, Word{DType::I64, "i64"}, Word{DType::I8, "int8"},
};
constexpr std::array kWeightDTypes{Word{WeightDType::Same, "same"}, Word{WeightDType::Int8, "int8"}};
constexpr std::array kAlgorithms{
    Word{Algorithm::Library, "library"},
    Word{Algorithm::Ring, "ring"},
    Word{Algorithm::Tree, "tree"},
    Word{Algorithm::Direct, "direct"},
    Word{Algorithm::HalvingDoubling, "halving-doubling"},
};
constexpr std::array kMlpKinds{Word{MlpKind::Gelu, "gelu"}, Word{MlpKind::Swiglu, "swiglu"}};
constexpr std::array kBackends{Word{Backend::Auto, "auto"}, Word{Backend::Cpu, "cpu"}, Word{Backend::Cuda, "cuda"}};
constexpr std::array kPairs{
    Word{Pair::ColumnRow, "column-row"},
    Word{Pair::RowColumn, "row-column"},
    Word{Pair::RowRow, "row-row"},
    Word{Pair::ColumnColumn, "column-column"},
};
constexpr std::array kLayers{Word{Layer::Mlp, "mlp"}, Word{Layer::Attention, "attention"}, Word{Layer::Block, "block"}};
constexpr std::array kSequenceModes{
    Word{SequenceParallel::Off, "off"},
    Word{SequenceParallel::Megatron, "megatron"},
    Word{SequenceParallel::Keep, "keep"},
};
constexpr std::array kRecomputes{
    Word{Recompute::None, "none"},
    Word{Recompute::Selective, "selective"},
    Word{Recompute::Full, "full"},
};
constexpr std::array kReduceTargets{Word{ReduceTo::All, "all"}, Word{ReduceTo::Root, "root"}};
constexpr std::array kSchedules{Word{Schedule::OneFOneB, "1f1b"}, Word{Schedule::GPipe, "gpipe"}};

} // namespace

int bytesOf(DType dtype)
{
    switch (dtype) {
    case DType::F64:
    case DType::I64:
        return 8;
    case DType::F32:
        return 4;
    case DType::BF16:
    case DType::F16:
        return 2;
    case DType::I8:
        return 1;
    }
    return 4;
}

std::optional<Layer> Experiment::repeatedLayer() const
{
    switch (scheme) {
    case Scheme::Mlp:
        return Layer::Mlp;
    case Scheme::Attention:
        return Layer::Attention;
    case Scheme::Block:
        return Layer::Block;
    case Scheme::DataParallel:
    case Scheme::Zero1:
    case Scheme::Zero2:
    case Scheme::Zero3:
    case Scheme::Pipeline:
        return layer;
    default:
        return std::nullopt;
    }
}

int Experiment::zeroStage() const
{
    switch (scheme) {
    case Scheme::Zero1:
        return 1;
    case Scheme::Zero2:
        return 2;
    case Scheme::Zero3:
        return 3;
    default:
        return zero;
    }
}

bool Experiment::hasOptimizer() const
{
    const bool byScheme = scheme == Scheme::DataParallel || zeroStage() > 0;
    return phase == Phase::Training && repeatedLayer() && (byScheme || extent(MeshAxis::Dp) > 1);
}

MeshAxis ownAxis(Scheme scheme)
{
    switch (scheme) {
    case Scheme::DataParallel:
    case Scheme::Zero1:
    case Scheme::Zero2:
    case Scheme::Zero3:
        return MeshAxis::Dp;
    case Scheme::Pipeline:
        return MeshAxis::Pp;
    default:
        return MeshAxis::Tp;
    }
}

bool isBug(Scheme scheme)
{
    return name(scheme).starts_with("bug:");
}

Mesh meshAlong(MeshAxis axis, int ranks)
{
    Mesh mesh;
    mesh.setExtent(axis, ranks);
    return mesh;
}

std::string_view name(Scheme scheme)
{
    return wordFor(scheme, kSchemes);
}

std::string_view name(Phase phase)
{
    return wordFor(phase, kPhases);
}

std::string_view name(DType dtype)
{
    return wordFor(dtype, kDTypes);
}

std::string_view name(WeightDType dtype)
{
    return wordFor(dtype, kWeightDTypes);
}

std::string_view name(Algorithm algorithm)
{
    return wordFor(algorithm, kAlgorithms);
}

std::string_view name(MlpKind kind)
{
    return wordFor(kind, kMlpKinds);
}

std::string_view name(Backend backend)
{
    return wordFor(backend, kBackends);
}

std::string_view name(Pair pair)
{
    return wordFor(pair, kPairs);
}

std::string_view name(Layer layer)
{
    return wordFor(layer, kLayers);
}

std::string_view name(SequenceParallel mode)
{
    return wordFor(mode, kSequenceModes);
}

std::string_view name(Recompute recompute)
{
    return wordFor(recompute, kRecomputes);
}

std::string_view name(ReduceTo target)
{
    return wordFor(target, kReduceTargets);
}

std::string_view name(Schedule schedule)
{
    return wordFor(schedule, kSchedules);
}

} // namespace shardscope

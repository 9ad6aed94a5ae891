// SPDX-License-Identifier: MIT
#include "engine/plan/experiment.h"

namespace shardscope {

int bytesOf(DType dtype)
{
    switch (dtype) {
    case DType::F64:
        return 8;
    case DType::F32:
        return 4;
    case DType::BF16:
    case DType::F16:
        return 2;
    }
    return 4;
}

std::string_view name(Scheme scheme)
{
    switch (scheme) {
    case Scheme::Column:
        return "column";
    case Scheme::Row:
        return "row";
    case Scheme::Mlp:
        return "mlp";
    case Scheme::BugRowBiasEachRank:
        return "bug:row-bias-each-rank";
    case Scheme::BugAllReduceColumns:
        return "bug:all-reduce-columns";
    }
    return "";
}

std::string_view name(Phase phase)
{
    switch (phase) {
    case Phase::Training:
        return "training";
    case Phase::Prefill:
        return "prefill";
    case Phase::Decode:
        return "decode";
    }
    return "";
}

std::string_view name(DType dtype)
{
    switch (dtype) {
    case DType::F32:
        return "f32";
    case DType::F64:
        return "f64";
    case DType::BF16:
        return "bf16";
    case DType::F16:
        return "f16";
    }
    return "";
}

std::string_view name(Algorithm algorithm)
{
    switch (algorithm) {
    case Algorithm::Library:
        return "library";
    case Algorithm::Ring:
        return "ring";
    case Algorithm::Tree:
        return "tree";
    case Algorithm::Direct:
        return "direct";
    case Algorithm::HalvingDoubling:
        return "halving-doubling";
    }
    return "";
}

std::string_view name(MlpKind kind)
{
    return kind == MlpKind::Gelu ? "gelu" : "swiglu";
}

std::string_view name(Backend backend)
{
    switch (backend) {
    case Backend::Auto:
        return "auto";
    case Backend::Cpu:
        return "cpu";
    case Backend::Cuda:
        return "cuda";
    }
    return "";
}

} // namespace shardscope

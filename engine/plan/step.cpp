// SPDX-License-Identifier: MIT
#include "engine/plan/step.h"

namespace shardscope {

std::string_view name(Pass pass)
{
    switch (pass) {
    case Pass::Forward:
        return "forward";
    case Pass::Recompute:
        return "recompute";
    case Pass::Backward:
        return "backward";
    case Pass::Optimizer:
        return "optimizer";
    }
    return "";
}

std::string_view name(CollectiveOp op)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return "all_reduce";
    case CollectiveOp::AllGather:
        return "all_gather";
    case CollectiveOp::ReduceScatter:
        return "reduce_scatter";
    case CollectiveOp::Broadcast:
        return "broadcast";
    case CollectiveOp::Reduce:
        return "reduce";
    case CollectiveOp::Gather:
        return "gather";
    case CollectiveOp::AllToAll:
        return "all_to_all";
    case CollectiveOp::SendRecv:
        return "send_recv";
    }
    return "";
}

std::string_view name(StepKind kind)
{
    switch (kind) {
    case StepKind::MatMul:
        return "matmul";
    case StepKind::Dequantize:
        return "dequantize";
    case StepKind::AddBias:
        return "add_bias";
    case StepKind::Gelu:
        return "gelu";
    case StepKind::GeluBackward:
        return "gelu_backward";
    case StepKind::SwiGlu:
        return "swiglu";
    case StepKind::SwiGluBackward:
        return "swiglu_backward";
    case StepKind::Add:
        return "add";
    case StepKind::SumRows:
        return "sum_rows";
    case StepKind::Scale:
        return "scale";
    case StepKind::LayerNorm:
        return "layer_norm";
    case StepKind::LayerNormBackward:
        return "layer_norm_backward";
    case StepKind::LayerNormScaleGradient:
        return "layer_norm_scale_gradient";
    case StepKind::AttentionCore:
        return "attention_core";
    case StepKind::AttentionCoreBackward:
        return "attention_core_backward";
    case StepKind::EmbeddingLookup:
        return "embedding_lookup";
    case StepKind::EmbeddingBackward:
        return "embedding_backward";
    case StepKind::LastPosition:
        return "last_position";
    case StepKind::RowMax:
        return "row_max";
    case StepKind::SumExp:
        return "sum_exp";
    case StepKind::TargetLogit:
        return "target_logit";
    case StepKind::CrossEntropy:
        return "cross_entropy";
    case StepKind::CrossEntropyBackward:
        return "cross_entropy_backward";
    case StepKind::Adam:
        return "adam";
    case StepKind::Pad:
        return "pad";
    case StepKind::Slice:
        return "slice";
    case StepKind::Collective:
        return "collective";
    }
    return "";
}

std::string_view name(Stream stream)
{
    return stream == Stream::Compute ? "compute" : "communication";
}

} // namespace shardscope

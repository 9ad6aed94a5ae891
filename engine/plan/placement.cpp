// SPDX-License-Identifier: MIT
#include "engine/plan/placement.h"

#include "engine/plan/text.h"

namespace shardscope {

std::string describe(const Placement &placement, int tensorRank)
{
    switch (placement.kind) {
    case PlacementKind::Replicated:
        return "replicated";
    case PlacementKind::Partial:
        return placement.reduce == ReduceOp::Max ? "partial (max)" : "partial";
    case PlacementKind::Root:
        return "root";
    case PlacementKind::Shard:
        break;
    }
    std::string text = placement.dim == 0 ? "shard rows" : "shard columns";
    if (tensorRank == 1)
        text = "shard elements";
    else if (tensorRank > 2)
        text = "shard heads";
    if (placement.replicas > 1)
        text += " x" + counted(placement.replicas, "replica|replicas");
    return placement.addends ? text + ", addends" : text;
}

} // namespace shardscope

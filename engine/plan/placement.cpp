// SPDX-License-Identifier: MIT
#include "engine/plan/placement.h"

namespace shardscope {

std::string describe(const Placement &placement, int tensorRank)
{
    switch (placement.kind) {
    case PlacementKind::Replicated:
        return "replicated";
    case PlacementKind::Partial:
        return "partial";
    case PlacementKind::Shard:
        break;
    }
    if (tensorRank == 1)
        return "shard elements";
    return placement.dim == 0 ? "shard rows" : "shard columns";
}

} // namespace shardscope

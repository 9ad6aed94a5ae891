// SPDX-License-Identifier: MIT
#include "engine/plan/algebra.h"

namespace shardscope {
namespace {

constexpr int kRows = 0;
constexpr int kColumns = 1;

const Placement kWhole = Placement::replicated();
const Placement kSum = Placement::partial();

Text rule(TextId id)
{
    return {id, {}};
}

bool isShard(Placement p, int dim)
{
    return p == Placement::shard(dim);
}

/// The placement of op(A): transposing swaps what is cut.
Placement transposed(Placement p, bool transpose)
{
    if (transpose && p.kind == PlacementKind::Shard)
        return Placement::shard(1 - p.dim);
    return p;
}

} // namespace

Expected<Placement> matMulPlacement(Placement a, bool transposeA, Placement b, bool transposeB)
{
    const Placement left = transposed(a, transposeA);
    const Placement right = transposed(b, transposeB);
    if (right == kSum)
        return rule(TextId::RuleRightFactorPartial);
    if (left == kSum)
        return right == kWhole ? Expected<Placement>(kSum) : rule(TextId::RuleLeftFactorPartial);

    // A's columns and B's rows are the inner dimension k: cut in both, the rank's product is an addend of C.
    const bool leftInner = isShard(left, kColumns);
    const bool rightInner = isShard(right, kRows);
    if (leftInner && rightInner)
        return kSum;
    if (leftInner)
        return rule(TextId::RuleInnerCutLeftOnly);
    if (rightInner)
        return rule(TextId::RuleInnerCutRightOnly);

    if (left == kWhole)
        return right; // whole or columns
    if (right == kWhole)
        return left; // rows
    return rule(TextId::RuleRowsTimesColumns);
}

Expected<Placement> addBiasPlacement(Placement y, Placement bias)
{
    if (y == kSum)
        return bias == kSum ? Expected<Placement>(kSum) : rule(TextId::RuleBiasOnPartial);
    // A bias runs along Y's columns: it is cut exactly when they are.
    const Placement fitting = isShard(y, kColumns) ? Placement::shard(0) : kWhole;
    if (bias != fitting)
        return rule(TextId::RuleBiasCutDifferently);
    return y;
}

Expected<Placement> nonLinearPlacement(const std::vector<Placement> &inputs)
{
    for (const Placement &input : inputs) {
        if (input == kSum)
            return rule(TextId::RuleNonLinearOnPartial);
        if (input != inputs.front())
            return rule(TextId::RuleOperandsCutDifferently);
    }
    return inputs.front();
}

Expected<Placement> addPlacement(Placement a, Placement b)
{
    if (a == b)
        return a;
    if (a == kSum || b == kSum)
        return rule(TextId::RuleAddToPartial);
    return rule(TextId::RuleOperandsCutDifferently);
}

Expected<Placement> sumRowsPlacement(Placement y)
{
    if (isShard(y, kColumns))
        return Placement::shard(0); // the vector's only dimension
    if (isShard(y, kRows))
        return kSum; // each rank has seen its rows only
    return y;
}

Expected<Placement> slicePlacement(Placement x, int dim)
{
    if (x != kWhole)
        return rule(TextId::RuleSliceNeedsWhole);
    return Placement::shard(dim);
}

namespace {

Expected<Placement> allReducePlacement(Placement x)
{
    if (x == kSum)
        return kWhole;
    if (x == kWhole)
        return rule(TextId::RuleAllReduceOnReplicated);
    return rule(x.dim == kColumns ? TextId::RuleAllReduceOnColumns : TextId::RuleAllReduceOnRows);
}

Expected<Placement> allGatherPlacement(Placement x, int dim)
{
    if (x.kind != PlacementKind::Shard)
        return rule(TextId::RuleAllGatherNeedsShard);
    if (x.dim != dim)
        return rule(TextId::RuleAllGatherOtherDimension);
    return kWhole;
}

} // namespace

Expected<Placement> collectivePlacement(CollectiveOp op, Placement x, int dim)
{
    switch (op) {
    case CollectiveOp::AllReduce:
        return allReducePlacement(x);
    case CollectiveOp::AllGather:
        return allGatherPlacement(x, dim);
    case CollectiveOp::ReduceScatter:
        return x == kSum ? Expected<Placement>(Placement::shard(dim)) : rule(TextId::RuleReduceScatterNeedsPartial);
    case CollectiveOp::Broadcast:
    case CollectiveOp::Reduce:
    case CollectiveOp::Gather:
    case CollectiveOp::AllToAll:
    case CollectiveOp::SendRecv:
        break;
    }
    return rule(TextId::RuleCollectiveWithoutPlacement);
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/plan/algebra.h"

#include <algorithm>
#include <optional>

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
    return p.isShard() && p.dim == dim;
}

bool isPartial(Placement p)
{
    return p.kind == PlacementKind::Partial;
}

/// The placement of op(A): transposing swaps what is cut.
Placement transposed(Placement p, bool transpose)
{
    if (transpose && p.isShard())
        p.dim = 1 - p.dim;
    return p;
}

/// Both factors are cut along k, alike.
Expected<Placement> innerProduct(Placement left, Placement right)
{
    if (left.replicas != right.replicas)
        return rule(TextId::RuleInnerCutDifferently);
    if (left.replicas > 1 && left.addends == right.addends)
        return rule(TextId::RuleReplicasCounted);
    return kSum;
}

/// The rule that a tensor breaks which must hold finished values.
std::optional<TextId> unfinished(Placement p)
{
    if (p.kind == PlacementKind::Root)
        return TextId::RuleOnRootOnly;
    if (p.isAddend())
        return TextId::RuleNonLinearOnPartial;
    return std::nullopt;
}

} // namespace

Expected<Placement> matMulPlacement(Placement a, bool transposeA, Placement b, bool transposeB)
{
    const Placement left = transposed(a, transposeA);
    const Placement right = transposed(b, transposeB);
    if (left.kind == PlacementKind::Root || right.kind == PlacementKind::Root)
        return rule(TextId::RuleOnRootOnly);
    if (isPartial(right))
        return rule(TextId::RuleRightFactorPartial);
    if (isPartial(left))
        return right == kWhole ? Expected<Placement>(left) : rule(TextId::RuleLeftFactorPartial);

    // A's columns and B's rows are the inner dimension k: cut in both, the rank's product is an addend of C.
    const bool leftInner = isShard(left, kColumns);
    const bool rightInner = isShard(right, kRows);
    if (leftInner && rightInner)
        return innerProduct(left, right);
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

namespace {

/// Of a vector that runs along the columns of a finished matrix.
Placement alongColumns(Placement y)
{
    return isShard(y, kColumns) ? Placement::shard(0, y.replicas) : kWhole;
}

} // namespace

Expected<Placement> scaleColumnsPlacement(Placement w, Placement scales)
{
    if (const auto broken = unfinished(w))
        return rule(*broken);
    return scales == alongColumns(w) ? Expected<Placement>(w) : rule(TextId::RuleOperandsCutDifferently);
}

Expected<Placement> addBiasPlacement(Placement y, Placement bias)
{
    if (isPartial(y))
        return isPartial(bias) ? Expected<Placement>(y) : rule(TextId::RuleBiasOnPartial);
    if (const auto broken = unfinished(y))
        return rule(*broken);
    if (bias != alongColumns(y))
        return rule(TextId::RuleBiasCutDifferently);
    return y;
}

Expected<Placement> nonLinearPlacement(const std::vector<Placement> &inputs)
{
    for (const Placement &input : inputs) {
        if (const auto broken = unfinished(input))
            return rule(*broken);
        if (input != inputs.front())
            return rule(TextId::RuleOperandsCutDifferently);
    }
    return inputs.front();
}

Expected<Placement> addPlacement(Placement a, Placement b)
{
    if (a == b)
        return a;
    if (a.isAddend() || b.isAddend())
        return rule(TextId::RuleAddToPartial);
    return rule(TextId::RuleOperandsCutDifferently);
}

Expected<Placement> sumRowsPlacement(Placement y)
{
    if (isShard(y, kColumns)) { // the vector's only dimension
        y.dim = 0;
        return y;
    }
    if (isShard(y, kRows))
        return kSum; // each rank has seen its rows only
    return y;
}

Expected<Placement> rowWisePlacement(Placement x, const std::vector<Placement> &others)
{
    if (const auto broken = unfinished(x))
        return rule(*broken);
    if (isShard(x, kColumns))
        return rule(TextId::RuleRowCut);
    const bool whole = std::ranges::all_of(others, [](Placement p) { return p == kWhole; });
    return whole ? Expected<Placement>(x) : rule(TextId::RuleOperandsCutDifferently);
}

Expected<Placement> attentionPlacement(Placement q, Placement k, Placement v, bool wholeSequences)
{
    for (const Placement &input : {q, k, v}) {
        if (const auto broken = unfinished(input))
            return rule(*broken);
    }
    if (k != v || k.isShard() != q.isShard() || (q.isShard() && k.dim != q.dim))
        return rule(TextId::RuleOperandsCutDifferently);
    if (isShard(q, kRows) && !wholeSequences)
        return rule(TextId::RuleAttentionNeedsTokens);
    return q;
}

std::vector<Placement> attentionGradientPlacements(Placement q, Placement k, Placement v)
{
    for (Placement *kv : {&k, &v})
        kv->addends = kv->replicas > 1;
    return {q, k, v};
}

Expected<Placement> lookupPlacement(Placement ids, Placement e)
{
    if (e == kWhole)
        return ids; // each rank looks its own tokens up
    if (ids != kWhole)
        return rule(TextId::RuleOperandsCutDifferently);
    return isShard(e, kRows) ? kSum : e;
}

namespace {

std::optional<TextId> brokenByStatistics(Placement z, const std::vector<Placement> &others)
{
    if (const auto broken = unfinished(z))
        return broken;
    const Placement fitting = isShard(z, kColumns) ? kWhole : z;
    for (const Placement &other : others) {
        if (const auto broken = unfinished(other))
            return broken;
        if (other != fitting)
            return TextId::RuleOperandsCutDifferently;
    }
    return std::nullopt;
}

} // namespace

Expected<Placement> rowStatisticPlacement(Placement z, const std::vector<Placement> &others, ReduceOp reduce)
{
    if (const auto broken = brokenByStatistics(z, others))
        return rule(*broken);
    return isShard(z, kColumns) ? Placement::partial(reduce) : z;
}

Expected<Placement> withRowStatisticsPlacement(Placement z, const std::vector<Placement> &others)
{
    if (const auto broken = brokenByStatistics(z, others))
        return rule(*broken);
    return z;
}

Expected<Placement> slicePlacement(Placement x, int dim)
{
    if (x != kWhole)
        return rule(TextId::RuleSliceNeedsWhole);
    return Placement::shard(dim);
}

namespace {

/// Among the ranks that hold the same slice.
Expected<Placement> reduceReplicas(Placement x, int replicas)
{
    if (!x.isShard() || !x.addends || x.replicas != replicas)
        return rule(TextId::RuleReplicasNeedAddends);
    x.addends = false;
    return x;
}

Expected<Placement> allReducePlacement(const Collective &collective, Placement x)
{
    if (collective.replicas > 0)
        return reduceReplicas(x, collective.replicas);
    if (isPartial(x) && collective.average)
        return rule(TextId::RuleAverageOfAddends);
    if (isPartial(x))
        return x.reduce == collective.reduce ? Expected<Placement>(kWhole) : rule(TextId::RuleOtherReduction);
    if (x.kind == PlacementKind::Root)
        return rule(TextId::RuleOnRootOnly);
    if (x == kWhole)
        return rule(TextId::RuleAllReduceOnReplicated);
    return rule(x.dim == kColumns ? TextId::RuleAllReduceOnColumns : TextId::RuleAllReduceOnRows);
}

Expected<Placement> allGatherPlacement(Placement x, int dim)
{
    if (!x.isShard() || x.replicas > 1)
        return rule(TextId::RuleAllGatherNeedsShard);
    if (x.dim != dim)
        return rule(TextId::RuleAllGatherOtherDimension);
    return kWhole;
}

} // namespace

Expected<Placement> collectivePlacement(const Collective &collective, Placement x)
{
    switch (collective.op) {
    case CollectiveOp::AllReduce:
        return allReducePlacement(collective, x);
    case CollectiveOp::AllGather:
        return allGatherPlacement(x, collective.gatherDim);
    case CollectiveOp::ReduceScatter:
        return x == kSum ? Expected<Placement>(Placement::shard(collective.gatherDim))
                         : rule(TextId::RuleReduceScatterNeedsPartial);
    case CollectiveOp::Reduce:
        return x == kSum ? Expected<Placement>(Placement::root()) : rule(TextId::RuleReduceNeedsPartial);
    case CollectiveOp::Broadcast:
        return x == Placement::root() ? Expected<Placement>(kWhole) : rule(TextId::RuleBroadcastNeedsRoot);
    case CollectiveOp::SendRecv:
        return x; // another stage gets what this one has
    case CollectiveOp::Gather:
    case CollectiveOp::AllToAll:
        break;
    }
    return rule(TextId::RuleCollectiveWithoutPlacement);
}

} // namespace shardscope

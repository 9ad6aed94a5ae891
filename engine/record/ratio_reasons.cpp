// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"
#include "engine/record/format.h"

#include <algorithm>

namespace shardscope {
namespace {

std::int64_t sent(const RunSummary &summary, Pass pass)
{
    return summary.passes[static_cast<std::size_t>(pass)].sentBytesPerRank;
}

/// Whether backward has a collective along the whole axis that combines addends.
bool addsUpInBackward(const RunSummary &training, MeshAxis axis, int extent)
{
    return std::ranges::any_of(training.collectives, [&](const CollectiveSummary &c) {
        const bool adds = c.op == name(CollectiveOp::AllReduce) || c.op == name(CollectiveOp::ReduceScatter) ||
                          c.op == name(CollectiveOp::Reduce);
        // With one KV head all ranks share it, and their sum of its weights' gradients has a reason of its own.
        return c.pass == Pass::Backward && c.axis == axis && adds && c.groupSize == extent &&
               c.why.id != TextId::ReasonReplicatedHeads;
    });
}

Text passes(const RunSummary &training, const RunSummary &prefill)
{
    const std::string forward = formatBinaryBytes(sent(training, Pass::Forward));
    const std::string backward = formatBinaryBytes(sent(training, Pass::Backward));
    const std::string other = formatBinaryBytes(sent(prefill, Pass::Forward));
    const std::int64_t again = sent(training, Pass::Recompute);
    if (again == 0)
        return {TextId::RatioPasses, {forward, backward, other}};
    return {TextId::RatioPassesRecompute, {forward, formatBinaryBytes(again), backward, other}};
}

/// What backward and recomputation send, along the tensor-parallel axis.
void addTensorParallel(const Experiment &e, const RunSummary &training, std::vector<Text> &reasons)
{
    const int n = e.extent(MeshAxis::Tp);
    if (addsUpInBackward(training, MeshAxis::Tp, n))
        reasons.push_back({TextId::RatioInputGradient, {}});
    if (e.kvHeads < n && e.repeatedLayer() != Layer::Mlp)
        reasons.push_back({TextId::RatioReplicatedHeads, {}});
    if (e.sequenceParallel == SequenceParallel::Megatron)
        reasons.push_back({TextId::RatioGatherAgain, {}});
    if (e.recompute == Recompute::Full)
        reasons.push_back({TextId::RatioRecomputeFull, {}});
    if (e.recompute == Recompute::Selective)
        reasons.push_back({TextId::RatioRecomputeSelective, {}});
}

} // namespace

std::vector<Text> ratioReasons(const PhaseComparison &comparison)
{
    const auto training = comparison.phases.find(Phase::Training);
    const auto prefill = comparison.phases.find(Phase::Prefill);
    if (training == comparison.phases.end() || prefill == comparison.phases.end())
        return {};
    const Experiment &e = comparison.experiments.at(Phase::Training);
    // The causes are those of Megatron's pair; other orders pay in other places, and the plan's steps say where.
    if (!e.repeatedLayer() || e.pair != Pair::ColumnRow || e.ranks() == 1)
        return {};
    std::vector<Text> reasons{passes(training->second, prefill->second)};
    if (e.extent(MeshAxis::Tp) > 1)
        addTensorParallel(e, training->second, reasons);
    if (addsUpInBackward(training->second, MeshAxis::Dp, e.extent(MeshAxis::Dp)))
        reasons.push_back({TextId::RatioReplicas, {}});
    if (e.zeroStage() == 3 && e.extent(MeshAxis::Dp) > 1)
        reasons.push_back({TextId::RatioParametersAgain, {}});
    if (e.extent(MeshAxis::Pp) > 1)
        reasons.push_back({TextId::RatioStages, {}});
    return reasons;
}

} // namespace shardscope

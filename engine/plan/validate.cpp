// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/hop_schedule.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/plan.h"
#include "engine/plan/work.h"

#include <algorithm>

namespace shardscope {
namespace {

using Problem = std::optional<Text>;

/// An experiment may have been filled in field by field: each value must be one that its option would read.
Problem valueProblem(const Experiment &e)
{
    for (const ExperimentOption &option : experimentOptions()) {
        Experiment unused = e;
        if (auto problem = option.set(unused, option.get(e)))
            return problem;
    }
    return std::nullopt;
}

Problem sizeProblem(const Experiment &e)
{
    const std::int64_t width = std::max({e.hidden, e.ffn, option_uses::vocabulary(e) ? e.vocabulary : 1});
    if (saturatingProduct(e.globalTokens(), width) <= kMostActivationElements)
        return std::nullopt;
    return Text{TextId::ActivationTooLarge,
                {std::to_string(e.tokens()), std::to_string(width), std::to_string(kMostActivationElements)}};
}

/// "1, 7, 11, 13": the numbers of ranks that divide `size`.
std::string dividingRanks(std::int64_t size)
{
    std::vector<std::string> divisors;
    for (int n = 1; n <= kMostRanks; ++n) {
        if (size % n == 0)
            divisors.push_back(std::to_string(n));
    }
    return listText(divisors);
}

Text ffnProblem(const Experiment &e, int n)
{
    const std::int64_t below = e.ffn / n * n;
    const std::string above = std::to_string(below + n);
    Text problem{TextId::FfnNotDivisible, {std::to_string(e.ffn), std::to_string(n), dividingRanks(e.ffn), above}};
    if (below > 0) {
        problem.id = TextId::FfnBetweenMultiples;
        problem.args.push_back(std::to_string(below));
    }
    return problem;
}

/// A size that the ranks of an axis (or of two) share evenly.
Problem notShared(std::string_view option, std::int64_t size, std::string_view axis, int n)
{
    if (size % n == 0)
        return std::nullopt;
    const std::int64_t below = size / n * n;
    const std::string nearest = (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + n);
    return Text{TextId::SizeNotDivisible,
                {std::string(option), std::to_string(size), std::string(axis), "= " + std::to_string(n), nearest,
                 dividingRanks(size)}};
}

Problem meshProblem(const Experiment &e)
{
    const bool tensorParallelOnly = !e.repeatedLayer();
    if (tensorParallelOnly && e.extent(MeshAxis::Tp) != e.ranks())
        return Text{TextId::MeshForScheme,
                    {findOption("mesh")->get(e), std::string(name(e.scheme)), std::to_string(e.ranks())}};
    const int stages = e.extent(MeshAxis::Pp);
    if (e.layers % stages != 0)
        return Text{TextId::LayersNotDivisible,
                    {std::to_string(e.layers), std::to_string(stages),
                     std::to_string((e.layers + stages - 1) / stages * stages)}};
    return std::nullopt;
}

/// The divisors of `size`, as a list.
std::string divisorsOf(std::int64_t size)
{
    std::vector<std::string> divisors;
    for (std::int64_t n = 1; n <= size && n <= 4096 && divisors.size() < 16; ++n) {
        if (size % n == 0)
            divisors.push_back(std::to_string(n));
    }
    return listText(divisors);
}

/// Heads are units: ranks share whole query heads, and key and value heads are shared out or replicated.
Problem headsProblem(const Experiment &e)
{
    if (!option_uses::attention(e))
        return std::nullopt;
    const int n = e.extent(MeshAxis::Tp);
    const std::string k = std::to_string(e.kvHeads);
    if (e.hidden % e.heads != 0)
        return Text{TextId::HeadsDoNotDivideHidden,
                    {std::to_string(e.heads), std::to_string(e.hidden), divisorsOf(e.hidden)}};
    if (auto problem = notShared("heads", e.heads, "tp", n))
        return problem;
    if (e.heads % e.kvHeads != 0)
        return Text{TextId::KvHeadsDoNotDivideHeads, {k, std::to_string(e.heads), divisorsOf(e.heads)}};
    if (e.kvHeads % n != 0 && n % e.kvHeads != 0) {
        std::vector<std::string> allowed;
        for (std::int64_t each = 1; each <= e.heads && allowed.size() < 16; ++each) {
            if (e.heads % each == 0 && (each % n == 0 || n % each == 0))
                allowed.push_back(std::to_string(each));
        }
        return Text{TextId::KvHeadsAgainstRanks, {k, std::to_string(n), listText(allowed)}};
    }
    const bool scattered = e.pair == Pair::RowRow;
    if (scattered && e.kvHeads < n)
        return Text{TextId::KvHeadsForPair, {k, std::string(name(e.pair)), std::to_string(n)}};
    return std::nullopt;
}

Problem divisibilityProblem(const Experiment &e)
{
    const int n = e.extent(MeshAxis::Tp);
    const int replicas = e.zeroStage() > 0 ? e.extent(MeshAxis::Dp) : 1;
    if (option_uses::ffn(e) && e.ffn % n != 0)
        return ffnProblem(e, n);
    if (option_uses::vocabulary(e)) {
        if (auto problem = notShared("vocabulary", e.vocabulary, "tp", n))
            return problem;
    }
    // Other pairs than column-row cut h as well.
    if (e.pair != Pair::ColumnRow) {
        if (auto problem = notShared("hidden", e.hidden, "tp", n))
            return problem;
    }
    // ZeRO cuts what a rank has of every parameter, along its first dimension.
    if (auto problem = notShared("hidden", e.hidden, "dp", replicas))
        return problem;
    if (option_uses::ffn(e) && replicas > 1) {
        if (auto problem = notShared("ffn", e.ffn, "tp x dp", n * replicas))
            return problem;
    }
    if (option_uses::attention(e) && replicas > 1) {
        const std::int64_t held = std::max<std::int64_t>(1, e.kvHeads / n) * e.headSize();
        if (held % replicas != 0)
            return notShared("hidden", e.hidden, "tp x dp", n * replicas);
    }
    return std::nullopt;
}

Problem sequenceProblem(const Experiment &e)
{
    if (e.sequenceParallel == SequenceParallel::Off || !option_uses::sequenceParallel(e))
        return std::nullopt;
    const std::string mode(name(e.sequenceParallel));
    if (e.pair != Pair::ColumnRow)
        return Text{TextId::SequenceParallelNeedsPair, {mode}};
    if (e.reduceTo != ReduceTo::All)
        return Text{TextId::SequenceParallelNeedsAll, {mode}};
    if (e.parallelBlock)
        return Text{TextId::ParallelBlockAlone, {}};
    return notShared("sequence", e.sequence, "tp", e.extent(MeshAxis::Tp));
}

Problem optionPairProblem(const Experiment &e)
{
    if (e.recompute == Recompute::Selective && e.repeatedLayer() == Layer::Mlp)
        return Text{TextId::SelectiveNeedsAttention, {}};
    if (e.overlap && e.reduceTo == ReduceTo::Root)
        return Text{TextId::OverlapNeedsAll, {}};
    return std::nullopt;
}

Problem delayProblem(const Experiment &e)
{
    if (!e.delay || e.delay->rank < e.ranks())
        return std::nullopt;
    return Text{TextId::DelayRankAbsent,
                {std::to_string(e.delay->rank), std::to_string(e.ranks()), std::to_string(e.ranks() - 1),
                 findOption("delay")->get(e)}};
}

Problem bugProblem(const Experiment &e)
{
    if (!isBug(e.scheme))
        return std::nullopt;
    const std::string bug(name(e.scheme));
    const auto is = [&](std::initializer_list<Scheme> schemes) {
        return std::ranges::find(schemes, e.scheme) != schemes.end();
    };
    if (e.ranks() == 1)
        return Text{TextId::BugNeedsRanks, {bug}};
    if (e.scheme == Scheme::BugRowBiasEachRank && !e.bias)
        return Text{TextId::BugNeedsBias, {bug}};
    if (is({Scheme::BugNaiveExercise, Scheme::BugNonlinearityOnPartial}) && e.bias)
        return Text{TextId::BugWithoutBias, {bug}};
    const bool backward =
        is({Scheme::BugAllReduceWeightGradient, Scheme::BugMissingInputGradientReduce, Scheme::BugUnreducedKv});
    if (backward && e.phase != Phase::Training)
        return Text{TextId::BugNeedsTraining, {bug, std::string(name(e.phase))}};
    if (e.scheme == Scheme::BugMissingInputGradientReduce && !e.inputGradient)
        return Text{TextId::BugNeedsInputGradient, {bug}};
    return std::nullopt;
}

/// After the heads themselves are valid.
Problem headBugProblem(const Experiment &e)
{
    const std::string bug(name(e.scheme));
    const int n = e.extent(MeshAxis::Tp);
    if (e.scheme == Scheme::BugUnreducedKv && e.kvHeads >= n)
        return Text{TextId::BugNeedsSharedHeads, {bug, std::to_string(e.kvHeads), std::to_string(n)}};
    if (e.scheme == Scheme::BugUnshardedHeads && (e.headSize() % n != 0 || e.kvHeads % n != 0))
        return Text{TextId::BugNeedsDivisibleHeads, {bug, std::to_string(e.headSize()), std::to_string(n)}};
    return std::nullopt;
}

/// An algorithm must fit N, and every collective that occurs; which ones do is what the plan says.
Problem algorithmProblemOf(const Experiment &e)
{
    Experiment anyAlgorithm = e;
    anyAlgorithm.algorithm = Algorithm::Library;
    const Plan plan = buildPlan(anyAlgorithm);
    for (const Step &step : plan.steps) {
        const bool chosen = step.collective && step.collective->op != CollectiveOp::SendRecv &&
                            step.collective->reduce == ReduceOp::Sum;
        if (!chosen)
            continue;
        if (auto problem = algorithmProblem(step.collective->op, e.algorithm, plan.groupSize(*step.collective)))
            return problem;
    }
    // Where nothing travels, N must still be one that the algorithm knows.
    return algorithmProblem(CollectiveOp::AllReduce, e.algorithm, e.extent(ownAxis(e.scheme)));
}

} // namespace

std::optional<Text> validate(const Experiment &experiment)
{
    // In this order: each rule may rely on the ones before it.
    for (const auto rule :
         {valueProblem, sizeProblem, delayProblem, bugProblem, meshProblem, headsProblem, headBugProblem,
          divisibilityProblem, sequenceProblem, optionPairProblem, algorithmProblemOf}) {
        if (auto problem = rule(experiment))
            return problem;
    }
    return std::nullopt;
}

} // namespace shardscope

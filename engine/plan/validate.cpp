// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/hop_schedule.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/plan.h"
#include "engine/plan/violation.h"
#include "engine/plan/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace shardscope {

double secondsOfStageDelays(const Experiment &e)
{
    return e.extent(MeshAxis::Pp) * (e.stageDelay->forwardMs + e.stageDelay->backwardMs) / 1000;
}

namespace {

using Problem = std::optional<Violation>;

Problem sizeProblem(const Experiment &e)
{
    const std::int64_t width = std::max({e.hidden, e.ffn, option_uses::vocabulary(e) ? e.vocabulary : 1});
    if (saturatingProduct(e.globalTokens(), width) <= kMostActivationElements)
        return std::nullopt;
    return Violation{{TextId::ActivationTooLarge, {std::to_string(e.tokens()), std::to_string(width)}},
                     {"batch", "sequence"}};
}

/// A size that the ranks of an axis (or of two) share evenly.
Problem notShared(std::string_view option, std::int64_t size, std::string_view axis, int n,
                  std::vector<std::string_view> mendedBy)
{
    if (size % n == 0)
        return std::nullopt;
    return Violation{
        {TextId::SizeNotDivisible, {std::string(option), std::to_string(size), std::string(axis), std::to_string(n)}},
        std::move(mendedBy)};
}

Problem meshProblem(const Experiment &e)
{
    if (e.repeatedLayer() || e.extent(MeshAxis::Tp) == e.ranks())
        return std::nullopt;
    return Violation{{TextId::MeshForScheme, {findOption("mesh")->get(e), std::string(name(e.scheme))}}, {"mesh"}};
}

Problem layersProblem(const Experiment &e)
{
    const int stages = e.extent(MeshAxis::Pp);
    if (e.layers % stages == 0)
        return std::nullopt;
    return Violation{{TextId::LayersNotDivisible, {std::to_string(e.layers), std::to_string(stages)}},
                     {"layers", "pp"}};
}

Problem lengthProblem(const Experiment &e)
{
    const std::int64_t passes = e.layers * e.microBatches;
    if (!e.repeatedLayer() || passes <= kMostLayerPasses)
        return std::nullopt;
    return Violation{
        {TextId::PlanTooLong, {std::to_string(e.layers), std::to_string(e.microBatches), std::to_string(passes)}},
        {"layers", "micro-batches"}};
}

// Heads are units: ranks share whole query heads, and key and value heads are shared out or replicated.

Problem headsOfHidden(const Experiment &e)
{
    if (!option_uses::attention(e) || e.hidden % e.heads == 0)
        return std::nullopt;
    return Violation{{TextId::HeadsDoNotDivideHidden, {std::to_string(e.heads), std::to_string(e.hidden)}},
                     {"heads", "hidden"}};
}

Problem headsOnRanks(const Experiment &e)
{
    if (!option_uses::attention(e))
        return std::nullopt;
    return notShared("heads", e.heads, "tp", e.extent(MeshAxis::Tp), {"heads", "tp"});
}

Problem kvHeadsOfHeads(const Experiment &e)
{
    if (!option_uses::attention(e) || e.heads % e.kvHeads == 0)
        return std::nullopt;
    return Violation{{TextId::KvHeadsDoNotDivideHeads, {std::to_string(e.kvHeads), std::to_string(e.heads)}},
                     {"kv-heads"}};
}

Problem kvHeadsOnRanks(const Experiment &e)
{
    const int n = e.extent(MeshAxis::Tp);
    if (!option_uses::attention(e) || e.kvHeads % n == 0 || n % e.kvHeads == 0)
        return std::nullopt;
    return Violation{{TextId::KvHeadsAgainstRanks, {std::to_string(e.kvHeads), std::to_string(n)}}, {"kv-heads", "tp"}};
}

Problem kvHeadsOfPair(const Experiment &e)
{
    const int n = e.extent(MeshAxis::Tp);
    if (!option_uses::attention(e) || e.pair != Pair::RowRow || e.kvHeads >= n)
        return std::nullopt;
    return Violation{
        {TextId::KvHeadsForPair, {std::to_string(e.kvHeads), std::string(name(e.pair)), std::to_string(n)}},
        {"kv-heads", "pair"}};
}

Problem ffnOnRanks(const Experiment &e)
{
    const int n = e.extent(MeshAxis::Tp);
    if (!option_uses::ffn(e) || e.ffn % n == 0)
        return std::nullopt;
    return Violation{{TextId::FfnNotDivisible, {std::to_string(e.ffn), std::to_string(n)}}, {"ffn", "tp"}};
}

Problem vocabularyOnRanks(const Experiment &e)
{
    if (!option_uses::vocabulary(e))
        return std::nullopt;
    return notShared("vocabulary", e.vocabulary, "tp", e.extent(MeshAxis::Tp), {"vocabulary", "tp"});
}

/// Other pairs than column-row cut h as well.
Problem hiddenOnRanks(const Experiment &e)
{
    if (e.pair == Pair::ColumnRow)
        return std::nullopt;
    return notShared("hidden", e.hidden, "tp", e.extent(MeshAxis::Tp), {"hidden", "tp"});
}

// ZeRO cuts what a rank has of every parameter, along its first dimension.

int zeroReplicas(const Experiment &e)
{
    return e.zeroStage() > 0 ? e.extent(MeshAxis::Dp) : 1;
}

Problem hiddenOnReplicas(const Experiment &e)
{
    return notShared("hidden", e.hidden, "dp", zeroReplicas(e), {"hidden", "dp"});
}

Problem ffnOnReplicas(const Experiment &e)
{
    const int replicas = zeroReplicas(e);
    if (!option_uses::ffn(e) || replicas == 1)
        return std::nullopt;
    return notShared("ffn", e.ffn, "tp x dp", e.extent(MeshAxis::Tp) * replicas, {"ffn", "dp"});
}

Problem keyColumnsOnReplicas(const Experiment &e)
{
    const int replicas = zeroReplicas(e);
    const std::int64_t held = std::max<std::int64_t>(1, e.kvHeads / e.extent(MeshAxis::Tp)) * e.headSize();
    if (!option_uses::attention(e) || held % replicas == 0)
        return std::nullopt;
    return Violation{
        {TextId::KvColumnsNotDivisible, {std::to_string(e.hidden), std::to_string(held), std::to_string(replicas)}},
        {"hidden", "dp"}};
}

bool cutsTokens(const Experiment &e)
{
    return e.sequenceParallel != SequenceParallel::Off && option_uses::sequenceParallel(e);
}

Problem sequenceParallelProblem(const Experiment &e)
{
    const std::string mode(name(e.sequenceParallel));
    if (cutsTokens(e) && e.pair != Pair::ColumnRow)
        return Violation{{TextId::SequenceParallelNeedsPair, {mode}}, {"sequence-parallel", "pair"}};
    if (cutsTokens(e) && e.reduceTo != ReduceTo::All)
        return Violation{{TextId::SequenceParallelNeedsAll, {mode}}, {"sequence-parallel", "reduce-to"}};
    return std::nullopt;
}

Problem sequenceOnRanks(const Experiment &e)
{
    if (!cutsTokens(e))
        return std::nullopt;
    return notShared("sequence", e.sequence, "tp", e.extent(MeshAxis::Tp), {"sequence", "tp"});
}

Problem optionPairProblem(const Experiment &e)
{
    if (e.recompute == Recompute::Selective && e.repeatedLayer() == Layer::Mlp)
        return Violation{{TextId::SelectiveNeedsAttention, {}}, {"recompute"}};
    if (e.overlap && e.reduceTo == ReduceTo::Root)
        return Violation{{TextId::OverlapNeedsAll, {}}, {"overlap", "reduce-to"}};
    if (e.weightDtype != WeightDType::Same && e.zeroStage() == 3 && option_uses::weightDtype(e))
        return Violation{{TextId::WeightDTypeZero3, {std::string(name(e.weightDtype))}}, {"weight-dtype", "zero"}};
    return std::nullopt;
}

Problem delayProblem(const Experiment &e)
{
    if (!e.delay || e.delay->rank < e.ranks())
        return std::nullopt;
    return Violation{{TextId::DelayRankAbsent,
                      {std::to_string(e.delay->rank), std::to_string(e.ranks()), findOption("delay")->get(e)}},
                     {"delay", axisName(ownAxis(e.scheme))}};
}

Problem stageDelayProblem(const Experiment &e)
{
    if (!e.stageDelay)
        return std::nullopt;
    const double seconds = secondsOfStageDelays(e);
    if (seconds < e.timeout())
        return std::nullopt;
    return Violation{{TextId::StageDelayTooLong,
                      {findOption("stage-delay")->get(e), std::to_string(std::llround(std::ceil(seconds))),
                       numberText(e.timeout())}},
                     {"stage-delay", "timeout"}};
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
        return Violation{{TextId::BugNeedsRanks, {bug}}, {"tp"}};
    if (e.scheme == Scheme::BugRowBiasEachRank && !e.bias)
        return Violation{{TextId::BugNeedsBias, {bug}}, {"bias"}};
    if (is({Scheme::BugNaiveExercise, Scheme::BugNonlinearityOnPartial}) && e.bias)
        return Violation{{TextId::BugWithoutBias, {bug}}, {"bias"}};
    const bool backward =
        is({Scheme::BugAllReduceWeightGradient, Scheme::BugMissingInputGradientReduce, Scheme::BugUnreducedKv});
    if (backward && e.phase != Phase::Training)
        return Violation{{TextId::BugNeedsTraining, {bug, std::string(name(e.phase))}}, {"phase"}};
    if (e.scheme == Scheme::BugMissingInputGradientReduce && !e.inputGradient)
        return Violation{{TextId::BugNeedsInputGradient, {bug}}, {"input-gradient"}};
    return std::nullopt;
}

/// After the heads themselves are valid.
Problem headBugProblem(const Experiment &e)
{
    const std::string bug(name(e.scheme));
    const int n = e.extent(MeshAxis::Tp);
    if (e.scheme == Scheme::BugUnreducedKv && e.kvHeads >= n)
        return Violation{{TextId::BugNeedsSharedHeads, {bug, std::to_string(e.kvHeads), std::to_string(n)}},
                         {"kv-heads", "heads", "tp"}};
    if (e.scheme == Scheme::BugUnshardedHeads && (e.headSize() % n != 0 || e.kvHeads % n != 0))
        return Violation{{TextId::BugNeedsDivisibleHeads, {bug, std::to_string(e.headSize()), std::to_string(n)}},
                         {"heads", "kv-heads", "hidden", "tp"}};
    return std::nullopt;
}

/// An algorithm must fit N, and every collective that occurs; which ones do is what the plan says.
Problem algorithmRefused(const Experiment &e)
{
    if (e.algorithm == Algorithm::Library)
        return std::nullopt;
    const auto refused = [](std::optional<Text> problem) {
        problem->args.pop_back(); // the words that this one collective allows: all must
        return Violation{std::move(*problem), {"algorithm"}};
    };
    Experiment shortest = e; // the same collectives, each once
    shortest.algorithm = Algorithm::Library;
    shortest.layers = e.extent(MeshAxis::Pp);
    shortest.microBatches = 1;
    const Plan plan = buildPlan(shortest);
    for (const Step &step : plan.steps) {
        const bool chosen = step.collective && step.collective->op != CollectiveOp::SendRecv &&
                            step.collective->reduce == ReduceOp::Sum;
        if (!chosen)
            continue;
        if (auto problem = algorithmProblem(step.collective->op, e.algorithm, plan.groupSize(*step.collective)))
            return refused(std::move(problem));
    }
    // Where nothing travels, N must still be one that the algorithm knows.
    if (auto problem = algorithmProblem(CollectiveOp::AllReduce, e.algorithm, e.extent(ownAxis(e.scheme))))
        return refused(std::move(problem));
    return std::nullopt;
}

} // namespace

std::optional<Violation> firstViolation(const Experiment &e)
{
    // In this order: each rule may rely on the ones before it.
    constexpr std::array kRules{sizeProblem,      delayProblem,      stageDelayProblem,    bugProblem,
                                meshProblem,      layersProblem,     lengthProblem,        headsOfHidden,
                                headsOnRanks,     kvHeadsOfHeads,    kvHeadsOnRanks,       kvHeadsOfPair,
                                headBugProblem,   ffnOnRanks,        vocabularyOnRanks,    hiddenOnRanks,
                                hiddenOnReplicas, ffnOnReplicas,     keyColumnsOnReplicas, sequenceParallelProblem,
                                sequenceOnRanks,  optionPairProblem, algorithmRefused};
    for (const auto rule : kRules) {
        if (auto problem = rule(e))
            return problem;
    }
    return std::nullopt;
}

} // namespace shardscope

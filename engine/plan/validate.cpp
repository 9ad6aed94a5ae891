// SPDX-License-Identifier: MIT
#include "engine/plan/experiment_options.h"
#include "engine/plan/hop_schedule.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/option_reading.h"
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
        Experiment unused;
        if (auto problem = option.set(unused, option.get(e)))
            return problem;
    }
    return std::nullopt;
}

Problem sizeProblem(const Experiment &e)
{
    const std::int64_t width = std::max(e.hidden, e.ffn);
    if (saturatingProduct(e.tokens(), width) <= kMostActivationElements)
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

/// All schemes cut f: the columns of the first weight, the rows of the second.
Problem divisibilityProblem(const Experiment &e)
{
    const int n = e.mesh.extent(MeshAxis::Tp);
    if (e.ffn % n == 0)
        return std::nullopt;
    const std::int64_t below = e.ffn / n * n;
    const std::string above = std::to_string(below + n);
    Text problem{TextId::FfnNotDivisible, {std::to_string(e.ffn), std::to_string(n), dividingRanks(e.ffn), above}};
    if (below > 0) {
        problem.id = TextId::FfnBetweenMultiples;
        problem.args.push_back(std::to_string(below));
    }
    return problem;
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
    const bool biasBug = e.scheme == Scheme::BugRowBiasEachRank;
    const bool isBug = biasBug || e.scheme == Scheme::BugAllReduceColumns;
    if (isBug && e.ranks() == 1)
        return Text{TextId::BugNeedsRanks, {std::string(name(e.scheme))}};
    if (biasBug && !e.bias)
        return Text{TextId::BugNeedsBias, {std::string(name(e.scheme))}};
    return std::nullopt;
}

/// An algorithm must fit N, and every collective that occurs; which ones do is what the plan says.
Problem algorithmProblemOf(const Experiment &e)
{
    if (auto problem = algorithmProblem(CollectiveOp::AllReduce, e.algorithm, e.ranks()))
        return problem;
    Experiment anyAlgorithm = e;
    anyAlgorithm.algorithm = Algorithm::Library;
    for (const Step &step : buildPlan(anyAlgorithm).steps) {
        if (!step.collective)
            continue;
        if (auto problem = algorithmProblem(step.collective->op, e.algorithm, e.ranks()))
            return problem;
    }
    return std::nullopt;
}

} // namespace

std::optional<Text> validate(const Experiment &experiment)
{
    // In this order: each rule may rely on the ones before it.
    for (const auto rule :
         {valueProblem, sizeProblem, delayProblem, bugProblem, divisibilityProblem, algorithmProblemOf}) {
        if (auto problem = rule(experiment))
            return problem;
    }
    return std::nullopt;
}

} // namespace shardscope

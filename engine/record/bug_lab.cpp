// SPDX-License-Identifier: MIT
#include "engine/record/bug_lab.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/traffic.h"
#include "engine/record/format.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

const Step &stepOf(const Plan &plan, int step)
{
    return plan.steps[static_cast<std::size_t>(step)];
}

/// |b|/|Y| of the generated values: those of X·W have unit variance, those of b 1/fanIn.
std::optional<double> biasShare(const Plan &plan)
{
    const auto bias = std::ranges::find(plan.tensors, TensorRole::Bias, &Tensor::role);
    if (bias == plan.tensors.end() || bias->fanIn == 0)
        return std::nullopt;
    return 1 / std::sqrt(static_cast<double>(bias->fanIn) + 1);
}

std::optional<double> valueOf(ErrorLaw law, const Plan &plan)
{
    const Experiment &e = plan.experiment;
    const double n = e.ranks();
    switch (law) {
    case ErrorLaw::OthersAdded:
        return std::sqrt(n - 1);
    case ErrorLaw::OneAddend:
        return std::sqrt((n - 1) / n);
    case ErrorLaw::MeanForSum:
        return 1 - 1 / n;
    case ErrorLaw::OneReplica:
        return std::sqrt(1 - static_cast<double>(e.kvHeads) / n);
    case ErrorLaw::BiasRepeated:
        break;
    }
    const std::optional<double> share = biasShare(plan);
    return share ? std::optional((n - 1) * *share) : std::nullopt;
}

/// Named as the scheme names them; what the phase does not compute is left out by the caller.
std::vector<ExpectedError> errorsOf(Scheme scheme)
{
    switch (scheme) {
    case Scheme::BugRowBiasEachRank:
        return {{"Y", ErrorLaw::BiasRepeated, {}}};
    case Scheme::BugAllReduceColumns:
        return {{"Y", ErrorLaw::OthersAdded, {}}};
    case Scheme::BugAllReduceWeightGradient:
        return {{"dW1", ErrorLaw::OthersAdded, {}}};
    case Scheme::BugMissingInputGradientReduce:
        return {{"dX", ErrorLaw::OneAddend, {}}};
    case Scheme::BugAverageInsteadOfSum:
        return {{"Y", ErrorLaw::MeanForSum, {}}};
    case Scheme::BugConcatPartials:
        return {{"Y", ErrorLaw::OneAddend, {}}};
    case Scheme::BugUnreducedKv:
        return {
            {"dWk", ErrorLaw::OneReplica, {}}, {"dWv", ErrorLaw::OneReplica, {}}, {"dbv", ErrorLaw::OneReplica, {}}};
    case Scheme::BugNaiveExercise:
        return {{"Y", ErrorLaw::OthersAdded, {}}, {"dW", ErrorLaw::OthersAdded, {}}, {"dX", ErrorLaw::OneAddend, {}}};
    default:
        return {};
    }
}

std::optional<std::int64_t> sentBytes(Experiment experiment, Phase phase, Transport transport)
{
    experiment.phase = phase;
    if (validate(experiment))
        return std::nullopt;
    return traffic(buildPlan(experiment, transport)).total().sentBytesPerRank;
}

} // namespace

const std::vector<Scheme> &bugSchemes()
{
    static const std::vector<Scheme> schemes = [] {
        std::vector<Scheme> all;
        for (int i = 0; i <= static_cast<int>(Scheme::BugNaiveExercise); ++i) {
            if (isBug(static_cast<Scheme>(i)))
                all.push_back(static_cast<Scheme>(i));
        }
        return all;
    }();
    return schemes;
}

std::vector<Mistake> mistakesOf(const Plan &plan)
{
    std::vector<Mistake> mistakes;
    for (const BrokenRule &broken : plan.brokenRules) {
        const Text &reason = stepOf(plan, broken.step).reason;
        // Told once: only the names of the tensors differ.
        const auto alike = std::ranges::find_if(mistakes, [&](const Mistake &known) {
            return known.rule.id == broken.rule.id && known.remedy.id == broken.remedy.id &&
                   known.consequence.id == reason.id;
        });
        if (alike == mistakes.end())
            mistakes.push_back({broken.rule, reason, broken.remedy, {broken.step}});
        else
            alike->steps.push_back(broken.step);
    }
    return mistakes;
}

std::optional<Experiment> rightExperiment(const Plan &plan)
{
    if (!plan.rightScheme)
        return std::nullopt;
    Experiment right = plan.experiment;
    right.scheme = *plan.rightScheme;
    return validate(right) ? std::nullopt : std::optional(right);
}

std::vector<ExpectedError> expectedErrors(const Plan &plan)
{
    std::vector<ExpectedError> errors;
    for (ExpectedError &error : errorsOf(plan.experiment.scheme)) {
        const bool checked = std::ranges::any_of(
            plan.results, [&](TensorId result) { return plan.tensor(result).name == error.result; });
        if (!checked)
            continue;
        error.value = valueOf(error.law, plan);
        errors.push_back(std::move(error));
    }
    return errors;
}

std::vector<Text> rightAllTheSame(const Plan &plan)
{
    const bool touched = std::ranges::any_of(plan.brokenRules, [&](const BrokenRule &broken) {
        return std::ranges::any_of(stepOf(plan, broken.step).outputs,
                                   [&](TensorId made) { return plan.tensor(made).name == "dbk"; });
    });
    const bool summed = plan.experiment.scheme == Scheme::BugUnreducedKv && touched;
    return summed ? std::vector<Text>{{TextId::BugRightKeyBias, {}}} : std::vector<Text>{};
}

std::optional<double> trainingToPrefillBytes(const Experiment &experiment, Transport transport)
{
    const auto training = sentBytes(experiment, Phase::Training, transport);
    const auto prefill = sentBytes(experiment, Phase::Prefill, transport);
    if (!training || !prefill || *prefill == 0)
        return std::nullopt;
    return static_cast<double>(*training) / static_cast<double>(*prefill);
}

Text ratioOfBug(const Experiment &experiment, double ratio)
{
    if (experiment.scheme != Scheme::BugNaiveExercise)
        return {TextId::BugRatio, {formatRatio(ratio)}};
    const std::int64_t tokens = experiment.batch * experiment.sequence;
    return {TextId::BugRatioNaive, {formatRatio(ratio), std::to_string(experiment.hidden), std::to_string(tokens)}};
}

} // namespace shardscope

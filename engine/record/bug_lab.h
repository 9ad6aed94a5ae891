// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// All schemes that are wrong on purpose, in the order of the enumeration.
[[nodiscard]] const std::vector<Scheme> &bugSchemes();

/// A rule broken for one reason, however many steps of the plan do so.
struct Mistake {
    Text rule;              ///< what the algebra says
    Text consequence;       ///< what happens instead, with this plan's names; the rule, where that says it all
    Text remedy;            ///< the right way
    std::vector<int> steps; ///< where, ascending
};
/// Of a plan of the bug lab, each once; empty for schemes that are right.
[[nodiscard]] std::vector<Mistake> mistakesOf(const Plan &plan);

/// The same layer, sizes and options done right. Empty for schemes that are right, and for sizes that the right scheme
/// does not take.
[[nodiscard]] std::optional<Experiment> rightExperiment(const Plan &plan);

/// Why a result of a bug is off by what it is off by, for values that are independent and of one size; N ranks.
enum class ErrorLaw {
    OthersAdded,  ///< N - 1 unlike parts are added to the rank's own: sqrt(N - 1)
    OneAddend,    ///< one of N addends stands for their sum: sqrt((N - 1)/N)
    MeanForSum,   ///< the sum divided by N: 1 - 1/N, exactly where there is no bias
    OneReplica,   ///< one of r replicas' addends stands for their sum: sqrt(1 - 1/r), r = N/k
    BiasRepeated, ///< N - 1 biases too many: (N - 1)·|b|/|Y|; |b|/|Y| = 1/sqrt(f + 1) for the values generated here
};
struct ExpectedError {
    std::string result; ///< as the numeric check names it: "Y", "dW1"
    ErrorLaw law = ErrorLaw::OthersAdded;
    std::optional<double> value; ///< relative error; nothing where the plan does not say it
};
/// Of the results whose error can be derived; none where the bug computes another function (GELU of addends, cut
/// heads).
[[nodiscard]] std::vector<ExpectedError> expectedErrors(const Plan &plan);

/// Results that the mistake touches and that are right all the same, each with why.
[[nodiscard]] std::vector<Text> rightAllTheSame(const Plan &plan);

/// How many times the bytes of a prefill a training step of the same layer sends, by their plans. Empty where one of
/// both cannot show the bug, or a prefill sends nothing.
[[nodiscard]] std::optional<double> trainingToPrefillBytes(const Experiment &experiment, Transport transport);

/// That ratio in words, and what is wrong with it where the scheme is known for it.
[[nodiscard]] Text ratioOfBug(const Experiment &experiment, double ratio);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// What leaves no compute beside a collective.
enum class WhyNotHidden {
    NeededByStep,  ///< a step of the plan needs the result at once
    NeededByNext,  ///< the layer's output: the next layer or the loss needs it at once
    NothingBefore, ///< parameters could be fetched ahead, but nothing is computed before them in this pass
    NextStep,      ///< updated parameters: only the next step's forward is left
    NothingLeft,
};

/// Whether a collective could run beside compute that does not need it, whether or not this run overlaps: what it
/// would have to send in the time of that compute, beside what it did send per time.
struct Hiding {
    int step = 0;            ///< the collective
    std::vector<int> beside; ///< steps of compute, in plan order
    int needs = -1;          ///< the step that ends them because it needs the result; -1: none is left
    WhyNotHidden whyNot = WhyNotHidden::NothingLeft; ///< where nothing is beside it
    double computeNs = 0;                            ///< of those, of the slowest rank; 0 where nothing was timed
    double requiredGBs = 0;                          ///< bytes a rank sends over computeNs
    double availableGBs = 0; ///< bytes a rank sends over the transfer that was measured or predicted
    [[nodiscard]] bool possible() const { return computeNs > 0 && requiredGBs <= availableGBs; }
};

/// Of every collective that has a transfer (a message has none), in the order of the summary. Beside it runs what
/// stands between the step that makes its input and the first that needs its result, within a pass where that waits for
/// something from outside, up to the next collective of the same axis, which shares its links. So parameters are
/// fetched beside the layer before them in their pass, gradients of parameters go home beside the layers after them
/// (both may do so beside the same layer), and nothing can be beside what the layer hands on.
[[nodiscard]] std::vector<Hiding> hidings(const Run &run, const RunSummary &summary);

/// "dW1", "dW1, db1", "dW1 … dZ": what the compute beside it makes; empty where there is none.
[[nodiscard]] std::string besideText(const Plan &plan, const Hiding &hiding);

/// The answer in one sentence with the numbers of this run; nothing without times, or for a message between stages.
[[nodiscard]] std::optional<Text> couldBeHidden(const Run &run, const Hiding &hiding);
[[nodiscard]] std::optional<Text> couldBeHidden(const Run &run, const CollectiveSummary &collective);

} // namespace shardscope

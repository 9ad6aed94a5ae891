// SPDX-License-Identifier: MIT
#include "engine/record/hiding.h"

#include "engine/record/cargo.h"
#include "engine/record/format.h"
#include "engine/record/timed_iterations.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardscope {
namespace {

bool isForward(Pass pass)
{
    return pass == Pass::Forward;
}

/// Recomputation belongs to the backward pass that needs it.
bool samePass(Pass a, Pass b)
{
    const auto whole = [](Pass pass) { return pass == Pass::Recompute ? Pass::Backward : pass; };
    return whole(a) == whole(b);
}

/// The steps of compute beside one collective, in the directions that dependence allows.
class Neighbourhood
{
public:
    Neighbourhood(const Plan &plan, const Step &collective)
        : m_plan(plan), m_collective(collective), m_cargo(cargoOf(plan, collective))
    {
        before();
        after();
    }

    [[nodiscard]] std::vector<int> steps() const { return m_steps; }
    [[nodiscard]] int needs() const { return m_needs; }
    [[nodiscard]] WhyNotHidden whyNot() const
    {
        if (isHome())
            return WhyNotHidden::NothingBefore;
        if (m_needs >= 0)
            return WhyNotHidden::NeededByStep;
        if (m_cargo == Cargo::Activations && isForward(m_collective.pass))
            return WhyNotHidden::NeededByNext;
        const bool updated = m_cargo == Cargo::Parameters && m_collective.pass == Pass::Optimizer;
        return updated ? WhyNotHidden::NextStep : WhyNotHidden::NothingLeft;
    }

private:
    [[nodiscard]] bool elsewhere(const Step &step) const
    {
        return step.stage != kEveryStage && m_collective.stage != kEveryStage && step.stage != m_collective.stage;
    }
    /// Parameters that are fetched and gradients that go home may pass each other: each is beside another layer.
    [[nodiscard]] bool sharesLinks(const Step &step) const
    {
        if (!step.collective || step.collective->axis != m_collective.collective->axis)
            return false;
        const Cargo other = cargoOf(m_plan, step);
        return m_cargo == Cargo::Activations || other == Cargo::Activations || m_cargo == other;
    }
    void take(const Step &step)
    {
        if (!step.collective && step.kind != StepKind::Pad)
            m_steps.push_back(step.id);
    }
    /// The shards that a rank keeps of parameters: there from the first step on.
    [[nodiscard]] bool isHome() const
    {
        return m_cargo == Cargo::Parameters &&
               std::ranges::all_of(m_collective.inputs, [this](TensorId id) { return m_plan.tensor(id).madeAt < 0; });
    }

    /// From its inputs on it could have begun, in this pass: the ranks do not know a pass ahead what they will let go.
    void before()
    {
        int ready = -1;
        for (const TensorId id : m_collective.inputs) {
            const Tensor &input = m_plan.tensor(id);
            if (arrives(m_collective, input))
                return;
            ready = std::max(ready, input.madeAt);
        }
        for (int i = m_collective.id - 1; i > ready; --i) {
            const Step &step = m_plan.steps[static_cast<std::size_t>(i)];
            if (elsewhere(step))
                continue;
            if (sharesLinks(step) || !samePass(step.pass, m_collective.pass))
                break;
            take(step);
        }
        std::ranges::reverse(m_steps);
    }

    /// What the layer hands on: the next one or the loss waits for it, and so does the gradient that comes back.
    [[nodiscard]] bool isHandedOn() const
    {
        return m_cargo == Cargo::Activations && isForward(m_collective.pass) &&
               std::ranges::any_of(m_collective.outputs, [this](TensorId id) {
                   return std::ranges::find(m_plan.results, id) != m_plan.results.end();
               });
    }
    /// Backward begins with a gradient from outside the plan, which does not exist before forward's results do.
    [[nodiscard]] bool backwardWaits() const
    {
        return std::ranges::any_of(m_plan.tensors, [](const Tensor &tensor) {
            return tensor.generated && tensor.role == TensorRole::Gradient;
        });
    }

    /// Until somebody needs what it makes; gradients of parameters nobody needs before the optimizer.
    void after()
    {
        if (isHandedOn())
            return;
        const bool gradients = m_cargo == Cargo::Gradients && m_collective.pass != Pass::Optimizer;
        const bool untilBackward = isForward(m_collective.pass) && backwardWaits();
        std::set<TensorId> results(m_collective.outputs.begin(), m_collective.outputs.end());
        for (std::size_t i = static_cast<std::size_t>(m_collective.id) + 1; i < m_plan.steps.size(); ++i) {
            const Step &step = m_plan.steps[i];
            if (elsewhere(step))
                continue;
            if ((untilBackward && !isForward(step.pass)) || (gradients && step.pass == Pass::Optimizer))
                return;
            const bool reads = std::ranges::any_of(step.inputs, [&](TensorId id) { return results.contains(id); }) ||
                               std::ranges::find(step.dependsOn, m_collective.id) != step.dependsOn.end();
            if (reads && gradients) { // it adds them up, and can do so later
                results.insert(step.outputs.begin(), step.outputs.end());
                continue;
            }
            if (reads)
                m_needs = step.id;
            if (reads || sharesLinks(step))
                return;
            take(step);
        }
    }

    const Plan &m_plan;
    const Step &m_collective;
    Cargo m_cargo;
    std::vector<int> m_steps;
    int m_needs = -1;
};

/// Median over the timed iterations of the slowest rank's time in steps of compute, by step.
std::map<int, double> computeTimes(const Run &run)
{
    const TimedIterations iterations(run);
    std::map<int, std::vector<double>> slowest;
    for (int iteration = 0; iteration < iterations.count(); ++iteration) {
        for (const int rank : iterations.recordedRanks()) {
            for (const SpanEvent *span : iterations.spans(iteration, rank)) {
                if (!span->op.empty())
                    continue;
                auto &samples = slowest[span->step];
                samples.resize(static_cast<std::size_t>(iterations.count()), 0);
                double &longest = samples[static_cast<std::size_t>(iteration)];
                longest = std::max(longest, static_cast<double>(span->endNs - span->startNs));
            }
        }
    }
    std::map<int, double> medians;
    for (auto &[step, samples] : slowest)
        medians[step] = medianOf(std::move(samples)).value_or(0);
    return medians;
}

Hiding hidingOf(const Run &run, const CollectiveSummary &collective, const std::map<int, double> &computeNs)
{
    const Neighbourhood near(run.plan, run.plan.steps[static_cast<std::size_t>(collective.step)]);
    Hiding hiding{.step = collective.step, .beside = near.steps(), .needs = near.needs(), .whyNot = near.whyNot()};
    for (const int step : hiding.beside) {
        const auto timed = computeNs.find(step);
        hiding.computeNs += timed == computeNs.end() ? 0 : timed->second;
    }
    // Bytes per nanosecond are GB/s, GB = 1e9.
    const auto sent = static_cast<double>(collective.sentBytesPerRank) * collective.count;
    hiding.requiredGBs = hiding.computeNs > 0 ? sent / hiding.computeNs : 0;
    hiding.availableGBs = sent / *collective.transferNs;
    return hiding;
}

} // namespace

std::string besideText(const Plan &plan, const Hiding &hiding)
{
    const std::vector<int> &steps = hiding.beside;
    if (steps.empty())
        return "";
    const auto made = [&plan](int id) {
        return plan.tensor(plan.steps[static_cast<std::size_t>(id)].outputs.front()).name;
    };
    const std::string first = made(steps.front());
    if (steps.size() == 1)
        return first;
    return first + (steps.size() == 2 ? ", " : " … ") + made(steps.back());
}

std::vector<Hiding> hidings(const Run &run, const RunSummary &summary)
{
    const std::map<int, double> computeNs = computeTimes(run);
    std::vector<Hiding> found;
    for (const CollectiveSummary &collective : summary.collectives) {
        if (collective.transferNs.value_or(0) > 0)
            found.push_back(hidingOf(run, collective, computeNs));
    }
    return found;
}

std::optional<Text> couldBeHidden(const Run &run, const Hiding &hiding)
{
    if (hiding.beside.empty() || hiding.computeNs <= 0) {
        switch (hiding.whyNot) {
        case WhyNotHidden::NeededByStep:
            return Text{TextId::HideNeededAtOnce, {run.plan.steps[static_cast<std::size_t>(hiding.needs)].label}};
        case WhyNotHidden::NeededByNext:
            return Text{TextId::HideNeededByNext, {}};
        case WhyNotHidden::NothingBefore:
            return Text{TextId::HideNothingBefore, {}};
        case WhyNotHidden::NextStep:
            return Text{TextId::HideNextStep, {}};
        case WhyNotHidden::NothingLeft:
            break;
        }
        return Text{TextId::HideNothingLeft, {}};
    }
    const bool predicted = run.isPrediction();
    Text text{predicted ? TextId::HideYesPredicted : TextId::HideYes,
              {besideText(run.plan, hiding), formatTime(hiding.computeNs),
               formatBinaryBytes(static_cast<std::int64_t>(hiding.requiredGBs * hiding.computeNs + 0.5)),
               formatRate(hiding.requiredGBs), formatRate(hiding.availableGBs)}};
    if (!hiding.possible()) {
        text.id = predicted ? TextId::HidePartPredicted : TextId::HidePart;
        text.args.push_back(formatPercent(hiding.availableGBs / hiding.requiredGBs));
    }
    return text;
}

std::optional<Text> couldBeHidden(const Run &run, const CollectiveSummary &collective)
{
    if (collective.transferNs.value_or(0) <= 0)
        return std::nullopt;
    return couldBeHidden(run, hidingOf(run, collective, computeTimes(run)));
}

} // namespace shardscope

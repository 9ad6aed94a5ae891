// SPDX-License-Identifier: MIT
#include "engine/plan/derivation.h"

#include "engine/plan/explain.h"
#include "engine/plan/sent_formula.h"
#include "engine/plan/tensor_text.h"

#include <algorithm>
#include <set>
#include <span>

namespace shardscope {
namespace {

constexpr std::size_t kMostTensors = 3; ///< of one message, named one by one
constexpr std::size_t kMostNamed = 3;   ///< that make what it takes, or need what it makes

std::string numberOf(const Step &step)
{
    return std::to_string(step.id + 1);
}

bool takes(const Step &step, TensorId id)
{
    return std::ranges::find(step.inputs, id) != step.inputs.end();
}

bool isReduction(const Step &step)
{
    return step.collective &&
           (step.collective->op == CollectiveOp::AllReduce || step.collective->op == CollectiveOp::ReduceScatter ||
            step.collective->op == CollectiveOp::Reduce);
}

bool isAddend(const Tensor &tensor)
{
    return std::ranges::any_of(tensor.layout, [](const Placement &placement) { return placement.isAddend(); });
}

/// The steps behind the one called `id`.
std::span<const Step> after(const Plan &plan, int id)
{
    return std::span(plan.steps).subspan(static_cast<std::size_t>(id + 1));
}

/// The step that reduces `id`, or what micro-batches and averaging make of it; null where none does.
const Step *reductionOf(const Plan &plan, TensorId id)
{
    for (const Step &step : after(plan, plan.tensor(id).madeAt)) {
        if (!takes(step, id))
            continue;
        if (isReduction(step))
            return &step;
        if (step.kind == StepKind::Add || step.kind == StepKind::Scale)
            id = step.outputs.front();
    }
    return nullptr;
}

class Deriver
{
public:
    Deriver(const Plan &plan, const Step &step) : m_plan(plan), m_step(step) {}

    [[nodiscard]] std::vector<DerivationLine> lines()
    {
        tensors(TextId::DerivedBefore, m_step.inputs);
        tensors(TextId::DerivedAfter, m_step.outputs);
        rule();
        if (m_step.collective) {
            makers();
            needs();
            bytes();
            hops();
        } else if (out().role == TensorRole::WeightGradient) {
            gradient();
        }
        return std::move(m_lines);
    }

private:
    void add(TextId caption, Text text) { m_lines.push_back({{caption, {}}, std::move(text)}); }

    [[nodiscard]] const Tensor &in(std::size_t i = 0) const { return m_plan.tensor(m_step.inputs[i]); }
    [[nodiscard]] const Tensor &out() const { return m_plan.tensor(m_step.outputs.front()); }

    void tensors(TextId caption, const std::vector<TensorId> &ids)
    {
        const std::size_t named = ids.size() > kMostTensors + 1 ? kMostTensors : ids.size();
        for (std::size_t i = 0; i < named; ++i) {
            const Tensor &t = m_plan.tensor(ids[i]);
            add(caption, {TextId::TensorAsHeld,
                          {t.name, symbolsText(t), shapeText(t), layoutText(m_plan, t), localShapeText(m_plan, t)}});
        }
        if (named < ids.size())
            add(caption, {TextId::TensorsMore, {std::to_string(ids.size() - named), m_plan.tensor(ids.back()).name}});
    }

    void rule()
    {
        const auto broken = std::ranges::find(m_plan.brokenRules, m_step.id, &BrokenRule::step);
        if (broken != m_plan.brokenRules.end()) {
            add(TextId::DerivedBrokenRule, broken->rule);
            add(TextId::DerivedRemedy, broken->remedy);
        } else if (m_step.collective) {
            add(TextId::DerivedRule, ruleOfCollective());
        } else if (m_step.kind == StepKind::MatMul) {
            const auto placed = [&](const Tensor &t) { return layoutText(m_plan, t); };
            add(TextId::DerivedRule,
                {TextId::RuleProduct,
                 {in(0).name + (m_step.transposeA ? "ᵀ" : ""), transposed(placed(in(0)), m_step.transposeA),
                  in(1).name + (m_step.transposeB ? "ᵀ" : ""), transposed(placed(in(1)), m_step.transposeB), out().name,
                  placed(out())}});
        }
    }

    /// The rows of a transposed matrix are the columns of the matrix.
    [[nodiscard]] static std::string transposed(std::string placement, bool isTransposed)
    {
        const auto swap = [&](const std::string &from, const std::string &to) {
            const std::size_t at = placement.find(from);
            if (at == std::string::npos)
                return false;
            placement.replace(at, from.size(), to);
            return true;
        };
        if (isTransposed && !swap("rows", "columns"))
            swap("columns", "rows");
        return placement;
    }

    [[nodiscard]] Text ruleOfCollective() const
    {
        const Collective &c = *m_step.collective;
        switch (c.op) {
        case CollectiveOp::AllReduce:
            if (c.replicas > 0)
                return {TextId::RuleSumOfReplicas, {std::to_string(c.replicas)}};
            return {c.reduce == ReduceOp::Max ? TextId::RuleMaximum : TextId::RuleSum, {}};
        case CollectiveOp::ReduceScatter:
            return {TextId::RuleSumInSlices, {}};
        case CollectiveOp::AllGather:
            return {TextId::RuleJoin, {}};
        case CollectiveOp::Reduce:
            return {TextId::RuleSumOnRoot, {}};
        case CollectiveOp::Broadcast:
            return {TextId::RuleFromRoot, {}};
        default:
            return {TextId::RuleSend, {}};
        }
    }

    void makers()
    {
        std::set<int> made;
        for (const TensorId id : m_step.inputs) {
            if (m_plan.tensor(id).madeAt >= 0)
                made.insert(m_plan.tensor(id).madeAt);
        }
        std::vector<const Step *> steps;
        for (const int id : made)
            steps.push_back(&m_plan.steps[static_cast<std::size_t>(id)]);
        const std::size_t named = std::min(steps.size(), kMostNamed);
        for (std::size_t i = 0; i < named; ++i)
            add(TextId::DerivedMaker, {TextId::StepNamed, {numberOf(*steps[i]), steps[i]->label}});
        more(TextId::DerivedMaker, steps.size() - named);
    }

    void more(TextId caption, std::size_t count)
    {
        if (count > 0)
            add(caption, {TextId::StepsMore, {std::to_string(count)}});
    }

    /// After it nobody needs what the step makes.
    [[nodiscard]] int lastNeed() const
    {
        int last = m_step.id;
        for (const TensorId id : m_step.outputs) {
            const int freedAfter = m_plan.tensor(id).freedAfter;
            if (freedAfter < 0)
                return static_cast<int>(m_plan.steps.size());
            last = std::max(last, freedAfter);
        }
        return last;
    }

    void needs()
    {
        std::size_t found = 0;
        const int last = lastNeed();
        for (const Step &step : after(m_plan, m_step.id)) {
            if (step.id > last)
                break;
            const auto id = std::ranges::find_if(m_step.outputs, [&](TensorId output) { return takes(step, output); });
            if (id == m_step.outputs.end() || ++found > kMostNamed)
                continue;
            const Tensor &tensor = m_plan.tensor(*id);
            add(TextId::DerivedNeed,
                {TextId::StepTakes, {numberOf(step), step.label, tensor.name, layoutText(m_plan, tensor)}});
        }
        if (found == 0)
            add(TextId::DerivedNeed, {TextId::NeedOutside, {namesMade(), layoutText(m_plan, out())}});
        more(TextId::DerivedNeed, found - std::min(found, kMostNamed));
    }

    [[nodiscard]] std::string namesMade() const
    {
        const std::string &last = m_plan.tensor(m_step.outputs.back()).name;
        return m_step.outputs.size() == 1 ? out().name : out().name + " … " + last;
    }

    [[nodiscard]] static Text bytesText(const ByteFormula &formula, std::int64_t bytes)
    {
        if (formula.empty())
            return {TextId::BytesCounted, {std::to_string(bytes)}};
        return {TextId::BytesByFormula, {formula.symbols, formula.numbers, std::to_string(bytes)}};
    }

    void bytes()
    {
        const Collective &c = *m_step.collective;
        add(TextId::DerivedPayload, bytesText(payloadFormula(m_plan, m_step), c.payloadBytes));
        const std::string wire(name(c.wireDtype));
        if (c.wireDtype == in().dtype)
            add(TextId::DerivedWire, {TextId::WireAsIs, {wire}});
        else
            add(TextId::DerivedWire, {TextId::WireWidened, {wire, std::string(name(in().dtype))}});
        add(ranksSendAlike(m_plan, c) ? TextId::DerivedSent : TextId::DerivedSentMost,
            bytesText(sentFormula(m_plan, m_step), c.sentBytesPerRank));
        add(TextId::DerivedSource, source());
    }

    [[nodiscard]] Text source() const
    {
        const Collective &c = *m_step.collective;
        if (c.op == CollectiveOp::SendRecv)
            return {TextId::SourceMessage, {}};
        if (c.op == CollectiveOp::Reduce || c.op == CollectiveOp::Broadcast)
            return {TextId::SourceChain, {}};
        const bool optimal = c.algorithm == Algorithm::Library || c.algorithm == Algorithm::Ring ||
                             c.algorithm == Algorithm::HalvingDoubling;
        return optimal ? Text{TextId::SourceOptimal, {}}
                       : Text{TextId::SourceSchedule, {std::string(name(c.algorithm))}};
    }

    void hops() { add(TextId::DerivedHops, hopsText()); }

    [[nodiscard]] Text hopsText() const
    {
        const Collective &c = *m_step.collective;
        if (c.op == CollectiveOp::SendRecv)
            return {TextId::HopsOne, {}};
        if (c.op == CollectiveOp::Reduce || c.op == CollectiveOp::Broadcast)
            return {TextId::HopsOfChain, {}};
        const int ranks = m_plan.groupSize(c);
        const bool both = c.op == CollectiveOp::AllReduce; // a reduce-scatter and an all-gather
        const std::string n = groupSymbol(m_plan, c);
        const std::string twice = both ? "2 " : "";
        const std::string ring = both ? "2 (" + n + "−1)" : n + "−1";
        switch (c.algorithm) {
        case Algorithm::Library:
            return {TextId::HopsByLibrary, {ring, std::to_string((both ? 2 : 1) * (ranks - 1))}};
        case Algorithm::Ring:
            return {TextId::HopsByFormula, {ring, std::to_string(c.hops)}};
        case Algorithm::HalvingDoubling:
            return {TextId::HopsByFormula, {twice + "log₂ " + n, std::to_string(c.hops)}};
        case Algorithm::Tree:
            return {TextId::HopsByFormula, {twice + "⌈log₂ " + n + "⌉", std::to_string(c.hops)}};
        case Algorithm::Direct:
            break;
        }
        return {TextId::HopsAtOnce, {}};
    }

    void gradient()
    {
        if (!isAddend(out())) {
            add(TextId::DerivedGradients, {TextId::GradientComplete, {out().name, layoutText(m_plan, out())}});
        } else if (const Step *reduction = reductionOf(m_plan, out().id)) {
            add(TextId::DerivedGradients,
                {TextId::GradientAddend, {out().name, numberOf(*reduction), reduction->label}});
        } else {
            add(TextId::DerivedGradients, {TextId::GradientAddendLeft, {out().name}});
        }
        std::ranges::move(weightGradientLines(m_plan), std::back_inserter(m_lines));
    }

    const Plan &m_plan;
    const Step &m_step;
    std::vector<DerivationLine> m_lines;
};

} // namespace

std::vector<DerivationLine> derivation(const Plan &plan, const Step &step)
{
    return Deriver(plan, step).lines();
}

std::vector<DerivationLine> weightGradientLines(const Plan &plan)
{
    const auto isGradient = [&](TensorId id) { return plan.tensor(id).role == TensorRole::WeightGradient; };
    if (std::ranges::none_of(plan.tensors, [&](const Tensor &t) { return isGradient(t.id); }))
        return {};
    const auto isWrong = [&](const Step &step) {
        return std::ranges::find(plan.brokenRules, step.id, &BrokenRule::step) != plan.brokenRules.end();
    };
    std::string reduced;
    std::size_t count = 0;
    for (const Step &step : plan.steps) {
        if (!isReduction(step) || !isGradient(step.inputs.front()) || isWrong(step) || ++count > kMostNamed)
            continue;
        reduced += (reduced.empty() ? "" : "; ") + english({TextId::StepNamed, {numberOf(step), step.label}});
    }
    if (count > kMostNamed)
        reduced += "; " + english({TextId::StepsMore, {std::to_string(count - kMostNamed)}});
    return {{{TextId::DerivedGradients, {}}, {TextId::GradientCases, {}}},
            {{TextId::DerivedGradients, {}},
             count > 0 ? Text{TextId::GradientsHere, {reduced}} : Text{TextId::GradientsNowhere, {}}}};
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/plan/sent_formula.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shardscope {
namespace {

constexpr std::size_t kMostTerms = 4; ///< of a message that holds several tensors; more are "E" elements
constexpr std::string_view kTimes = " · ";

/// What a rank sends per payload byte.
struct Factor {
    std::string symbols; ///< empty: 1
    std::string numbers;
    double value = 1;
};

Factor factorOf(const Collective &collective, int ranks, const std::string &n)
{
    const double count = ranks;
    const std::string ring = "(" + n + "−1)/" + n;
    const std::string ringNumbers = std::to_string(ranks - 1) + "/" + std::to_string(ranks);
    switch (collective.op) {
    case CollectiveOp::AllReduce:
        if (collective.algorithm == Algorithm::Tree)
            return {"⌈log₂ " + n + "⌉", std::to_string(treeLevels(ranks)), static_cast<double>(treeLevels(ranks))};
        if (collective.algorithm == Algorithm::Direct)
            return {"(" + n + "−1)", std::to_string(ranks - 1), count - 1};
        return {"2 " + ring, "2" + std::string(kTimes) + ringNumbers, 2 * (count - 1) / count};
    case CollectiveOp::AllGather:
    case CollectiveOp::ReduceScatter:
        return {ring, ringNumbers, (count - 1) / count};
    default:
        return {}; // a root or a stage hands everything on as it is
    }
}

/// One dimension of what a group moves together.
struct MovedDim {
    std::string symbol;
    std::int64_t size = 0;
};

/// Tokens are what the options set: b·s, in decode b. A dimension that other axes cut too is a share of itself.
std::string symbolOf(const Experiment &experiment, const Dim &dim, std::int64_t size)
{
    if (dim.symbol == "t" && size == experiment.tokens())
        return experiment.phase == Phase::Decode ? "b" : "b·s";
    if (size == dim.size)
        return dim.symbol;
    if (size <= 0 || dim.size % size != 0)
        return {};
    const bool product = dim.symbol.find("·") != std::string::npos;
    return (product ? "(" + dim.symbol + ")" : dim.symbol) + "/" + std::to_string(dim.size / size);
}

std::vector<MovedDim> movedDims(const Plan &plan, const Step &step, const Tensor &tensor)
{
    const Collective &collective = *step.collective;
    std::vector<std::int64_t> sizes = localShape(tensor, plan.mesh(), rankWithLargestShare(plan.mesh(), tensor.stage));
    if (collective.op == CollectiveOp::AllGather)
        sizes[static_cast<std::size_t>(collective.gatherDim)] *= plan.groupSize(collective);
    std::vector<MovedDim> dims;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        dims.push_back({symbolOf(plan.experiment, tensor.shape[i], sizes[i]), sizes[i]});
    return dims;
}

/// The elements of some tensors of a message that have the same dimensions.
struct Term {
    std::string symbols;
    std::string numbers;
    std::int64_t elements = 1;
    int tensors = 1;
    bool named = true; ///< every dimension has a symbol
};

Term termOf(const std::vector<MovedDim> &dims)
{
    Term term;
    for (const MovedDim &dim : dims) {
        term.elements *= dim.size;
        term.symbols += (term.symbols.empty() ? "" : "·") + dim.symbol;
        term.numbers += (term.numbers.empty() ? "" : std::string(kTimes)) + std::to_string(dim.size);
        term.named &= !dim.symbol.empty();
    }
    return term;
}

std::vector<Term> termsOf(const Plan &plan, const Step &step)
{
    std::vector<Term> terms;
    for (const TensorId id : step.inputs) {
        Term term = termOf(movedDims(plan, step, plan.tensor(id)));
        const auto alike = std::ranges::find_if(
            terms, [&](const Term &other) { return other.symbols == term.symbols && other.elements == term.elements; });
        if (alike != terms.end())
            ++alike->tensors;
        else
            terms.push_back(std::move(term));
    }
    return terms;
}

/// A sum of products, in symbols and in numbers.
struct Sum {
    ByteFormula text;
    std::int64_t elements = 0;
    bool named = true;
};

Sum elementsOf(const Plan &plan, const Step &step)
{
    Sum sum;
    const std::vector<Term> terms = termsOf(plan, step);
    for (const Term &term : terms) {
        const std::string times = term.tensors > 1 ? std::to_string(term.tensors) : "";
        const std::string plus = sum.elements > 0 ? " + " : "";
        sum.text.symbols += plus + (times.empty() ? "" : times + "·") + term.symbols;
        sum.text.numbers += plus + (times.empty() ? "" : times + std::string(kTimes)) + term.numbers;
        sum.elements += term.tensors * term.elements;
        sum.named &= term.named;
    }
    if (terms.size() > kMostTerms)
        sum.text = {"E", std::to_string(sum.elements)};
    else if (terms.size() > 1)
        sum.text = {"(" + sum.text.symbols + ")", "(" + sum.text.numbers + ")"};
    return sum;
}

/// factor · elements · bytes; empty where that is not exactly `bytes`.
ByteFormula formula(const Plan &plan, const Step &step, const Factor &factor, DType dtype, std::int64_t bytes)
{
    const Sum sum = elementsOf(plan, step);
    const double exact = factor.value * static_cast<double>(sum.elements) * bytesOf(dtype);
    if (!sum.named || std::abs(exact - static_cast<double>(bytes)) >= 0.5)
        return {};
    const auto times = [&](const std::string &first, const std::string &second) {
        const std::string product = second + std::string(kTimes) + std::to_string(bytesOf(dtype)) + " B";
        return first.empty() ? product : first + std::string(kTimes) + product;
    };
    return {times(factor.symbols, sum.text.symbols), times(factor.numbers, sum.text.numbers)};
}

} // namespace

ByteFormula payloadFormula(const Plan &plan, const Step &collective)
{
    return formula(plan, collective, {}, plan.tensor(collective.inputs.front()).dtype,
                   collective.collective->payloadBytes);
}

ByteFormula sentFormula(const Plan &plan, const Step &collective)
{
    const Collective &c = *collective.collective;
    return formula(plan, collective, factorOf(c, plan.groupSize(c), groupSymbol(plan, c)), c.wireDtype,
                   c.sentBytesPerRank);
}

bool ranksSendAlike(const Plan &plan, const Collective &collective)
{
    const int ranks = plan.groupSize(collective);
    switch (collective.op) {
    case CollectiveOp::AllReduce:
        if (collective.algorithm == Algorithm::Direct)
            return true;
        // Of a tree the root sends in every level of the way back, a leaf only once.
        if (collective.algorithm == Algorithm::Tree)
            return ranks <= 2;
        return collective.elements % ranks == 0;
    case CollectiveOp::AllGather:
    case CollectiveOp::ReduceScatter:
        return collective.elements % ranks == 0;
    default:
        return false; // the end of a chain, and who receives a message, sends nothing
    }
}

std::string groupSymbol(const Plan &plan, const Collective &collective)
{
    if (collective.replicas > 0)
        return "r";
    const bool everyone = plan.groupSize(collective) == plan.mesh().size();
    return everyone ? "N" : std::string(axisName(collective.axis));
}

int treeLevels(int ranks)
{
    return std::bit_width(static_cast<unsigned>(ranks - 1));
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/record/cargo.h"

#include "engine/record/collective_groups.h"

#include <algorithm>

namespace shardscope {
namespace {

bool isParameter(const Tensor &tensor)
{
    return tensor.role == TensorRole::Weight || tensor.role == TensorRole::Bias;
}

Move moveOf(const Plan &plan, const Step &step)
{
    const Tensor &carried = plan.tensor(step.inputs.front());
    const bool justMade = carried.madeAt >= 0 && plan.steps[static_cast<std::size_t>(carried.madeAt)].pass == step.pass;
    Move move;
    move.cargo = cargoOf(plan, step);
    move.pass = step.pass;
    move.axis = step.collective->axis;
    move.critical = move.cargo == Cargo::Activations && (justMade || arrives(step, carried));
    return move;
}

bool sameKind(const Move &a, const Move &b)
{
    return a.cargo == b.cargo && a.pass == b.pass && a.axis == b.axis && a.critical == b.critical;
}

std::vector<Move> movesOfStage(const Plan &plan, int stage)
{
    const int rank = rankWithLargestShare(plan.mesh(), stage);
    std::vector<Move> moves;
    for (const Step &step : plan.steps) {
        if (!communicates(plan, step) || !plan.runs(step, rank))
            continue;
        const Move move = moveOf(plan, step);
        auto same = std::ranges::find_if(moves, [&](const Move &other) { return sameKind(other, move); });
        if (same == moves.end())
            same = moves.insert(moves.end(), move);
        same->collectives += 1;
        same->sentBytesPerRank += receives(plan, step, rank) ? 0 : step.collective->sentBytesPerRank;
    }
    return moves;
}

} // namespace

std::string_view name(Cargo cargo)
{
    switch (cargo) {
    case Cargo::Activations:
        return "activations";
    case Cargo::Parameters:
        return "parameters";
    case Cargo::Gradients:
        return "gradients";
    }
    return "";
}

Cargo cargoOf(const Plan &plan, const Step &step)
{
    const Tensor &carried = plan.tensor(step.inputs.front());
    if (isParameter(carried))
        return Cargo::Parameters;
    return carried.role == TensorRole::WeightGradient ? Cargo::Gradients : Cargo::Activations;
}

bool arrives(const Step &step, const Tensor &input)
{
    return input.generated && ((step.pass == Pass::Forward && input.role == TensorRole::Activation) ||
                               (step.pass == Pass::Backward && input.role == TensorRole::Gradient));
}

std::vector<Move> movesOf(const Plan &plan)
{
    std::vector<Move> most;
    for (int stage = 0; stage < plan.mesh().extent(MeshAxis::Pp); ++stage) {
        for (const Move &move : movesOfStage(plan, stage)) {
            const auto same = std::ranges::find_if(most, [&](const Move &other) { return sameKind(other, move); });
            if (same == most.end()) {
                most.push_back(move);
                continue;
            }
            same->collectives = std::max(same->collectives, move.collectives);
            same->sentBytesPerRank = std::max(same->sentBytesPerRank, move.sentBytesPerRank);
        }
    }
    std::ranges::stable_sort(most, {}, &Move::pass);
    return most;
}

std::int64_t parameterCount(const Plan &plan)
{
    std::int64_t count = 0;
    for (const Tensor &tensor : plan.tensors)
        count += isParameter(tensor) && tensor.generated ? tensor.elements() : 0;
    return count;
}

} // namespace shardscope

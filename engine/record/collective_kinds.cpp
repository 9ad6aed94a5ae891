// SPDX-License-Identifier: MIT
#include "engine/record/collective_kinds.h"

#include "engine/record/collective_groups.h"

#include <algorithm>
#include <cctype>

namespace shardscope {
namespace {

/// "Y", "Q, K, V", "W2 … b1": what one message carries.
std::string tensorNames(const Plan &plan, const std::vector<TensorId> &tensors)
{
    constexpr std::size_t kMostNamed = 3;
    if (tensors.empty())
        return "";
    std::string names = plan.tensor(tensors.front()).name;
    if (tensors.size() > kMostNamed)
        return names + " … " + plan.tensor(tensors.back()).name;
    for (std::size_t i = 1; i < tensors.size(); ++i)
        names += ", " + plan.tensor(tensors[i]).name;
    return names;
}

bool sameKind(const CollectiveSummary &a, const CollectiveSummary &b)
{
    return a.pass == b.pass && a.op == b.op && a.axis == b.axis && a.groupSize == b.groupSize &&
           a.payloadBytes == b.payloadBytes && a.wireDtype == b.wireDtype &&
           withoutPlace(a.tensor) == withoutPlace(b.tensor);
}

} // namespace

CollectiveSummary plannedCollective(const Plan &plan, const Step &step)
{
    const Collective &collective = *step.collective;
    CollectiveSummary summary;
    summary.step = step.id;
    summary.pass = step.pass;
    summary.op = name(collective.op);
    summary.tensor = tensorNames(plan, step.outputs);
    summary.axis = collective.axis;
    summary.groupSize = plan.groupSize(collective);
    summary.why = step.reason;
    summary.plannedCount = 1;
    summary.payloadBytes = collective.payloadBytes;
    summary.sentBytesPerRank = collective.sentBytesPerRank;
    summary.wireDtype = name(collective.wireDtype);
    summary.hops = collective.hops;
    return summary;
}

std::vector<CollectiveSummary> plannedCollectives(const Plan &plan)
{
    std::vector<CollectiveSummary> collectives;
    for (const Step &step : plan.steps) {
        if (communicates(plan, step))
            collectives.push_back(plannedCollective(plan, step));
    }
    return collectives;
}

std::vector<CollectiveKind> kindsOf(const std::vector<CollectiveSummary> &collectives)
{
    std::vector<CollectiveKind> kinds;
    for (const CollectiveSummary &collective : collectives) {
        const auto same = std::ranges::find_if(
            kinds, [&](const CollectiveKind &kind) { return sameKind(*kind.front(), collective); });
        if (same == kinds.end())
            kinds.push_back({&collective});
        else
            same->push_back(&collective);
    }
    return kinds;
}

std::string tensorsOf(const CollectiveKind &kind)
{
    const std::string &first = kind.front()->tensor;
    const bool list = first.find_first_of(", ") != std::string::npos; // one message for several
    if (kind.size() == 1 || list)
        return list && kind.size() > 1 ? withoutPlace(first) : first;
    return first + " ... " + kind.back()->tensor;
}

std::string withoutPlace(const std::string &tensors)
{
    std::string text;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const bool digitFollows =
            i + 1 < tensors.size() && std::isdigit(static_cast<unsigned char>(tensors[i + 1])) != 0;
        if ((tensors[i] != '.' && tensors[i] != '#') || !digitFollows) {
            text += tensors[i];
            continue;
        }
        while (i + 1 < tensors.size() && std::isdigit(static_cast<unsigned char>(tensors[i + 1])) != 0)
            ++i;
    }
    return text;
}

int countPerRank(const Plan &plan, const CollectiveKind &kind, int CollectiveSummary::*count)
{
    int most = 0;
    // What a rank runs depends on its stage alone: one rank of each is enough.
    for (const int rank : plan.mesh().group(0, MeshAxis::Pp)) {
        int here = 0;
        for (const CollectiveSummary *each : kind) {
            if (plan.runs(plan.steps[static_cast<std::size_t>(each->step)], rank))
                here += each->*count;
        }
        most = std::max(most, here);
    }
    return most;
}

bool severalAxes(const std::vector<CollectiveSummary> &collectives)
{
    return std::ranges::any_of(collectives, [&](const CollectiveSummary &c) {
        return c.axis != collectives.front().axis || c.groupSize != collectives.front().groupSize;
    });
}

} // namespace shardscope

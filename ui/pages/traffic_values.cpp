// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/traffic_values.h"

#include "engine/plan/option_limits.h"
#include "engine/record/collective_groups.h"
#include "engine/record/collective_kinds.h"
#include "ui/diagram/words.h"
#include "ui/pages/layer_words.h"
#include "ui/run_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace shardscope {

namespace {

/// Distances along the axis, with the wrap-around of a ring, and the largest difference of cells, over all pairs.
struct Reach {
    bool onlyNext = true;   ///< to the next one, the last to the first
    bool onlyBeside = true; ///< to those beside it
    bool all = true;        ///< every pair of a group, and
    bool equal = true;      ///< the same bytes
};

Reach reachOf(const TrafficMatrix &matrix, const Mesh &mesh, MeshAxis axis)
{
    Reach reach;
    const int n = mesh.extent(axis);
    for (int from = 0; from < matrix.ranks(); ++from) {
        for (const int to : mesh.group(from, axis)) {
            const int ahead = mesh.coordinate(to, axis) - mesh.coordinate(from, axis);
            if (ahead == 0)
                continue;
            const bool talks = matrix.bytes(from, to) > 0;
            const bool next = (ahead + n) % n == 1;
            reach.onlyNext = reach.onlyNext && talks == next;
            reach.onlyBeside = reach.onlyBeside && (!talks || std::abs(ahead) == 1);
            reach.all = reach.all && talks;
            reach.equal = reach.equal && (!talks || matrix.bytes(from, to) == matrix.largest());
        }
    }
    return reach;
}

/// Bytes of a collective over all ranks, and whether some that take part in it send fewer than the most.
struct SentByAll {
    std::int64_t bytes = 0;
    bool uneven = false;
};

/// Layers and micro-batches repeat the same collective: each is counted once.
class SentBytes
{
public:
    explicit SentBytes(const Plan &plan) : m_plan(plan) {}

    const SentByAll &of(const Step &step)
    {
        const Collective &c = *step.collective;
        const auto [entry, isNew] = m_known.try_emplace(
            {c.op, c.algorithm, c.axis, c.replicas, c.elements, c.wireDtype, step.stage, c.toStage});
        if (isNew)
            entry->second = counted(step);
        return entry->second;
    }

private:
    using Key = std::tuple<CollectiveOp, Algorithm, MeshAxis, int, std::int64_t, DType, int, int>;

    [[nodiscard]] SentByAll counted(const Step &step) const
    {
        SentByAll all;
        const std::vector<std::int64_t> sent = sentBytesByRank(m_plan, step);
        for (int rank = 0; rank < m_plan.mesh().size(); ++rank) {
            const std::int64_t bytes = sent[static_cast<std::size_t>(rank)];
            all.bytes += bytes;
            all.uneven = all.uneven ||
                         (m_plan.runs(step, rank) && !isMessage(step) && bytes < step.collective->sentBytesPerRank);
        }
        return all;
    }

    const Plan &m_plan;
    std::map<Key, SentByAll> m_known;
};

TrafficLine lineOf(const Plan &plan, const CollectiveKind &kind, bool axes, SentBytes &sent)
{
    const CollectiveSummary &first = *kind.front();
    TrafficLine line;
    line.op = plan.steps[static_cast<std::size_t>(first.step)].collective->op;
    // "W1 ... b2", as first and last of a kind are told.
    const QString tensors = formulaText(tensorsOf(kind)).replace(QChar(0x2026), QStringLiteral("..."));
    line.what = opName(line.op) + QLatin1Char(' ') + tensors;
    line.place = passName(first.pass);
    if (axes)
        line.place += tr(", along %1").arg(axisWord(first.axis));
    if (line.op != CollectiveOp::SendRecv && first.groupSize < plan.mesh().extent(first.axis))
        line.place += tr(", among %1 replicas").arg(first.groupSize);
    line.count = countPerRank(plan, kind, &CollectiveSummary::plannedCount);
    line.bytesEach = first.sentBytesPerRank;
    line.why = sentence(first.why);
    for (const CollectiveSummary *one : kind) {
        const SentByAll &all = sent.of(plan.steps[static_cast<std::size_t>(one->step)]);
        line.totalBytes += all.bytes;
        line.atMost = line.atMost || all.uneven;
    }
    return line;
}

std::vector<TrafficLine> linesOf(const Plan &plan, std::optional<MeshAxis> axis)
{
    std::vector<CollectiveSummary> shown = plannedCollectives(plan);
    const bool axes = severalAxes(shown);
    std::erase_if(shown, [&](const CollectiveSummary &each) { return axis && each.axis != *axis; });
    std::vector<TrafficLine> lines;
    SentBytes sent(plan);
    for (const CollectiveKind &kind : kindsOf(shown))
        lines.push_back(lineOf(plan, kind, axes, sent));
    return lines;
}

void addProof(TrafficValues &values, const Results &results)
{
    const auto run = results.measured.find(values.plan->experiment.phase);
    if (run == results.measured.end() || run->second->isPrediction())
        return;
    if (results.stale || run->second->experiment().mesh != values.mesh()) {
        values.proof = TrafficValues::Proof::OtherSettings;
        return;
    }
    const std::optional<ObservedTraffic> observed = observedTraffic(*run->second, values.axis);
    if (!observed)
        return;
    values.proof = observed->agreesWith(values.matrix) ? TrafficValues::Proof::Agrees : TrafficValues::Proof::Differs;
    values.observedSteps = observed->steps;
    values.observedWhere = sourcePhrase(*run->second);
}

} // namespace

std::optional<TrafficShape> trafficShape(const TrafficMatrix &matrix, const Mesh &mesh, MeshAxis axis)
{
    if (matrix.total() == 0)
        return std::nullopt;
    const Reach reach = reachOf(matrix, mesh, axis);
    if (mesh.extent(axis) == 2)
        return reach.all && reach.equal ? TrafficShape::Pair : TrafficShape::Other;
    if (reach.onlyNext)
        return TrafficShape::Ring;
    if (reach.all && reach.equal)
        return TrafficShape::Everyone;
    return reach.onlyBeside ? TrafficShape::Neighbours : TrafficShape::Other;
}

int TrafficValues::talkingPairs() const
{
    int pairs = 0;
    for (int from = 0; from < matrix.ranks(); ++from) {
        for (int to = 0; to < matrix.ranks(); ++to)
            pairs += matrix.bytes(from, to) > 0 ? 1 : 0;
    }
    return pairs;
}

std::int64_t TrafficValues::bytesAlong(MeshAxis along, int from, int to) const
{
    const auto found = std::ranges::find(axes, along, &Along::axis);
    return found == axes.end() ? 0 : found->matrix.bytes(from, to);
}

TrafficValues trafficValues(const PageInput &input, std::optional<MeshAxis> axis)
{
    TrafficValues values;
    values.plan = input.plan;
    const Plan &plan = *input.plan;
    values.axis = axis;
    values.paths = countedPaths(plan, axis);
    values.lines = linesOf(plan, axis);
    values.drawn = plan.mesh().size() <= kMostRanksInRun;
    if (!values.drawn)
        return values;
    values.matrix = trafficMatrix(plan, axis);
    for (const MeshAxis each : kMeshAxes) {
        if (axis && *axis != each)
            continue;
        TrafficMatrix along = trafficMatrix(plan, each);
        if (const auto shape = trafficShape(along, plan.mesh(), each))
            values.axes.push_back({each, std::move(along), *shape});
    }
    addProof(values, input.results);
    return values;
}

} // namespace shardscope

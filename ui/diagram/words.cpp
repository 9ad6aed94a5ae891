// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/words.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/sent_formula.h"
#include "engine/record/statistics.h"
#include "ui/charts/number_format.h"
#include "ui/diagram/equation.h"
#include "ui/diagram/matrix_view.h"
#include "ui/diagram/scene_painter.h"
#include "ui/texts.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

QString chunkSpan(const Transfer &t)
{
    if (t.chunkCount == 1)
        return Words::tr("one chunk");
    return Words::tr("%1 chunks").arg(t.chunkCount);
}

/// The first three.
QString shortList(QStringList words)
{
    constexpr qsizetype kMost = 3;
    if (words.size() > kMost)
        words = words.mid(0, kMost) << QStringLiteral("…");
    return words.join(QStringLiteral(", "));
}

/// Receivers either add, or keep what arrives.
QString receiving(const CollectiveScene &collective, bool toSeveral)
{
    if (collective.transfers().front().accumulate && collective.reduce == ReduceOp::Max)
        return Words::tr("which keeps the larger of each two numbers");
    if (collective.transfers().front().accumulate)
        return toSeveral ? Words::tr("which add it to their own") : Words::tr("which adds it to its own");
    return toSeveral ? Words::tr("which keep it") : Words::tr("which keeps it as it is");
}

QString ringSentence(const CollectiveScene &c)
{
    const QString links = c.schedule.ranks == 2 ? Words::tr("both links work at once")
                                                : Words::tr("all %1 links work at once").arg(c.schedule.ranks);
    return Words::tr("Each rank passes one chunk to its right-hand neighbour, %1; %2.").arg(receiving(c, false), links);
}

/// A rank of the first group, which stands for all.
int rankOf(const CollectiveScene &c, int member)
{
    return c.groups.front()[static_cast<std::size_t>(member)];
}

QString treeSentence(const Plan &plan, const CollectiveScene &c)
{
    QStringList pairs;
    const Hop &hop = c.transfers();
    for (std::size_t i = 0; i < hop.size(); ++i)
        pairs << QStringLiteral("%1 → %2").arg(rankName(plan, rankOf(c, hop[i].from))).arg(rankOf(c, hop[i].to));
    const QString who = shortList(pairs);
    if (c.op == CollectiveOp::Broadcast)
        return Words::tr("Rank 0 hands it out over a tree (%1); nothing is summed.").arg(who);
    if (hop.front().accumulate)
        return Words::tr("The sums climb the tree (%1): each receiver adds the whole array to its own.").arg(who);
    return Words::tr("The finished sum comes back down the tree (%1).").arg(who);
}

QString exchangeSentence(const CollectiveScene &c)
{
    const Transfer &t = c.transfers().front();
    return Words::tr("Ranks at distance %1 swap %2, %3.")
        .arg(std::abs(t.to - t.from))
        .arg(chunkSpan(t), t.accumulate ? Words::tr("and add what arrives") : Words::tr("and keep what arrives"));
}

QString directSentence(const CollectiveScene &c)
{
    if (c.gathers())
        return Words::tr("Every rank sends its piece to all others at once; nothing is summed.");
    if (c.op == CollectiveOp::ReduceScatter)
        return Words::tr("Every rank sends every other rank that one's chunk; each adds what arrives in rank order.");
    return Words::tr("Every rank sends its whole addend to all others at once; each adds them in rank order.");
}

/// "Ring all-reduce (reduce-scatter phase), hop 2 of 6."; of a library, whose own hops nobody sees, "All-reduce drawn
/// as a ring ...".
QString hopLead(const CollectiveScene &c)
{
    if (c.op == CollectiveOp::SendRecv)
        return Words::tr("One message.");
    const QString algorithm = algorithmTitle(c.schedule.algorithm);
    QString what = c.schematic ? Words::tr("%1 drawn as a %2").arg(opName(c.op), algorithm)
                               : Words::tr("%1 %2").arg(algorithm, opName(c.op));
    const bool twoPhases = c.op == CollectiveOp::AllReduce && c.schedule.chunks > 1;
    if (twoPhases)
        what +=
            c.transfers().front().accumulate ? Words::tr(" (reduce-scatter phase)") : Words::tr(" (all-gather phase)");
    what[0] = what[0].toUpper();
    return Words::tr("%1, hop %2 of %3.").arg(what).arg(c.hop + 1).arg(c.schedule.hops.size());
}

const Step &stepOf(const Plan &plan, const Scene &scene)
{
    return plan.steps[static_cast<std::size_t>(scene.step)];
}

/// A run of other settings says nothing about this plan; how often and how long it was measured does not matter.
bool describesSamePlan(const Plan &plan, const Run &run)
{
    Experiment mine = plan.experiment;
    const Experiment &theirs = run.plan.experiment;
    mine.steps = theirs.steps;
    mine.warmup = theirs.warmup;
    mine.seed = theirs.seed;
    mine.threads = theirs.threads;
    mine.backend = theirs.backend;
    mine.timeoutSeconds = theirs.timeoutSeconds;
    mine.delay = theirs.delay;
    return mine == theirs;
}

/// Median over the timed iterations of the slowest rank; negative when there is no record that `wanted` accepts.
template <typename Record, typename Wanted>
double slowestRankNs(const std::vector<Record> &records, Wanted wanted)
{
    std::vector<double> slowest;
    for (const Record &record : records) {
        if (record.warmup || !wanted(record))
            continue;
        const auto iteration = static_cast<std::size_t>(std::max(record.iteration, 0));
        if (slowest.size() <= iteration)
            slowest.resize(iteration + 1, -1);
        slowest[iteration] = std::max(slowest[iteration], static_cast<double>(record.endNs - record.startNs));
    }
    std::erase_if(slowest, [](double ns) { return ns < 0; });
    return medianOf(std::move(slowest)).value_or(-1);
}

QString sourceWord(Source source)
{
    switch (source) {
    case Source::Measured:
        return Words::tr("measured");
    case Source::Predicted:
        return Words::tr("predicted");
    case Source::Recorded:
        break;
    }
    return Words::tr("recorded");
}

} // namespace

QString algorithmTitle(Algorithm algorithm)
{
    switch (algorithm) {
    case Algorithm::Ring:
        return Words::tr("ring");
    case Algorithm::Tree:
        return Words::tr("tree");
    case Algorithm::Direct:
        return Words::tr("direct");
    case Algorithm::HalvingDoubling:
        return Words::tr("halving-doubling");
    case Algorithm::Library:
        break;
    }
    return Words::tr("library");
}

QString passName(Pass pass)
{
    switch (pass) {
    case Pass::Forward:
        return Words::tr("forward");
    case Pass::Recompute:
        return Words::tr("recompute");
    case Pass::Backward:
        return Words::tr("backward");
    case Pass::Optimizer:
        break;
    }
    return Words::tr("optimizer");
}

QString hopSentence(const Plan &plan, const CollectiveScene &collective)
{
    if (collective.op == CollectiveOp::SendRecv) {
        QStringList pairs;
        for (const std::vector<int> &pair : collective.groups)
            pairs << QStringLiteral("%1 → %2").arg(rankName(plan, pair.front())).arg(pair.back());
        return Words::tr("It goes from stage to stage (%1); nothing is summed.").arg(shortList(pairs));
    }
    switch (collective.schedule.algorithm) {
    case Algorithm::Tree:
        return treeSentence(plan, collective);
    case Algorithm::HalvingDoubling:
        return exchangeSentence(collective);
    case Algorithm::Direct:
        return directSentence(collective);
    case Algorithm::Ring:
    case Algorithm::Library:
        break;
    }
    return ringSentence(collective);
}

QString namesNote(const Plan &plan, const Step &step)
{
    const auto anyEnds = [&](char mark) {
        const auto ends = [&](TensorId id) { return plan.tensor(id).name.find(mark) != std::string::npos; };
        return std::ranges::any_of(step.inputs, ends) || std::ranges::any_of(step.outputs, ends);
    };
    const bool all = step.pass == Pass::Optimizer; // of every layer at once
    QStringList meanings;
    if (plan.experiment.layers > 1 && anyEnds('.'))
        meanings << (all ? Words::tr(".k means layer k") : Words::tr(".%1 means layer %1").arg(step.layer + 1));
    if (plan.experiment.microBatches > 1 && anyEnds('#'))
        meanings << (all ? Words::tr("#k means micro-batch k")
                         : Words::tr("#%1 means micro-batch %1").arg(step.microBatch + 1));
    return meanings.isEmpty() ? QString() : Words::tr(" In names %1.").arg(meanings.join(QStringLiteral(", ")));
}

Narration narrationOf(const Plan &plan, const Scene &scene)
{
    const Step &step = stepOf(plan, scene);
    const QString reason = sentence(step.reason);
    const QString note = namesNote(plan, step);
    const std::optional<CollectiveScene> collective = collectiveScene(plan, scene);
    if (!collective && step.collective && plan.groupSize(*step.collective) > kMostHopRanks)
        return {Words::tr("%1 ranks at once: so many hops are not drawn.").arg(plan.groupSize(*step.collective)),
                reason + note};
    if (!collective)
        return {{}, (reason.isEmpty() ? sentence(step.title) : reason) + note};
    QString words = hopSentence(plan, *collective);
    if (!reason.isEmpty())
        words += QLatin1Char(' ') + reason;
    return {hopLead(*collective), words + note};
}

namespace {

/// "layer 2 of 4 · micro-batch 1 of 8"; empty where there is one of each.
QString placeInModel(const Plan &plan, const Step &step)
{
    const Experiment &e = plan.experiment;
    QStringList parts;
    if (e.layers > 1 && step.pass != Pass::Optimizer)
        parts << Words::tr("layer %1 of %2").arg(step.layer + 1).arg(e.layers);
    if (e.microBatches > 1 && step.pass != Pass::Optimizer)
        parts << Words::tr("micro-batch %1 of %2").arg(step.microBatch + 1).arg(e.microBatches);
    return parts.join(QStringLiteral(" · "));
}

/// "all-reduce"; with axes to choose from "all-reduce over dp"; of KV heads' replicas "all-reduce over 2 replicas".
QString opOverAxis(const Plan &plan, const Collective &collective)
{
    const QString op = collective.op == CollectiveOp::SendRecv ? Words::tr("send") : opName(collective.op);
    if (collective.replicas > 0)
        return Words::tr("%1 over %2 replicas").arg(op).arg(collective.replicas);
    const std::vector<MeshAxis> axes = usedAxes(plan.mesh());
    if (axes.size() == 1 && axes.front() == MeshAxis::Tp)
        return op;
    const std::string_view axis = axisName(collective.axis);
    return Words::tr("%1 over %2").arg(op, QString::fromUtf8(axis.data(), static_cast<qsizetype>(axis.size())));
}

/// "payload 1 MiB, each rank sends 1.5 MiB": S of nccl-tests is not what goes over the wire.
QString bytesWords(const Plan &plan, const Collective &collective)
{
    const QString payload = formatBytes(static_cast<double>(collective.payloadBytes));
    const QString sent = formatBytes(static_cast<double>(collective.sentBytesPerRank));
    if (collective.op == CollectiveOp::SendRecv)
        return collective.sentBytesPerRank == collective.payloadBytes
                   ? Words::tr("payload %1").arg(payload)
                   : Words::tr("payload %1, %2 on the wire").arg(payload, sent);
    return (ranksSendAlike(plan, collective) ? Words::tr("payload %1, each rank sends %2")
                                             : Words::tr("payload %1, the busiest rank sends %2"))
        .arg(payload, sent);
}

} // namespace

namespace {

/// Those of a step's stage, or of all stages.
int groupsAtOnce(const Plan &plan, const Step &step)
{
    const Collective &collective = *step.collective;
    const int perStage = plan.mesh().size() / plan.mesh().extent(MeshAxis::Pp);
    if (collective.op == CollectiveOp::SendRecv)
        return perStage;
    return (step.stage == kEveryStage ? plan.mesh().size() : perStage) / plan.groupSize(collective);
}

} // namespace

QString stepCount(const Plan &plan, const Scene &scene)
{
    const QString step = Words::tr("step %1 of %2").arg(scene.step + 1).arg(plan.steps.size());
    const QString where = placeInModel(plan, stepOf(plan, scene));
    const QString count = where.isEmpty() ? step : where + QStringLiteral(" · ") + step;
    if (scene.hop < 0)
        return count;
    return count + QStringLiteral(" · ") + Words::tr("hop %1 of %2").arg(scene.hop + 1).arg(scene.hops);
}

QString caption(const Plan &plan, const Scene &scene)
{
    const Step &step = stepOf(plan, scene);
    if (!step.collective || step.inputs.empty() || step.outputs.empty())
        return formulaText(step.label);
    const MatrixView view = matrixView(plan, step.inputs.front(), false, kAllRanks);
    const QString what =
        step.inputs.size() == 1 ? view.name + QLatin1Char(' ') + view.globalShape : namesOf(plan, step.inputs);
    const Collective &collective = *step.collective;
    QString words = QStringLiteral("%1: %2 → %3 → %4 · %5")
                        .arg(what, view.placement, opOverAxis(plan, collective),
                             placementWord(plan, step.outputs.front()), bytesWords(plan, collective));
    if (const int groups = groupsAtOnce(plan, step); groups > 1)
        words += QStringLiteral(" · ") + Words::tr("%1 groups at once").arg(groups);
    if (collective.overlapped)
        words += QStringLiteral(" · ") + Words::tr("beside compute");
    return words;
}

QString timeCaption(const Plan &plan, const Run *run, const Scene &scene)
{
    const Step &step = stepOf(plan, scene);
    const bool schematic = step.collective && step.collective->op != CollectiveOp::SendRecv &&
                           step.collective->algorithm == Algorithm::Library;
    QStringList parts;
    if (run != nullptr && describesSamePlan(plan, *run)) {
        const double hop = scene.hop < 0 || schematic ? -1 : slowestRankNs(run->hops, [&](const HopEvent &e) {
            return e.step == scene.step && e.hop == scene.hop;
        });
        const double whole = slowestRankNs(run->spans, [&](const SpanEvent &e) { return e.step == scene.step; });
        const QString source = sourceWord(run->source);
        // The timeline draws one step, whose own time is another number.
        const bool median = run->source != Source::Predicted && run->completeIterations() > 1;
        const auto time = [median](double ns) {
            return median ? Words::tr("median %1").arg(formatDuration(ns)) : formatDuration(ns);
        };
        const bool compares = plan.mesh().size() > 1 && run->source != Source::Predicted;
        if (hop >= 0)
            parts << Words::tr("this hop %1 %2").arg(time(hop), source);
        else if (whole >= 0 && step.collective)
            parts << Words::tr("whole %1 %2 %3").arg(opName(step.collective->op), time(whole), source);
        else if (whole >= 0 && compares)
            parts << Words::tr("%1 %2, the slowest rank").arg(time(whole), source);
        else if (whole >= 0)
            parts << Words::tr("%1 %2").arg(time(whole), source);
        if (!parts.isEmpty() && step.collective && compares)
            parts.back() += Words::tr(", waiting included");
    }
    if (schematic)
        parts << Words::tr("hops schematic: the library's own are not known");
    return parts.join(QStringLiteral(" · "));
}

QString narration(const Plan &plan, double position)
{
    const std::vector<Scene> scenes = sceneList(plan);
    if (scenes.empty())
        return {};
    const auto last = static_cast<double>(scenes.size() - 1);
    return narrationOf(plan, scenes[static_cast<std::size_t>(std::clamp(std::floor(position), 0.0, last))]).whole();
}

} // namespace shardscope

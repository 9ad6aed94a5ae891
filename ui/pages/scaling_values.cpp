// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/scaling_values.h"

#include "engine/plan/hop_schedule.h"
#include "engine/plan/traffic.h"
#include "engine/record/statistics.h"
#include "ui/charts/number_format.h"
#include "ui/experiment_variants.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/own_settings.h"
#include "ui/pages/points_provenance.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <numeric>

namespace shardscope {

namespace {

/// Where no preset has been chosen: ranks that share the cores of this computer have no latency of their own.
constexpr char kStandIn[] = "h100-8";

/// The layer under the tensor parallelism that has the all-reduce, alone on its axis.
Experiment layerOf(const Experiment &experiment)
{
    const bool alone = experiment.extent(MeshAxis::Dp) == 1 && experiment.extent(MeshAxis::Pp) == 1;
    // Ring and tree stand side by side: what runs sends what a ring does.
    OptionValues changes{{"algorithm", "library"}};
    if (!alone || ownAxis(experiment.scheme) != MeshAxis::Tp || isBug(experiment.scheme)) {
        const bool block = experiment.repeatedLayer() == Layer::Block;
        changes.insert({{"scheme", block ? "block" : "mlp"}, {"ranks", "2"}, {"micro-batches", "1"}, {"zero", "0"}});
    }
    return variantOf(experiment, changes).value_or(Experiment{});
}

/// The largest sum over all ranks of the tensor-parallel axis; where the layer has none, of its output's size.
const Step *largestAllReduce(const Plan &plan)
{
    const Step *largest = nullptr;
    for (const Step &step : plan.steps) {
        const bool sum =
            step.collective && step.collective->op == CollectiveOp::AllReduce && step.collective->axis == MeshAxis::Tp;
        if (sum && (!largest || step.collective->payloadBytes > largest->collective->payloadBytes))
            largest = &step;
    }
    return largest;
}

/// Observed bytes of one all-reduce in a run, that of so large a tensor.
std::int64_t observedOf(const Run &run, std::int64_t payload)
{
    for (const CollectiveSummary &collective : summarize(run).collectives) {
        if (collective.op == name(CollectiveOp::AllReduce) && collective.count > 0 &&
            collective.payloadBytes == payload * collective.count)
            return collective.sentBytesPerRank / collective.count;
    }
    return 0;
}

/// Latency and bandwidth of one protocol, that of the least time; of those that are rings of their own: what a switch
/// adds up has no hops.
void takeLink(ScalingRow &row, const Hardware &hardware)
{
    double least = 0;
    for (const LinkCost &link : hardware.allReduce) {
        if (link.inSwitch)
            continue;
        const double latency = row.ringHops * link.alphaSeconds * 1e9;
        const double transfer = static_cast<double>(row.ringBytes) / link.busbwGBs;
        const double all = link.baseSeconds * 1e9 + latency + transfer;
        if (row.ringTransferNs > 0 && all >= least)
            continue;
        least = all;
        row.link = link;
        row.ringLatencyNs = latency;
        row.treeLatencyNs = row.treeHops * link.alphaSeconds * 1e9;
        row.ringTransferNs = transfer;
    }
}

ScalingRow rowOf(const ScalingValues &values, int ranks)
{
    ScalingRow row;
    row.ranks = ranks;
    const std::int64_t bytes = bytesOf(values.wire);
    const Expected<HopSchedule> ring = hopSchedule(CollectiveOp::AllReduce, Algorithm::Ring, ranks);
    const Expected<HopSchedule> tree = hopSchedule(CollectiveOp::AllReduce, Algorithm::Tree, ranks);
    const std::vector<std::int64_t> sent = sentElementsByRank(*ring, values.elements);
    row.ringBytes = bytes * *std::ranges::max_element(sent);
    row.summedBytes = bytes * std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
    row.treeBytes = bytes * std::ranges::max(sentElementsByRank(*tree, values.elements));
    row.ringHops = static_cast<int>(ring->hops.size());
    row.treeHops = static_cast<int>(tree->hops.size());
    takeLink(row, values.hardware);
    row.beyondNode = ranks > values.hardware.devices;
    return row;
}

} // namespace

std::vector<Experiment> scalingPoints(const Experiment &experiment)
{
    const Experiment layer = layerOf(experiment);
    std::vector<Experiment> points;
    for (const int ranks : kScalingRanks) {
        if (ranks > 8)
            break; // more never run on one machine's cores
        if (const auto point = variantOf(layer, {{"ranks", std::to_string(ranks)}}))
            points.push_back(*point);
    }
    return points;
}

ScalingValues scalingValues(const Experiment &experiment, const std::vector<Experiment> &points,
                            const std::vector<RunPtr> &measured, const RunLookups &runs)
{
    ScalingValues values;
    values.asked = experiment;
    values.experiment = layerOf(experiment);
    values.standIn = runs.hardware().name.empty() || runs.hardware().sharedCores > 0;
    values.hardware = values.standIn ? *findHardware(kStandIn) : runs.hardware();
    const Experiment cut = points.empty() ? values.experiment : points.front();
    const Transport transport = transportOf(measured, runs.hardware());
    const Plan plan = buildPlan(cut, transport);
    if (const Step *sum = largestAllReduce(plan)) {
        const Tensor &tensor = plan.tensor(sum->inputs.front());
        values.tensor = QString::fromStdString(tensor.name);
        values.elements = tensor.elements();
    } else {
        values.elements = cut.tokens() * cut.hidden;
    }
    values.wire = wireDtype(CollectiveOp::AllReduce, Algorithm::Library, cut.dtype, transport);
    values.payloadBytes = values.elements * bytesOf(values.wire);
    for (const int ranks : kScalingRanks) {
        ScalingRow row = rowOf(values, ranks);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i].ranks() == ranks && measured[i]) {
                row.measured = measured[i];
                row.observedBytes = observedOf(*measured[i], values.elements * bytesOf(cut.dtype));
            }
        }
        values.rows.push_back(row);
    }
    return values;
}

QString scalingFinding(const ScalingValues &values)
{
    const ScalingRow &first = values.rows.front();
    const ScalingRow &last = values.rows.back();
    const double s = static_cast<double>(values.payloadBytes);
    return tr("From %1 to %2 ranks a rank sends %3 to %4 S, never 2 S: what grows with N is the sum over all ranks, "
              "%5\u2011fold, and the hops of a ring, %6\u2011fold")
        .arg(first.ranks)
        .arg(last.ranks)
        .arg(QString::number(static_cast<double>(first.ringBytes) / s, 'f', 2),
             QString::number(static_cast<double>(last.ringBytes) / s, 'f', 2))
        .arg(last.summedBytes / first.summedBytes)
        .arg(last.ringHops / first.ringHops);
}

QString scalingSetting(const ScalingValues &values)
{
    const QString what = values.tensor.isEmpty() ? tr("One all-reduce of the layer's output")
                                                 : tr("One all-reduce of %1").arg(values.tensor);
    QStringList words{tr("%1, S = %2, of %3")
                          .arg(what, formatBytes(static_cast<double>(values.payloadBytes)),
                               layerWords(values.experiment, LayerShownOver::Ranks))};
    if (values.wire != values.experiment.dtype)
        words << tr("Gloo sends sums of %1 as %2").arg(word(name(values.experiment.dtype)), word(name(values.wire)));
    words << ownSettings(values.asked, values.experiment, {"ranks"});
    if (values.standIn)
        words << tr("Alpha and bandwidth of %1: ranks that share a machine's cores have no latency of their own")
                     .arg(QString::fromStdString(values.hardware.title));
    words.removeAll(QString());
    return words.join(QStringLiteral(". "));
}

QString scalingProvenance(const ScalingValues &values)
{
    QStringList parts{tr("bytes and hops counted in the hop schedules"),
                      tr("latency and bandwidth of %1").arg(QString::fromStdString(values.hardware.title))};
    // A preset's sources are many; those of its links' latency are this page's.
    for (const std::string &source : values.hardware.sources) {
        if (const QString words = QString::fromStdString(source); words.contains(QLatin1String("latency")))
            parts << words;
    }
    std::vector<const Run *> runs;
    for (const ScalingRow &row : values.rows)
        runs.push_back(row.measured.get());
    if (const QString sources = pointsProvenance(runs); !sources.isEmpty())
        parts << tr("dots: %1").arg(sources);
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope

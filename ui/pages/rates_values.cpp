// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/rates_values.h"

#include "ui/diagram/words.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/rates_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>
#include <set>

namespace shardscope {

namespace {

constexpr std::size_t kMostCollectives = 5; ///< bars of a group

QString titleOf(const RateRow &row, bool severalAxes)
{
    const QString pass = passName(row.pass);
    if (row.kind == RateKind::Collective) {
        const QString what = opName(row.op) + QLatin1Char(' ') + shortTensors(row.tensor);
        return severalAxes ? QStringLiteral("%1, %2").arg(what, axisWord(row.axis)) : what;
    }
    return row.coreAttention ? tr("core attention, %1").arg(pass) : pass;
}

QString titleOf(RateKind kind, const std::optional<Hardware> &peaks)
{
    const bool card = peaks && peaks->transport == Transport::Nccl && peaks->name != "this";
    switch (kind) {
    case RateKind::MatrixProducts:
        return !peaks ? tr("Matrix products")
               : card ? tr("Matrix products against the card\u2019s peak")
                      : tr("Matrix products against the fastest measured");
    case RateKind::MemoryBound:
        return peaks ? tr("Memory-bound operations against the memory") : tr("Memory-bound operations");
    case RateKind::Collective:
        break;
    }
    return !peaks                 ? tr("Collectives: bus bandwidth")
           : peaks->link.GBps > 0 ? tr("Collectives: bus bandwidth against the link")
                                  : tr("Collectives: bus bandwidth against the best");
}

double timeOf(const RateRow &row)
{
    return row.medianNs.value_or(0) * (row.kind == RateKind::Collective ? row.count : 1);
}

/// All work of a group over all its time; of collectives those that take the longest, because their links may differ.
void addTotals(RateGroup &group)
{
    double work = 0;
    double ns = 0;
    double atPeakNs = 0;
    for (const RateBar &bar : group.bars) {
        const RateRow &row = bar.row;
        if (group.kind == RateKind::Collective) {
            if (timeOf(row) <= ns)
                continue;
            ns = timeOf(row);
            group.perSecond = row.perSecond;
            group.share = row.share;
            continue;
        }
        const double done = group.kind == RateKind::MatrixProducts ? row.flops : row.bytes;
        work += done;
        ns += *row.medianNs;
        atPeakNs += row.peak ? done / row.peak->perSecond * 1e9 : 0;
    }
    if (group.kind != RateKind::Collective && ns > 0) {
        group.perSecond = work / ns * 1e9;
        if (atPeakNs > 0)
            group.share = atPeakNs / ns;
    }
    std::set<double> peaks;
    for (const RateBar &bar : group.bars)
        peaks.insert(bar.row.peak ? bar.row.peak->perSecond : 0);
    if (peaks.size() == 1 && *peaks.begin() > 0)
        group.peak = *peaks.begin();
}

/// Where there are too many, those that take the most time, in their order.
void keepLongest(RateGroup &group)
{
    while (group.kind == RateKind::Collective && group.bars.size() > kMostCollectives) {
        const auto least = std::ranges::min_element(group.bars, {}, [](const RateBar &bar) { return timeOf(bar.row); });
        group.bars.erase(least);
        ++group.leftOut;
    }
}

/// The same gather forward and backward.
void nameApart(RateGroup &group)
{
    std::vector<QString> titles;
    for (const RateBar &bar : group.bars)
        titles.push_back(bar.title);
    for (RateBar &bar : group.bars) {
        if (std::ranges::count(titles, bar.title) > 1)
            bar.title += QStringLiteral(", ") + passName(bar.row.pass);
    }
}

/// The same row of a prediction for the machine that ran it.
std::optional<double> predictedRate(const std::vector<RateRow> &predicted, const RateRow &row)
{
    const auto same = std::ranges::find_if(predicted, [&](const RateRow &other) {
        return other.kind == row.kind && other.pass == row.pass && other.coreAttention == row.coreAttention &&
               other.op == row.op && other.tensor == row.tensor && other.axis == row.axis &&
               other.groupSize == row.groupSize;
    });
    return same == predicted.end() ? std::nullopt : same->perSecond;
}

std::vector<RoofDot> dotsOf(const std::vector<RateRow> &rows)
{
    std::vector<RoofDot> dots;
    for (const RateRow &row : rows) {
        if (row.kind != RateKind::MatrixProducts && !row.coreAttention)
            continue;
        for (const RatePart &part : row.parts) {
            if (!part.medianNs || !(part.bytes > 0) || !(part.flops > 0))
                continue;
            RoofDot dot;
            dot.name = row.coreAttention ? tr("core attention") : formulaText(part.label);
            dot.pass = row.pass;
            dot.coreAttention = row.coreAttention;
            dot.intensity = part.flops / part.bytes;
            dot.perSecond = part.flops * part.count / *part.medianNs * 1e9;
            dot.details = partWords(row, part);
            dots.push_back(std::move(dot));
        }
    }
    return dots;
}

} // namespace

RatesValues ratesValues(const Experiment &experiment, const RunPtr &measured, const RunLookups &runs)
{
    RatesValues values;
    const RunPtr predicted = runs.predicted(experiment);
    values.run = measured && measured->completeIterations() > 0 ? measured : predicted;
    if (!values.run)
        return values;
    const Run &run = *values.run;
    const Hardware *peaks = peaksFor(run, runs.own());
    if (peaks) {
        values.peaks = shareOf(*peaks, run.experiment().ranks());
        values.peakDType = speedStandsFor(*peaks, run.experiment().dtype);
    }
    const std::vector<RateRow> rows = achievedRates(run, summarize(run), peaks);
    std::vector<RateRow> beside;
    if (!run.isPrediction() && predicted && peaks && peaksFor(*predicted, runs.own()) == peaks)
        beside = achievedRates(*predicted, summarize(*predicted), nullptr);
    std::set<std::pair<MeshAxis, int>> groups;
    for (const RateRow &row : rows) {
        if (row.kind == RateKind::Collective)
            groups.emplace(row.axis, row.groupSize);
    }
    for (const RateKind kind : {RateKind::MatrixProducts, RateKind::MemoryBound, RateKind::Collective}) {
        RateGroup group{kind, titleOf(kind, values.peaks), {}, 0, {}, {}, {}};
        for (const RateRow &row : rows) {
            if (row.kind == kind && row.perSecond)
                group.bars.push_back({row, titleOf(row, groups.size() > 1), predictedRate(beside, row)});
        }
        nameApart(group);
        keepLongest(group);
        addTotals(group);
        for (const RateBar &bar : group.bars)
            values.predictedBeside = values.predictedBeside || bar.predicted.has_value();
        if (!group.bars.empty())
            values.groups.push_back(std::move(group));
    }
    values.dots = dotsOf(rows);
    return values;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/low_load_values.h"

#include "engine/plan/option_uses.h"
#include "engine/plan/work.h"
#include "engine/record/crossover.h"
#include "engine/record/statistics.h"
#include "ui/charts/number_format.h"
#include "ui/experiment_variants.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/measured_points.h"
#include "ui/pages/own_settings.h"
#include "ui/pages/points_provenance.h"
#include "ui/setting_words.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <set>

namespace shardscope {

namespace {

constexpr std::int64_t kMostBatchShown = 64;
constexpr int kEveryMeasured = 4; ///< times the batch from one measured point to the next
constexpr int kFewRanks[] = {1, 2, 4};
constexpr int kManyRanks[] = {1, 2, 4, 8};

/// The layer under plain tensor parallelism: where ranks hold whole layers or whole tokens, a small batch cannot be
/// shared at all.
Experiment layerOf(const Experiment &experiment, Phase phase)
{
    const bool plain = ownAxis(experiment.scheme) == MeshAxis::Tp && !isBug(experiment.scheme) &&
                       experiment.extent(MeshAxis::Dp) == 1 && experiment.extent(MeshAxis::Pp) == 1;
    OptionValues changes{{"phase", std::string(name(phase))}, {"micro-batches", "1"}};
    if (!plain) {
        changes["scheme"] = experiment.repeatedLayer() == Layer::Block ? "block" : "mlp";
        changes["ranks"] = std::to_string(experiment.ranks());
        changes["zero"] = "0";
    }
    return variantOf(experiment, changes).value_or(experiment);
}

/// The largest batch of a measured point, of 1, 4, 16 and 64, whose step takes about a second; 0: not even one
/// sequence's does. All sequences are alike, so one is counted.
std::int64_t affordableBatch(const Experiment &layer)
{
    const auto one = variantOf(layer, {{"ranks", "1"}, {"batch", "1"}});
    const Experiment counted = one.value_or(layer);
    const Plan plan = buildPlan(counted);
    double flops = 0;
    for (const Step &step : plan.steps)
        flops += static_cast<double>(flopsPerRank(plan, step)) * counted.ranks();
    flops /= static_cast<double>(counted.batch);
    std::int64_t affordable = 0;
    for (std::int64_t batch = 1; batch <= kMostBatchShown; batch *= kEveryMeasured) {
        if (flops * static_cast<double>(batch) <= kMostFlops)
            affordable = batch;
    }
    return affordable;
}

/// "At batch 4, the only one known, a step takes 300 us on 1 rank, 2 ms on 4".
QString singleWords(const LowLoadSide &side)
{
    if (!side.crossings.empty() || side.curves.size() < 2)
        return {};
    const std::int64_t batch = side.curves.front().points.front().batch;
    QStringList times;
    for (const LowLoadCurve &curve : side.curves) {
        const auto point = std::ranges::find(curve.points, batch, &LowLoadCurve::Point::batch);
        if (point != curve.points.end())
            times << tr("%1 with N = %2").arg(formatDuration(point->step.median)).arg(curve.ranks);
    }
    return times.size() < 2 ? QString()
                            : tr("At batch %1, the only one known of several N, a step takes %2")
                                  .arg(batch)
                                  .arg(times.join(QStringLiteral(", ")));
}

LowLoadSide sideOf(const std::vector<RunPtr> &runs)
{
    LowLoadSide side;
    std::set<int> ranks;
    std::vector<const Run *> known;
    for (const RunPtr &run : runs) {
        if (!run)
            continue;
        known.push_back(run.get());
        ranks.insert(run->experiment().ranks());
    }
    for (const int count : ranks) {
        LowLoadCurve curve{count, {}};
        for (const RunPtr &run : runs) {
            if (!run || run->experiment().ranks() != count)
                continue;
            const Distribution step = summarize(*run).stepElapsed.value_or(Distribution{});
            if (step.median > 0)
                curve.points.push_back({run->experiment().batch, run, step});
        }
        std::ranges::sort(curve.points, {}, &LowLoadCurve::Point::batch);
        if (!curve.points.empty())
            side.curves.push_back(std::move(curve));
        if (count == 1)
            continue;
        if (const auto found = crossoverOf(known, "batch", count)) {
            LowLoadSide::Crossing crossing{count, found->from, 0, typeset(sentence(found->finding)), {}};
            if (found->cause)
                crossing.cause = typeset(sentence(*found->cause));
            for (const SizePoint &point : found->points) {
                if (point.size == found->from)
                    crossing.stepNs = point.manyStep.median;
            }
            side.crossings.push_back(std::move(crossing));
        }
    }
    if (!known.empty())
        side.source = originWords(*known.front());
    side.single = singleWords(side);
    return side;
}

} // namespace

std::vector<Experiment> lowLoadPoints(const Experiment &experiment, Phase phase, bool few)
{
    const Experiment layer = layerOf(experiment, phase);
    std::set<int> ranks{layer.ranks()};
    if (few)
        ranks.insert(std::begin(kFewRanks), std::end(kFewRanks));
    else
        ranks.insert(std::begin(kManyRanks), std::end(kManyRanks));
    const std::int64_t most = few ? affordableBatch(layer) : kMostBatchShown;
    std::vector<Experiment> points;
    for (const int count : ranks) {
        for (std::int64_t batch = 1; batch <= most; batch *= few ? kEveryMeasured : 2) {
            OptionValues changes{{"batch", std::to_string(batch)}};
            if (count != layer.ranks())
                changes["ranks"] = std::to_string(count);
            if (const auto point = variantOf(layer, changes))
                points.push_back(*point);
        }
    }
    return points;
}

LowLoadValues lowLoadValues(const Experiment &experiment, Phase phase, const std::vector<RunPtr> &measured,
                            const RunLookups &runs)
{
    LowLoadValues values;
    values.asked = experiment;
    values.experiment = layerOf(experiment, phase);
    values.affordable = affordableBatch(values.experiment);
    values.measured = sideOf(measured);
    std::vector<RunPtr> predicted;
    for (const Experiment &point : lowLoadPoints(experiment, phase, false))
        predicted.push_back(runs.predicted(point));
    values.predicted = sideOf(predicted);
    return values;
}

QString lowLoadFinding(const LowLoadValues &values)
{
    if (const LowLoadSide::Crossing *measured = values.measured.widest())
        return values.measured.source + QStringLiteral(": ") + measured->finding;
    if (const LowLoadSide::Crossing *predicted = values.predicted.widest())
        return values.predicted.source + QStringLiteral(": ") + predicted->finding;
    for (const LowLoadSide *side : {&values.measured, &values.predicted}) {
        if (!side->single.isEmpty())
            return side->source + QStringLiteral(": ") + side->single;
    }
    return tr("Nothing is known of one rank beside several yet");
}

QString lowLoadSetting(const LowLoadValues &values)
{
    const Experiment &e = values.experiment;
    const QString cached = option_uses::cache(e) ? tr(", %1 in its cache").arg(e.cache) : QString();
    const QString tokens = e.phase == Phase::Decode
                               ? tr("a token of each sequence%1").arg(cached)
                               : counted(e.sequence, tr("%1 token of each sequence|%1 tokens of each sequence"));
    const QString setting = tr("One step of %1, %2, h %3, %4: the same sequences on one rank and on N; %5")
                                .arg(word(name(e.scheme)), word(name(e.phase)))
                                .arg(e.hidden)
                                .arg(word(name(e.dtype)), tokens);
    const QString layer = (QStringList{setting} + settingNotes({&e})).join(QStringLiteral("; "));
    const QString own = ownSettings(values.asked, e, {"ranks", "batch"});
    return own.isEmpty() ? layer : layer + QStringLiteral(". ") + own;
}

QString lowLoadBeyond(const LowLoadValues &values)
{
    if (values.affordable == 0)
        return tr("A step of this layer takes over a second: nothing is measured. Choose a smaller h in the "
                  "workbench.");
    return values.affordable >= kMostBatchShown
               ? QString()
               : tr("Beyond batch %1 a step takes over a second and is not measured.").arg(values.affordable);
}

QString lowLoadProvenance(const LowLoadValues &values)
{
    std::vector<const Run *> runs;
    for (const LowLoadSide *side : {&values.measured, &values.predicted}) {
        for (const LowLoadCurve &curve : side->curves) {
            for (const LowLoadCurve::Point &point : curve.points)
                runs.push_back(point.run.get());
        }
    }
    return runs.empty() ? tr("nothing is known yet") : pointsProvenance(runs);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/low_load_values.h"

#include "engine/plan/option_uses.h"
#include "engine/record/crossover.h"
#include "engine/record/statistics.h"
#include "ui/experiment_variants.h"
#include "ui/pages/points_provenance.h"
#include "ui/setting_words.h"
#include "ui/texts.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace shardscope {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("LowLoadPage", text);
}

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString capitalised(const QString &words)
{
    return words.left(1).toUpper() + words.mid(1);
}

constexpr std::int64_t kMostBatchShown = 64;
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
            LowLoadSide::Crossing crossing{count, found->from, 0, sentence(found->finding), {}};
            if (found->cause)
                crossing.cause = sentence(*found->cause);
            for (const SizePoint &point : found->points) {
                if (point.size == found->from)
                    crossing.stepNs = point.manyStep.median;
            }
            side.crossings.push_back(std::move(crossing));
        }
    }
    if (!known.empty())
        side.source =
            capitalised(known.front()->isPrediction() ? pointSource(*known.front()) : measuredWords(*known.front()));
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
    std::vector<Experiment> points;
    for (const int count : ranks) {
        for (std::int64_t batch = 1; batch <= kMostBatchShown; batch *= few ? 4 : 2) {
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
    values.experiment = layerOf(experiment, phase);
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
        return tr("Predicted: %1").arg(predicted->finding);
    return tr("Nothing is known of one rank beside several yet");
}

QString lowLoadSetting(const LowLoadValues &values)
{
    const Experiment &e = values.experiment;
    const QString cached = option_uses::cache(e) ? tr(", %1 in its cache").arg(e.cache) : QString();
    const QString tokens = e.phase == Phase::Decode ? tr("a token of each sequence%1").arg(cached)
                                                    : tr("%1 tokens of each sequence").arg(e.sequence);
    const QString setting = tr("One step of %1, %2, h %3, %4: the same sequences on one rank and on N; %5")
                                .arg(word(name(e.scheme)), word(name(e.phase)))
                                .arg(e.hidden)
                                .arg(word(name(e.dtype)), tokens);
    return (QStringList{setting} + settingNotes({&e})).join(QStringLiteral("; "));
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

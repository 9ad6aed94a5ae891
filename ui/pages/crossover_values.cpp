// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/crossover_values.h"

#include "engine/plan/traffic.h"
#include "engine/record/byte_crossover.h"
#include "engine/record/cargo.h"
#include "engine/record/statistics.h"
#include "ui/charts/number_format.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/own_settings.h"
#include "ui/pages/points_provenance.h"
#include "ui/run_words.h"
#include "ui/setting_words.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

/// Beyond that many ranks a simulation takes long: of a pipeline, with as many micro-batches as stages, none is made,
/// of the others every third.
constexpr int kManyRanks = 16;
constexpr std::size_t kEveryOfMany = 3;

bool isPredicted(const Experiment &experiment, std::size_t index)
{
    if (experiment.ranks() <= kManyRanks)
        return true;
    return experiment.scheme != Scheme::Pipeline && index % kEveryOfMany == 0;
}

QString nameOf(Scheme scheme)
{
    switch (scheme) {
    case Scheme::Zero3:
        return tr("ZeRO-3");
    case Scheme::DataParallel:
        return tr("data parallelism");
    case Scheme::Pipeline:
        return tr("pipeline");
    default:
        return tr("tensor parallelism");
    }
}

QString cargoWords(Scheme scheme)
{
    switch (scheme) {
    case Scheme::Zero3:
        return tr("parameters, gathered for forward and again for backward, and gradients: they can overlap with "
                  "compute; the same bytes for any number of tokens");
    case Scheme::DataParallel:
        return tr("gradients, once a step, while backward goes on; the same bytes for any number of tokens");
    case Scheme::Pipeline:
        return tr("activations, from stage to stage and back; bytes grow with the tokens, not with the layers");
    default:
        return tr("activations, forward and backward, on the critical path: the next layer needs them; bytes grow with "
                  "tokens and layers");
    }
}

CrossoverValue valueOf(const CrossoverPoint &point, Transport transport, const RunPtr &measured,
                       const RunPtr &predicted)
{
    CrossoverValue value{.tokens = point.tokens,
                         .plannedBytes = traffic(buildPlan(point.experiment, transport)).total().sentBytesPerRank,
                         .measured = measured,
                         .observedBytes = 0,
                         .measuredStep = {},
                         .predictedNs = 0};
    if (measured) {
        const RunSummary summary = summarize(*measured);
        value.observedBytes = summary.step.sentBytesPerRank;
        value.measuredStep = summary.stepElapsed.value_or(Distribution{});
    }
    if (predicted)
        value.predictedNs = summarize(*predicted).step.elapsedNs.value_or(0);
    return value;
}

/// Where the curve of tensor parallelism passes the other's, by the counted points alone.
double countedCrossing(const CrossoverCurve &tp, const CrossoverCurve &other)
{
    // How much more tensor parallelism sends at its point; the other's bytes are the same at any number of tokens.
    const auto more = [&](std::size_t point) {
        return static_cast<double>(tp.points[point].plannedBytes - other.points.front().plannedBytes);
    };
    for (std::size_t i = 0; i + 1 < tp.points.size(); ++i) {
        const double before = more(i);
        const double after = more(i + 1);
        if (before <= 0 && after > 0) {
            const auto left = static_cast<double>(tp.points[i].tokens);
            const auto right = static_cast<double>(tp.points[i + 1].tokens);
            return left + (right - left) * -before / (after - before);
        }
    }
    return 0;
}

void addPlaces(CrossoverValues &values)
{
    const Experiment &e = values.experiment;
    const double sums = values.allReduces;
    if (!(sums > 0))
        return;
    const double simple = static_cast<double>(values.parameters) / (sums * static_cast<double>(e.layers * e.hidden));
    for (const CrossoverCurve &curve : values.curves) {
        const bool zero3 = curve.scheme == Scheme::Zero3;
        if (!zero3 && curve.scheme != Scheme::DataParallel)
            continue;
        CrossoverPlace place;
        place.name = curve.name;
        place.formula =
            (zero3 ? QStringLiteral("1.5 \u00b7 P/(%1\u00b7L\u00b7h)") : QStringLiteral("P/(%1\u00b7L\u00b7h)"))
                .arg(sums, 0, 'g', 3);
        place.tokens = zero3 ? 1.5 * simple : simple;
        place.counted = countedCrossing(values.curves.front(), curve);
        // The formula is that of rings, of what sends as many bytes, and of one number format; others cross elsewhere.
        constexpr double kSame = 0.02;
        if (place.counted > 0 && std::abs(place.counted / place.tokens - 1) > kSame) {
            place.tokens = place.counted;
            place.formula = e.algorithm == Algorithm::Library ? tr("by the bytes of Gloo, which sends sums in f32")
                                                              : tr("by the bytes of %1").arg(word(name(e.algorithm)));
        }
        place.bytes = static_cast<double>(curve.points.front().plannedBytes);
        values.places.push_back(place);
    }
    std::ranges::sort(values.places, {}, &CrossoverPlace::tokens);
}

/// What tensor parallelism alone is run with, and what all schemes are.
void addOptions(CrossoverValues &values, const std::vector<CrossoverPoints> &points)
{
    const auto plain = std::ranges::find(points, Scheme::DataParallel, &CrossoverPoints::scheme);
    const QStringList others =
        plain == points.end() || plain->points.empty() ? QStringList() : optionNotes(plain->points.front().experiment);
    for (const QString &note : optionNotes(values.experiment))
        (others.contains(note) ? values.options : values.ownOptions) << note;
}

QString tokenWords(double tokens)
{
    return formatGrouped(std::llround(tokens));
}

} // namespace

bool CrossoverValues::showsPredicted() const
{
    return measured == 0 || hardware.sharedCores > 0;
}

const Run *CrossoverValues::anyMeasured() const
{
    for (const CrossoverCurve &curve : curves) {
        for (const CrossoverValue &value : curve.points) {
            if (value.measured)
                return value.measured.get();
        }
    }
    return nullptr;
}

CrossoverValues crossoverValues(const Experiment &asked, const std::vector<CrossoverPoints> &points,
                                const std::vector<RunPtr> &measured, const RunLookups &runs, const QString &refusal)
{
    CrossoverValues values;
    values.asked = asked;
    values.refusal = refusal;
    if (points.empty() || points.front().points.empty()) {
        values.problem = crossoverProblem(asked);
        return values;
    }
    values.hardware = runs.hardware();
    values.experiment = points.front().points.front().experiment;
    const Transport transport = transportOf(measured, values.hardware);
    values.parameters = parameterCount(buildPlan(values.experiment));
    values.allReduces = allReducesPerLayer(buildPlan(points.front().points.back().experiment, transport));
    addOptions(values, points);
    std::size_t next = 0;
    for (const CrossoverPoints &each : points) {
        CrossoverCurve curve{each.scheme, nameOf(each.scheme), cargoWords(each.scheme), 1, {}};
        if (!each.points.empty())
            curve.microBatches = each.points.front().experiment.microBatches;
        for (const CrossoverPoint &point : each.points) {
            const bool wanted =
                std::ranges::find(each.measured, point.tokens, &CrossoverPoint::tokens) != each.measured.end();
            const RunPtr predicted =
                isPredicted(point.experiment, curve.points.size()) ? runs.predicted(point.experiment) : nullptr;
            curve.points.push_back(valueOf(point, transport, wanted ? measured[next++] : nullptr, predicted));
            values.predicted = values.predicted ? values.predicted : predicted;
            const CrossoverValue &value = curve.points.back();
            values.measured += value.measured ? 1 : 0;
            values.asCounted += value.measured && value.observedBytes == value.plannedBytes ? 1 : 0;
        }
        if (!each.measured.empty())
            values.affordable = std::max(values.affordable, each.measured.back().tokens);
        if (!curve.points.empty())
            values.curves.push_back(std::move(curve));
    }
    addPlaces(values);
    return values;
}

QString crossoverFinding(const CrossoverValues &values)
{
    if (values.curves.empty())
        return tr("Nothing to compare: tensor parallelism needs two or more ranks that share this layer evenly");
    if (values.places.empty())
        return tr("Too few points are possible for a crossing");
    const CrossoverPlace &first = values.places.front();
    const CrossoverPlace &last = values.places.back();
    if (values.places.size() == 1)
        return tr("Below %1 tokens a step tensor parallelism sends fewer bytes than %2: it moves activations, not what "
                  "belongs to the weights")
            .arg(tokenWords(first.tokens), first.name);
    return tr("Below %1 tokens a step tensor parallelism sends fewer bytes than %2, below %3 fewer than %4: it moves "
              "activations, they move gradients or parameters")
        .arg(tokenWords(first.tokens), first.name, tokenWords(last.tokens), last.name);
}

QString crossoverSetting(const CrossoverValues &values)
{
    if (values.curves.empty())
        return layerWords(values.asked);
    const Experiment &e = values.experiment;
    QString batches = tr("one micro-batch");
    for (const CrossoverCurve &curve : values.curves) {
        if (curve.scheme == Scheme::Pipeline)
            batches = tr("the pipeline in %1 micro-batches, the others in one").arg(curve.microBatches);
    }
    const QString setting =
        tr("A training step of %1 \u00d7 %2, h %3, f %4, P = %5 parameters, %6, on %7 ranks; %8; tokens are those "
           "of all ranks together")
            .arg(e.layers)
            .arg(word(name(e.scheme)))
            .arg(e.hidden)
            .arg(e.ffn)
            .arg(formatGrouped(values.parameters), word(name(e.dtype)))
            .arg(e.ranks())
            .arg(batches);
    const QStringList all = QStringList{setting} + values.options;
    QString words = all.join(QStringLiteral("; "));
    if (!values.ownOptions.isEmpty())
        words = tr("%1; tensor parallelism with %2").arg(words, values.ownOptions.join(QStringLiteral(", ")));
    std::set<std::string_view> varied{"batch", "sequence", "cache"};
    if (values.measured == 0) // how often nothing was repeated is no setting
        varied.insert({"steps", "warmup"});
    const QString own = ownSettings(values.asked, e, varied);
    return own.isEmpty() ? words : words + QStringLiteral(". ") + own;
}

QString crossoverProvenance(const CrossoverValues &values)
{
    if (values.curves.empty())
        return tr("nothing is drawn");
    QStringList parts{tr("lines of bytes: counted in the plans")};
    std::vector<const Run *> runs;
    for (const CrossoverCurve &curve : values.curves) {
        for (const CrossoverValue &value : curve.points)
            runs.push_back(value.measured.get());
    }
    if (values.showsPredicted())
        runs.push_back(values.predicted.get());
    const QString sources = pointsProvenance(runs);
    if (!sources.isEmpty())
        parts << sources;
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope

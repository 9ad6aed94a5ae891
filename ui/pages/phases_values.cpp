// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/phases_values.h"

#include "engine/record/comparison.h"
#include "engine/record/format.h"
#include "ui/charts/number_format.h"
#include "ui/experiment_variants.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/points_provenance.h"
#include "ui/texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("PhasesPage", text);
}

QString ratioWords(double ratio)
{
    return QString::fromStdString(formatRatio(ratio)) + QChar(0x00d7);
}

std::optional<double> perToken(const std::optional<double> &value, double tokens)
{
    return value ? std::optional(*value / tokens) : std::nullopt;
}

/// Training, prefill and decode that can be held against each other: all measured, else all predicted.
std::map<Phase, const Run *> comparable(const PhasesValues &values, std::vector<RunPtr> &kept, const RunLookups &runs)
{
    std::map<Phase, const Run *> found;
    bool predicted = false;
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        const PhaseRow *row = values.find(phase);
        predicted = predicted || (row && row->predicted());
    }
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        const PhaseRow *row = values.find(phase);
        if (!row)
            continue;
        kept.push_back(predicted && !row->predicted() ? runs.predicted(row->point.experiment) : row->run);
        if (kept.back())
            found[phase] = kept.back().get();
    }
    return found;
}

void addReasons(PhasesValues &values)
{
    const PhaseRow *prefill = values.find(Phase::Prefill);
    if (!prefill)
        return;
    std::vector<Text> said;
    for (const PhaseRow &row : values.rows) {
        const std::optional<double> ratio = values.toPrefill(row);
        if (row.point.experiment.phase != Phase::Training || !ratio)
            continue;
        const PhaseComparison pair =
            comparePhases({{Phase::Training, row.run.get()}, {Phase::Prefill, prefill->run.get()}});
        QStringList words;
        for (const Text &reason : ratioReasons(pair)) {
            const bool passes = reason.id == TextId::RatioPassesRecompute || reason.id == TextId::RatioPasses;
            const bool again = std::ranges::any_of(said, [&](const Text &text) { return text.id == reason.id; });
            if (again || (passes && !said.empty()))
                continue;
            said.push_back(reason);
            words << sentence(reason);
        }
        if (!words.isEmpty())
            values.reasons.push_back({ratioWords(*ratio), words.join(QStringLiteral(". ")) + QLatin1Char('.')});
    }
}

void addOptimizer(PhasesValues &values)
{
    const PhaseRow *training = values.find(Phase::Training);
    if (!training)
        return;
    const PassSummary &pass = training->summary.passes[static_cast<std::size_t>(Pass::Optimizer)];
    if (pass.collectives == 0)
        return;
    const QString calls = pass.collectives == 1 ? tr("one collective") : tr("%1 collectives").arg(pass.collectives);
    values.optimizer = tr("Left out: %1 of the optimizer, %2 sent per rank once a step")
                           .arg(calls, formatBytes(static_cast<double>(pass.sentBytesPerRank)));
}

} // namespace

double PhaseRow::bytesPerToken() const
{
    return static_cast<double>(sums().sentBytesPerRank) / tokens();
}

std::optional<double> PhaseRow::communicationPerToken() const
{
    return perToken(sums().communicationNs, tokens());
}

std::optional<double> PhaseRow::stepPerToken() const
{
    return perToken(summary.step.elapsedNs, tokens());
}

std::optional<double> PhaseRow::share() const
{
    const auto &time = sums().communicationNs;
    const auto &step = summary.step.elapsedNs;
    if (!time || !step || !(*step > 0))
        return std::nullopt;
    return std::min(1.0, *time / *step);
}

std::vector<PhasePoint> phasePoints(const Experiment &experiment)
{
    const struct {
        const char *title;
        OptionValues changes;
        Recompute recompute; ///< must have been taken: a scheme without it would be the same row again
    } all[] = {
        {QT_TRANSLATE_NOOP("PhasesPage", "Training"), {{"phase", "training"}, {"recompute", "none"}}, Recompute::None},
        {QT_TRANSLATE_NOOP("PhasesPage", "+ selective recomputation"),
         {{"phase", "training"}, {"recompute", "selective"}},
         Recompute::Selective},
        {QT_TRANSLATE_NOOP("PhasesPage", "+ full recomputation"),
         {{"phase", "training"}, {"recompute", "full"}},
         Recompute::Full},
        {QT_TRANSLATE_NOOP("PhasesPage", "Prefill"), {{"phase", "prefill"}}, Recompute::None},
        {QT_TRANSLATE_NOOP("PhasesPage", "Decode"), {{"phase", "decode"}}, Recompute::None},
    };
    std::vector<PhasePoint> points;
    for (const auto &[title, changes, recompute] : all) {
        const std::optional<Experiment> variant = variantOf(experiment, changes);
        if (variant && variant->recompute == recompute)
            points.push_back({tr(title), *variant});
    }
    return points;
}

const PhaseRow *PhasesValues::find(Phase phase) const
{
    const auto found =
        std::ranges::find_if(rows, [&](const PhaseRow &row) { return row.point.experiment.phase == phase; });
    return found == rows.end() ? nullptr : &*found;
}

std::optional<double> PhasesValues::toPrefill(const PhaseRow &row) const
{
    const PhaseRow *prefill = find(Phase::Prefill);
    if (!prefill || prefill->sums().sentBytesPerRank == 0)
        return std::nullopt;
    return static_cast<double>(row.sums().sentBytesPerRank) / static_cast<double>(prefill->sums().sentBytesPerRank);
}

PhasesValues phasesValues(const Experiment &experiment, const std::vector<PhasePoint> &points,
                          const std::vector<RunPtr> &measured, const RunLookups &runs)
{
    PhasesValues values;
    values.experiment = experiment;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const RunPtr run = measured[i] ? measured[i] : runs.predicted(points[i].experiment);
        if (run)
            values.rows.push_back({points[i], run, summarize(*run)});
    }
    std::vector<RunPtr> kept;
    const std::map<Phase, const Run *> phases = comparable(values, kept, runs);
    if (phases.empty()) {
        values.finding = tr("Nothing is known of this layer's phases yet");
        return values;
    }
    const PhaseComparison comparison = comparePhases(phases);
    values.finding = sentence(findingOf(comparison, false));
    values.perToken = sentence(findingOf(comparison, true));
    const bool mixed = std::ranges::any_of(phases, [](const auto &each) { return each.second->isPrediction(); });
    if (mixed && !values.finding.isEmpty())
        values.finding = tr("Predicted: %1").arg(values.finding);
    if (const PhaseRow *training = values.find(Phase::Training)) {
        if (const auto bubble = bubbleFinding(training->summary, training->point.experiment))
            values.bubble = sentence(*bubble);
    }
    addReasons(values);
    addOptimizer(values);
    return values;
}

QString phasesSetting(const PhasesValues &values)
{
    Experiment shown = values.experiment;
    shown.phase = Phase::Training;
    shown.recompute = Recompute::None; // the rows name theirs
    return layerWords(shown, false);
}

QString phasesProvenance(const PhasesValues &values)
{
    std::vector<const Run *> runs;
    for (const PhaseRow &row : values.rows)
        runs.push_back(row.run.get());
    return runs.empty() ? tr("nothing is known yet") : pointsProvenance(runs);
}

} // namespace shardscope

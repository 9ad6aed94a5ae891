// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/phases_values.h"

#include "engine/record/comparison.h"
#include "engine/record/format.h"
#include "ui/charts/number_format.h"
#include "ui/experiment_variants.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/points_provenance.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

QString ratioWords(double ratio)
{
    return QString::fromStdString(formatRatio(ratio)) + QChar(0x00d7);
}

std::optional<double> perToken(const std::optional<double> &value, double tokens)
{
    return value ? std::optional(*value / tokens) : std::nullopt;
}

/// Those of these rows that can be held against each other: as they are shown where all are alike, else all predicted.
/// Null where a row has no such run.
std::vector<RunPtr> alike(const std::vector<const PhaseRow *> &rows, const RunLookups &runs)
{
    std::vector<RunPtr> found;
    for (const PhaseRow *row : rows)
        found.push_back(row ? row->run : nullptr);
    const auto shown = std::ranges::find_if(found, [](const RunPtr &run) { return run != nullptr; });
    const bool same = std::ranges::all_of(found, [&](const RunPtr &run) { return !run || comparable(*run, **shown); });
    for (std::size_t i = 0; i < rows.size() && !same; ++i) {
        if (rows[i] && !rows[i]->predicted())
            found[i] = runs.predicted(rows[i]->point.experiment);
    }
    return found;
}

/// What a row sends over what a prefill sends, and why.
void addRatio(PhasesValues &values, PhaseRow &row, const RunLookups &runs, std::vector<Text> &said)
{
    const PhaseRow *prefill = values.find(Phase::Prefill);
    const std::vector<RunPtr> pair = alike({&row, prefill}, runs);
    if (!pair[0] || !pair[1])
        return;
    const auto sent = [](const Run &run) {
        return static_cast<double>(summarize(run).withoutOptimizer.sentBytesPerRank);
    };
    if (!(sent(*pair[1]) > 0))
        return;
    row.toPrefill = sent(*pair[0]) / sent(*pair[1]);
    // Said where the bars themselves have another ratio.
    row.ratioPredicted = *row.toPrefill != sent(*row.run) / sent(*prefill->run);
    if (row.point.experiment.phase != Phase::Training)
        return;
    QStringList words;
    for (const Text &reason :
         ratioReasons(comparePhases({{Phase::Training, pair[0].get()}, {Phase::Prefill, pair[1].get()}}))) {
        const bool passes = reason.id == TextId::RatioPassesRecompute || reason.id == TextId::RatioPasses;
        const bool again = std::ranges::any_of(said, [&](const Text &text) { return text.id == reason.id; });
        if (again || (passes && !said.empty()))
            continue;
        said.push_back(reason);
        words << typeset(sentence(reason));
    }
    if (!words.isEmpty())
        values.reasons.push_back({ratioWords(*row.toPrefill), words.join(QStringLiteral(". ")) + QLatin1Char('.')});
}

/// Training, prefill and decode held against each other.
void addFindings(PhasesValues &values, const RunLookups &runs)
{
    constexpr Phase kOrder[] = {Phase::Training, Phase::Prefill, Phase::Decode};
    std::vector<const PhaseRow *> rows;
    for (const Phase phase : kOrder)
        rows.push_back(values.find(phase));
    const std::vector<RunPtr> kept = alike(rows, runs);
    std::map<Phase, const Run *> phases;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i])
            phases[kOrder[i]] = kept[i].get();
    }
    if (phases.empty()) {
        values.finding = tr("Nothing is known of this layer's phases yet");
        return;
    }
    const PhaseComparison comparison = comparePhases(phases);
    values.finding = typeset(sentence(findingOf(comparison, false)));
    values.perToken = typeset(sentence(findingOf(comparison, true)));
    if (!values.finding.isEmpty())
        values.finding = originWords(*phases.begin()->second) + QStringLiteral(": ") + values.finding;
    if (const auto training = phases.find(Phase::Training); training != phases.end()) {
        const Run &run = *training->second;
        QStringList findings;
        for (const Text &finding : pipelineFindings(summarize(run), run.experiment()))
            findings << typeset(sentence(finding));
        values.bubble = findings.join(QStringLiteral(". "));
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

PhasesValues phasesValues(const Experiment &experiment, const std::vector<PhasePoint> &points,
                          const std::vector<RunPtr> &measured, const RunLookups &runs)
{
    PhasesValues values;
    values.experiment = experiment;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const RunPtr run = measured[i] ? measured[i] : runs.predicted(points[i].experiment);
        if (run)
            values.rows.push_back({points[i], run, summarize(*run), std::nullopt, false});
    }
    addFindings(values, runs);
    std::vector<Text> said;
    for (PhaseRow &row : values.rows)
        addRatio(values, row, runs, said);
    addOptimizer(values);
    return values;
}

QString phasesSetting(const PhasesValues &values)
{
    Experiment shown = values.experiment;
    shown.phase = Phase::Training;
    shown.recompute = Recompute::None; // the rows name theirs
    return layerWords(shown, LayerShownOver::Phases);
}

QString phasesProvenance(const PhasesValues &values)
{
    std::vector<const Run *> runs;
    for (const PhaseRow &row : values.rows)
        runs.push_back(row.run.get());
    return runs.empty() ? tr("nothing is known yet") : pointsProvenance(runs);
}

} // namespace shardscope

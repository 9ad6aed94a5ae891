// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/snap.h"

#include "engine/plan/experiment_options.h"
#include "ui/panels/derived_values.h"
#include "ui/panels/repairs.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <array>

namespace shardscope {

namespace {

/// A repair may break another rule, whose repair may break a third one; beyond that nothing near is valid.
constexpr int kMostRepairs = 64;

/// Three phases are shown: what one of them uses is used, and stays chosen while another one is looked at.
bool appliesInSomePhase(const ExperimentOption &option, Experiment experiment)
{
    return std::ranges::any_of(std::array{Phase::Training, Phase::Prefill, Phase::Decode}, [&](Phase phase) {
        experiment.phase = phase;
        return option.applies(experiment);
    });
}

/// `experiment` with the options that `used` refuses at their defaults.
template <typename Used>
Experiment onlyWith(Experiment experiment, Used used)
{
    Experiment defaults;
    defaults.scheme = experiment.scheme;
    defaults.hidden = experiment.hidden;
    defaults.sequence = experiment.sequence;
    defaults.mesh = experiment.mesh;
    defaults.heads = withDerivedDefaults(defaults).heads;
    defaults = withDerivedDefaults(defaults);
    for (const ExperimentOption &option : experimentOptions()) {
        if (!used(option, experiment))
            option.set(experiment, option.get(defaults));
    }
    return experiment;
}

Experiment withoutUseless(const Experiment &experiment)
{
    return onlyWith(experiment, appliesInSomePhase);
}

/// "f mod N = 4004 mod 64 = 36".
QString remainder(const Experiment &experiment)
{
    const int ranks = experiment.extent(MeshAxis::Tp);
    return tr("f mod N = %1 mod %2 = %3").arg(experiment.ffn).arg(ranks).arg(experiment.ffn % ranks);
}

} // namespace

Experiment inItsPhase(const Experiment &experiment)
{
    return onlyWith(experiment, [](const ExperimentOption &option, const Experiment &e) { return option.applies(e); });
}

Snapped snap(const Experiment &asked)
{
    Experiment experiment = withoutUseless(asked);
    std::optional<Text> problem = validate(inItsPhase(experiment));
    if (!problem)
        return {experiment, {}, true};
    const Text first = *problem;
    const bool ofFfn = first.id == TextId::FfnNotDivisible;
    const QString why = ofFfn ? tr("%1, so %2").arg(remainder(experiment)) : tr("%1; %2").arg(ruleOf(first));
    QStringList changes;
    for (int round = 0; problem && round < kMostRepairs; ++round) {
        const QString change = repaired(experiment, *problem);
        if (change.isEmpty())
            break;
        changes << change;
        experiment = withoutUseless(experiment);
        problem = validate(inItsPhase(experiment));
    }
    if (problem)
        return {asked, sentence(*problem), false};
    // A size that was moved twice is where it was moved last.
    changes.removeDuplicates();
    return {experiment, why.arg(changes.join(QStringLiteral("; "))), true};
}

QString whyNot(const Experiment &experiment, std::string_view option, std::string_view value)
{
    // Neither L nor m decides what goes together, and a plan of many layers takes its time.
    Experiment trial = experiment;
    trial.layers = trial.extent(MeshAxis::Pp);
    trial.microBatches = 1;
    if (validate(inItsPhase(trial)))
        return {};
    if (const auto problem = findOption(option)->set(trial, value))
        return ruleOf(*problem);
    const std::optional<Text> problem = validate(inItsPhase(trial));
    return problem ? ruleOf(*problem) : QString();
}

} // namespace shardscope

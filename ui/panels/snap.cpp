// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/snap.h"

#include "engine/plan/experiment_options.h"
#include "ui/texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <array>
#include <numeric>

namespace shardscope {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Snap", text);
}

std::int64_t nearestMultiple(std::int64_t value, std::int64_t of)
{
    return std::max(of, (value + of / 2) / of * of);
}

/// N shares the inner size f; where f is 4h it is h that the user sees and moves.
void snapSizes(Experiment &experiment, QStringList &changes)
{
    const std::int64_t ranks = experiment.ranks();
    const std::int64_t rest = experiment.ffn % ranks;
    if (rest == 0)
        return;
    const QString why = tr("f mod N = %1 mod %2 = %3").arg(experiment.ffn).arg(ranks).arg(rest);
    if (experiment.ffn == 4 * experiment.hidden) {
        experiment.hidden = nearestMultiple(experiment.hidden, ranks / std::gcd(ranks, std::int64_t{4}));
        experiment.ffn = 4 * experiment.hidden;
        changes << tr("%1, so h was set to %2").arg(why).arg(experiment.hidden);
    } else {
        experiment.ffn = nearestMultiple(experiment.ffn, ranks);
        changes << tr("%1, so f was set to %2").arg(why).arg(experiment.ffn);
    }
}

void snapAlgorithm(Experiment &experiment, QStringList &changes)
{
    if (experiment.algorithm == Algorithm::Library)
        return;
    experiment.algorithm = Algorithm::Library;
    changes << tr("the algorithm was set to the library's");
}

void snapDelay(Experiment &experiment, QStringList &changes)
{
    if (!experiment.delay)
        return;
    experiment.delay.reset();
    changes << tr("the delay was taken off");
}

/// Three phases are shown: what one of them uses is used, and stays chosen while another one is looked at.
bool appliesInSomePhase(const ExperimentOption &option, Experiment experiment)
{
    return std::ranges::any_of(std::array{Phase::Training, Phase::Prefill, Phase::Decode}, [&](Phase phase) {
        experiment.phase = phase;
        return option.applies(experiment);
    });
}

/// Options that the scheme does not use go back to their defaults, as the command line would have it.
Experiment withoutUnused(Experiment experiment)
{
    const Experiment defaults;
    for (const ExperimentOption &option : experimentOptions()) {
        if (!appliesInSomePhase(option, experiment))
            option.set(experiment, option.get(defaults));
    }
    return experiment;
}

void snapBug(Experiment &experiment, QStringList &changes)
{
    if (experiment.scheme == Scheme::BugRowBiasEachRank && !experiment.bias) {
        experiment.bias = true;
        changes << tr("the bias was switched on");
    }
    if (experiment.ranks() == 1) {
        experiment.mesh.setExtent(MeshAxis::Tp, 2);
        changes << tr("N was set to 2");
    }
}

} // namespace

Snapped snap(const Experiment &asked)
{
    const Experiment wanted = withoutUnused(asked);
    const std::optional<Text> problem = validate(wanted);
    if (!problem)
        return {wanted, {}, true};
    // Sizes say themselves why they were changed; of the rest the rule is said first.
    Experiment experiment = wanted;
    QStringList changes;
    const QString why = sentence(*problem) + QStringLiteral("; ");
    for (const auto repair : {snapBug, snapSizes, snapAlgorithm, snapDelay}) {
        // Each repair stands alone where it suffices; otherwise they add up.
        Experiment alone = wanted;
        QStringList change;
        repair(alone, change);
        const QString rule = repair == snapSizes ? QString() : why;
        if (!validate(alone))
            return {alone, rule + change.join(QStringLiteral("; ")), true};
        repair(experiment, changes);
        if (!validate(experiment))
            return {experiment, why + changes.join(QStringLiteral("; ")), true};
    }
    return {wanted, sentence(*problem), false};
}

} // namespace shardscope

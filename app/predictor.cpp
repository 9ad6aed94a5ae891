// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predictor.h"

#include "app/points.h"
#include "engine/plan/experiment_options.h"

#include <algorithm>

namespace shardscope {

namespace {

/// FLOP/s of one core that nearly every machine reaches.
constexpr double kSafeFlopsPerCore = 2e10;

double elapsedSeconds(const Run &run)
{
    std::int64_t longest = 0;
    for (const IterationEvent &iteration : run.iterations)
        longest = std::max(longest, iteration.endNs - iteration.startNs);
    return static_cast<double>(longest) * 1e-9;
}

} // namespace

bool Predictor::choose(std::string_view name)
{
    if (name != kThisMachine && !findHardware(name))
        return false;
    m_chosen = name;
    return true;
}

bool Predictor::knowsThisMachine(DType dtype) const
{
    return m_this && m_this->peakFlops.contains(dtype);
}

const Hardware &Predictor::hardwareFor(DType dtype) const
{
    if (m_chosen == kThisMachine)
        return knowsThisMachine(dtype) ? *m_this : *findHardware(kFallbackHardware);
    return *findHardware(m_chosen);
}

std::optional<Text> Predictor::addMeasurement(const std::vector<BandwidthEvent> &collectives,
                                              const std::vector<ComputeEvent> &compute, const Machine &machine)
{
    m_collectives.insert(m_collectives.end(), collectives.begin(), collectives.end());
    m_compute.insert(m_compute.end(), compute.begin(), compute.end());
    Expected<Hardware> fitted = fitHardware(m_collectives, m_compute, machine);
    if (!fitted)
        return fitted.problem();
    m_this = std::move(fitted.value());
    return std::nullopt;
}

bool Predictor::restoreThisMachine(std::string_view json)
{
    Expected<Hardware> read = parseHardware(json);
    if (read)
        m_this = std::move(read.value());
    return read.ok();
}

RunPtr Predictor::predict(const Experiment &experiment) const
{
    if (validate(experiment))
        return nullptr;
    const Hardware &hardware = hardwareFor(experiment.dtype);
    return std::make_shared<const Run>(simulate(buildPlan(experiment, hardware.transport), hardware));
}

Results Predictor::predictAll(const Experiment &experiment) const
{
    Results results;
    for (const Phase phase : kPhases) {
        const std::optional<Experiment> point = inPhase(experiment, phase);
        if (!point)
            continue;
        if (RunPtr run = predict(*point))
            results.predicted[phase] = std::move(run);
    }
    if (const std::optional<Experiment> one = onOneRank(experiment); one && experiment.ranks() > 1)
        results.predictedOne = predict(*one);
    return results;
}

double Predictor::stepSecondsHere(const Experiment &experiment, int cores) const
{
    const Plan plan = buildPlan(experiment, Transport::Gloo);
    if (knowsThisMachine(experiment.dtype))
        return elapsedSeconds(simulate(plan, *m_this));
    double flops = 0;
    for (const Step &step : plan.steps)
        flops += static_cast<double>(step.flops) * experiment.ranks();
    return flops / (kSafeFlopsPerCore * cores);
}

} // namespace shardscope

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
    // What an earlier session measured of another dtype is still true.
    if (m_this)
        fitted.value().peakFlops.merge(m_this->peakFlops);
    m_this = std::move(fitted.value());
    return std::nullopt;
}

bool Predictor::restoreThisMachine(std::string_view json, int cores)
{
    Expected<Hardware> read = parseHardware(json);
    if (!read || read->sharedCores != cores)
        return false;
    m_this = std::move(read.value());
    return true;
}

bool Predictor::forgetUnless(const Machine &machine)
{
    if (!m_this || machine.host.empty() || m_this->title == fittedTitle(machine))
        return false;
    m_this.reset();
    m_collectives.clear();
    m_compute.clear();
    return true;
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
    results.machine = std::make_shared<const Hardware>(hardwareFor(experiment.dtype));
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

Forecast Predictor::forecast(const Experiment &experiment, int cores) const
{
    Forecast forecast{experiment, predictAll(experiment), {}, 0};
    for (const auto &[phase, run] : forecast.results.predicted)
        forecast.stepSeconds[phase] = stepSecondsHere(*run, cores);
    if (const RunPtr &one = forecast.results.predictedOne)
        forecast.oneRankStepSeconds = stepSecondsHere(*one, cores);
    return forecast;
}

double Predictor::stepSecondsHere(const Run &predicted, int cores) const
{
    const Experiment &experiment = predicted.experiment();
    if (knowsThisMachine(experiment.dtype)) {
        const bool here = predicted.hardware == m_this->name;
        return elapsedSeconds(here ? predicted : simulate(buildPlan(experiment, m_this->transport), *m_this));
    }
    double flops = 0;
    for (const Step &step : predicted.plan.steps)
        flops += static_cast<double>(step.flops) * experiment.ranks();
    return flops / (kSafeFlopsPerCore * cores);
}

} // namespace shardscope

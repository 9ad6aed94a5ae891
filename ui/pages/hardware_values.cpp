// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/hardware_values.h"

#include "engine/record/hosts.h"
#include "ui/run_words.h"
#include "ui/translation.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace shardscope {

namespace {

/// The run of the layer whose machine is known best: of the phase shown, else of any.
RunPtr runShown(const PageInput &input)
{
    const RunsByPhase &measured = input.results.measured;
    if (const auto found = measured.find(input.experiment.phase); found != measured.end())
        return found->second;
    return measured.empty() ? nullptr : measured.begin()->second;
}

/// By GPU the ranks on it, of lines such as "rank 3: GPU 1, NVIDIA H200"; empty unless all of them are such lines.
std::vector<std::vector<int>> ranksOnGpus(const Machine &machine, std::size_t gpus)
{
    std::vector<std::vector<int>> onGpu(gpus);
    for (int rank = 0; rank < std::ssize(machine.devices); ++rank) {
        const int gpu = gpuOf(machine, rank);
        if (gpu < 0 || gpu >= static_cast<int>(gpus))
            return {};
        onGpu[static_cast<std::size_t>(gpu)].push_back(rank);
    }
    return machine.devices.empty() ? std::vector<std::vector<int>>() : onGpu;
}

QString whyNoTopology(const EngineMachine &engine)
{
    switch (engine.state) {
    case EngineMachine::State::NotStarted:
        return tr("No engine runs, so nothing is known of the machine yet.");
    case EngineMachine::State::Asked:
        return tr("The engine has been started; what its machine is made of follows in a moment.");
    case EngineMachine::State::Silent:
        return tr("The engine (version %1) has not said what its machine is made of: older ones never do.")
            .arg(engine.engineVersion);
    case EngineMachine::State::Told:
        break;
    }
    return {};
}

/// Of a title such as "4 cores, AMD EPYC 7763"; 0 of any other.
int usableOf(const std::string &title)
{
    Machine machine;
    machine.host = title;
    return title.find(" core") == std::string::npos ? 0 : coresOf(machine);
}

void takeRun(HardwareValues &values, const Run &run)
{
    values.ran = true;
    values.ranks = run.experiment().ranks();
    values.hosts = run.machine.hosts;
    values.runSource = sourcePhrase(run);
    if (values.topology)
        values.onGpu = ranksOnGpus(run.machine, values.topology->gpus.size());
}

void takeRecorded(HardwareValues &values, const Run &run)
{
    const bool recorded = run.source == Source::Recorded;
    values.origin = recorded ? HardwareValues::Origin::Recorded : HardwareValues::Origin::Measured;
    values.topology = run.topology;
    values.title = QString::fromStdString(run.machine.host);
    values.usableCores = usableOf(run.machine.host);
    values.machine = !run.machine.remote.empty() ? QString::fromStdString(run.machine.remote)
                     : recorded                  ? tr("The recorded machine")
                                                 : tr("This machine");
    values.source = recorded ? tr("recorded elsewhere, %1").arg(runDate(run))
                             : tr("as its engine told with the run, %1").arg(runDate(run));
    if (!run.topology)
        values.whyNot = recorded ? tr("The recording does not say what its machine was made of: older ones do not, nor "
                                      "those of ranks that "
                                      "were started one by one.")
                                 : tr("The engine did not say what its machine is made of: older ones do not.");
}

void takeEngine(HardwareValues &values, const EngineMachine &engine)
{
    values.origin = HardwareValues::Origin::Engine;
    values.topology = engine.topology;
    values.title = engine.title;
    values.usableCores = usableOf(engine.title.toStdString());
    values.machine = engine.name.isEmpty() ? tr("This machine") : engine.name;
    values.source = tr("as its system and NVML tell");
    if (!engine.topology)
        values.whyNot = whyNoTopology(engine);
}

} // namespace

HardwareValues hardwareValues(const PageInput &input, const EngineMachine &engine, LiveValues live)
{
    HardwareValues values;
    const RunPtr shown = runShown(input);
    const RunPtr run = shown && !shown->isPrediction() && !input.results.stale ? shown : nullptr;
    const bool recorded = run && run->source == Source::Recorded;
    const bool known = engine.state != EngineMachine::State::NotStarted;
    if (recorded || (run && !engine.topology))
        takeRecorded(values, *run);
    else if (known || live == LiveValues::Shown)
        takeEngine(values, engine);
    if (run)
        takeRun(values, *run);
    else if (values.origin != HardwareValues::Origin::None && input.runs.refusal(input.experiment).isEmpty())
        values.ranks = input.experiment.ranks();
    values.onScreen = live == LiveValues::Shown;
    values.live = values.onScreen && !recorded;
    if (values.live) {
        values.loads = engine.loads;
        values.computing = engine.computing;
    }
    values.predicted = input.runs.hardware();
    values.predictedRanks = input.experiment.ranks();
    return values;
}

const Hardware *HardwareValues::drawn() const
{
    if (predicted.name.empty())
        return nullptr;
    return predictsMeasured() ? findHardware("h100-8") : &predicted;
}

int coresIn(const Topology &topology)
{
    return std::accumulate(topology.nodes.begin(), topology.nodes.end(), 0,
                           [](int sum, const NumaNode &node) { return sum + node.cores; });
}

std::int64_t memoryIn(const Topology &topology)
{
    std::int64_t sum = topology.nodes.empty() ? -1 : 0;
    for (const NumaNode &node : topology.nodes)
        sum = sum < 0 || node.memoryBytes < 0 ? -1 : sum + node.memoryBytes;
    return sum;
}

} // namespace shardscope

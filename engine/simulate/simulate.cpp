// SPDX-License-Identifier: MIT
#include "engine/simulate/simulate.h"

#include "engine/plan/option_limits.h"
#include "engine/simulate/kernel_work.h"
#include "engine/simulate/network.h"
#include "engine/simulate/simulation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <utility>

namespace shardscope {
namespace {

/// Three significant digits, whatever the locale.
std::string shortNumber(double value)
{
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 3);
    return {buffer.data(), end.ptr};
}

Text ranksOnCores(int ranks, int cores)
{
    if (ranks == 1)
        return {TextId::OneRankOnCores, {std::to_string(cores)}};
    return {ranks > cores ? TextId::RanksShareCores : TextId::RanksOnCores,
            {std::to_string(ranks), std::to_string(cores)}};
}

std::vector<std::string> notesFor(const Plan &plan, const Hardware &hardware)
{
    const int ranks = plan.mesh().size();
    const DType dtype = plan.experiment.dtype;
    std::vector<std::string> notes;
    const std::string overheadUs = shortNumber(hardware.operationOverheadSeconds * 1e6);
    notes.push_back(hardware.sharedCores > 0
                        ? english({TextId::PredictedByMeasured, {overheadUs}})
                        : english({TextId::PredictedBy, {shortNumber(hardware.efficiency * 100), overheadUs}}));
    const bool overlaps = std::ranges::any_of(
        plan.steps, [](const Step &step) { return step.collective && step.collective->overlapped; });
    notes.push_back(english({overlaps ? TextId::PredictedOverlapped : TextId::PredictedApart, {}}));
    if (hardware.sharedCores > 0) {
        notes.push_back(english(ranksOnCores(ranks, hardware.sharedCores)));
    } else if (const int nodes = nodesOf(hardware, ranks); nodes > 1) {
        notes.push_back(english({TextId::PredictedNodes,
                                 {std::to_string(ranks), std::to_string(nodes), std::to_string(hardware.devices),
                                  shortNumber(networkGBs(hardware))}}));
    }
    if (const DType known = speedStandsFor(hardware, dtype); known != dtype) {
        notes.push_back(english(
            {TextId::PredictedOtherDType, {std::string(name(dtype)), hardware.name, std::string(name(known))}}));
    }
    if (std::ranges::any_of(plan.steps, [](const Step &step) { return step.kind == StepKind::Dequantize; }))
        notes.push_back(english({TextId::WeightsThroughProducts, {std::string(name(dtype))}}));
    return notes;
}

/// One line a rank, as of a run; of more than run anywhere one for all, because each has the same.
std::vector<std::string> devicesOf(int ranks, const Hardware &hardware)
{
    if (ranks > kMostRanksInRun)
        return {"ranks 0-" + std::to_string(ranks - 1) + ": " + hardware.name};
    std::vector<std::string> devices;
    for (int rank = 0; rank < ranks; ++rank)
        devices.push_back("rank " + std::to_string(rank) + ": " + hardware.name);
    return devices;
}

/// The nodes that the ranks fill in their order; none where one is enough.
std::vector<Host> hostsOf(int ranks, const Hardware &hardware)
{
    std::vector<Host> hosts;
    const int nodes = nodesOf(hardware, ranks);
    for (int node = 0; nodes > 1 && node < nodes; ++node) {
        Host &host = hosts.emplace_back();
        host.name = "node " + std::to_string(node);
        host.ranks.resize(static_cast<std::size_t>(std::min(hardware.devices, ranks - node * hardware.devices)));
        std::iota(host.ranks.begin(), host.ranks.end(), node * hardware.devices);
    }
    return hosts;
}

Machine machineOf(const Plan &plan, const Hardware &hardware)
{
    const int ranks = plan.mesh().size();
    Machine machine;
    machine.backend = hardware.transport == Transport::Nccl ? "nccl" : "gloo";
    machine.host = hardware.title;
    machine.devices = devicesOf(ranks, hardware);
    machine.hosts = hostsOf(ranks, hardware);
    machine.notes = notesFor(plan, hardware);
    return machine;
}

/// Of more ranks than run anywhere: that not each of them is walked.
void noteAlike(Run &run)
{
    const int ranks = run.experiment().ranks();
    const std::size_t walked = run.recordedRanks().size();
    if (ranks > kMostRanksInRun && walked < static_cast<std::size_t>(ranks))
        run.machine.notes.push_back(english({TextId::PredictedAlike, {std::to_string(walked), std::to_string(ranks)}}));
}

/// Kernels that the rank with the most of them starts in a step.
int startsOf(const Run &run)
{
    const std::vector<int> ranks = run.recordedRanks();
    std::vector<int> starts(ranks.size(), 0);
    for (const Step &step : run.plan.steps) {
        if (step.collective)
            continue;
        const auto kernels = static_cast<int>(kernelsOf(step, run.experiment().dtype).size());
        for (std::size_t i = 0; i < ranks.size(); ++i)
            starts[i] += run.plan.runs(step, ranks[i]) ? kernels : 0;
    }
    return *std::ranges::max_element(starts);
}

} // namespace

Run simulate(Plan plan, const Hardware &hardware)
{
    Run run;
    run.id = "predicted";
    run.source = Source::Predicted;
    run.hardware = hardware.name;
    run.machine = machineOf(plan, hardware);
    run.plan = std::move(plan);
    Simulation simulation(hardware, run);
    noteAlike(run);
    simulation.play();
    run.starts = startsOf(run);
    run.startNs = shareOf(hardware, run.experiment().ranks()).operationOverheadSeconds * 1e9;
    std::int64_t last = 0;
    for (int rank = 0; rank < run.experiment().ranks(); ++rank) {
        const std::int64_t end = simulation.endOf(rank);
        run.iterations.push_back({.rank = rank, .iteration = 0, .warmup = false, .startNs = 0, .endNs = end});
        last = std::max(last, end);
    }
    run.end = EndEvent{.id = run.id, .status = EndEvent::Status::Done, .exitCode = 0, .elapsedNs = last};
    return run;
}

} // namespace shardscope

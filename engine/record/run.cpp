// SPDX-License-Identifier: MIT
#include "engine/record/run.h"

#include "engine/plan/option_limits.h"
#include "engine/record/plausible.h"
#include "engine/record/timed_iterations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace shardscope {
namespace {

// Beyond these a record comes from a broken clock or a damaged file, and sums of it would overflow.
constexpr std::int64_t kLatestNs = 10'000'000'000'000'000; // 115 days
constexpr std::int64_t kMostBytes = 1'000'000'000'000'000; // 1 PB
constexpr int kMostHops = 1'000'000;

bool knowsRank(const Run &run, int rank)
{
    return rank >= 0 && rank < run.experiment().ranks();
}

bool knowsStep(const Run &run, int step)
{
    return step >= 0 && static_cast<std::size_t>(step) < run.plan.steps.size();
}

/// A clock that never ran gives 0..0; drawn, it would be a sliver at x = 0 that means nothing.
template <typename E>
bool timesPossible(const Run &run, const E &event)
{
    const bool neverRan = event.startNs == 0 && event.endNs == 0 && !run.isPrediction();
    return event.startNs >= 0 && event.endNs >= event.startNs && event.endNs <= kLatestNs && event.iteration >= 0 &&
           !neverRan;
}

bool bytesPossible(std::int64_t bytes)
{
    return bytes >= 0 && bytes <= kMostBytes;
}

bool isPossible(const Run &run, const SpanEvent &span)
{
    const bool sizesPossible = bytesPossible(span.payloadBytes) && bytesPossible(span.sentBytes);
    const bool instantCollective = !span.op.empty() && span.startNs == span.endNs;
    return knowsRank(run, span.rank) && knowsStep(run, span.step) && timesPossible(run, span) && sizesPossible &&
           span.launchNs >= 0 && span.launchNs <= kLatestNs && !instantCollective;
}

bool isPossible(const Run &run, const HopEvent &hop)
{
    return knowsRank(run, hop.rank) && knowsStep(run, hop.step) && timesPossible(run, hop) && hop.hop >= 0 &&
           hop.hop < kMostHops && bytesPossible(hop.sentBytes);
}

bool isPossible(const Run &run, const IterationEvent &iteration)
{
    return knowsRank(run, iteration.rank) && timesPossible(run, iteration);
}

bool isPossible(const Run &run, const BaselineEvent &baseline)
{
    const auto negative = [](std::int64_t value) { return value < 0; };
    return knowsStep(run, baseline.step) &&
           std::none_of(baseline.transferNs.begin(), baseline.transferNs.end(), negative) &&
           std::none_of(baseline.waitNs.begin(), baseline.waitNs.end(), negative);
}

bool isPossible(const Run &run, const CarriedEvent &carried)
{
    constexpr std::size_t kLongestWord = 32;
    return knowsStep(run, carried.step) && carried.algorithm.size() <= kLongestWord &&
           carried.protocol.size() <= kLongestWord;
}

template <typename E>
void keepIfPossible(Run &run, std::vector<E> &kept, const E &event)
{
    if (isPossible(run, event))
        kept.push_back(event);
    else
        ++run.rejected;
}

void take(Run &run, const SpanEvent &event)
{
    keepIfPossible(run, run.spans, event);
}
void take(Run &run, const HopEvent &event)
{
    keepIfPossible(run, run.hops, event);
}
void take(Run &run, const IterationEvent &event)
{
    keepIfPossible(run, run.iterations, event);
}
void take(Run &run, const BaselineEvent &event)
{
    keepIfPossible(run, run.baselines, event);
}
void take(Run &run, const CarriedEvent &event)
{
    keepIfPossible(run, run.carried, event);
}
void take(Run &run, const CheckEvent &event)
{
    run.checks.push_back(event);
    // An error below zero is none, -1 (NaN) included: what says that it passed with it is damaged.
    run.checks.back().passed = event.passed && event.relativeError >= 0;
}
void take(Run &run, const MemoryEvent &event)
{
    run.memory = event;
}
void take(Run &run, const TopologyEvent &event)
{
    run.topology = plausible(event.topology, run.rejected);
}
void take(Run &run, const MessageEvent &event)
{
    run.messages.push_back(event);
}
void take(Run &run, const EndEvent &event)
{
    run.end = event;
}

template <typename E>
std::vector<E> ofEveryRank(const Run &run, const std::vector<E> &recorded)
{
    if (run.standIns.empty())
        return recorded;
    std::map<int, std::vector<int>> ranks;
    for (int rank = 0; rank < run.experiment().ranks(); ++rank)
        ranks[run.standIn(rank)].push_back(rank);
    std::vector<E> all;
    for (const E &event : recorded) {
        for (const int rank : ranks[event.rank]) {
            all.push_back(event);
            all.back().rank = rank;
        }
    }
    return all;
}

/// Each rank is stood in for by one that stands in for itself; of a damaged line nothing is taken.
bool areStandIns(const std::vector<int> &standIns, int ranks)
{
    if (std::ssize(standIns) != ranks)
        return false;
    return std::ranges::all_of(standIns, [&](int rank) {
        return rank >= 0 && rank < ranks && standIns[static_cast<std::size_t>(rank)] == rank;
    });
}

template <typename E>
concept BelongsToRun = requires(Run &run, const E &event)
{
    take(run, event);
};

} // namespace

std::vector<int> Run::recordedRanks() const
{
    std::vector<int> ranks;
    for (int rank = 0; rank < experiment().ranks(); ++rank) {
        if (standIn(rank) == rank)
            ranks.push_back(rank);
    }
    return ranks;
}

std::vector<SpanEvent> Run::spansOfEveryRank() const
{
    return ofEveryRank(*this, spans);
}

std::vector<HopEvent> Run::hopsOfEveryRank() const
{
    return ofEveryRank(*this, hops);
}

std::vector<int> Run::shownRanks() const
{
    if (experiment().ranks() > kMostRanksInRun)
        return recordedRanks();
    std::vector<int> ranks(static_cast<std::size_t>(experiment().ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<SpanEvent> Run::shownSpans() const
{
    return experiment().ranks() > kMostRanksInRun ? spans : spansOfEveryRank();
}

std::vector<HopEvent> Run::shownHops() const
{
    return experiment().ranks() > kMostRanksInRun ? hops : hopsOfEveryRank();
}

int Run::alike(int rank) const
{
    return standIns.empty() ? 1 : static_cast<int>(std::ranges::count(standIns, standIn(rank)));
}

int Run::completeIterations() const
{
    return static_cast<int>(completeTimedIterations(*this).size());
}

void Run::append(const Event &event)
{
    std::visit(
        [this]<typename E>(const E &known) {
            // Progress, hello and measurements of the machine are of the stream, not of a run.
            if constexpr (BelongsToRun<E>)
                take(*this, known);
        },
        event);
}

Expected<Run> beginRun(const RunEvent &event, const HelloEvent *hello)
{
    // What the scheme does not use stands in the stream too, at its default.
    const Expected<Experiment> experiment = readExperiment(event.experiment, Unused::Allow);
    if (!experiment)
        return experiment.problem();
    Run run;
    run.id = event.id;
    run.source = event.source;
    run.startedAt = event.startedAt;
    run.hardware = event.hardware;
    run.starts = event.starts;
    run.startNs = event.startNs;
    if (areStandIns(event.standIns, experiment->ranks()))
        run.standIns = event.standIns;
    run.machine = event.machine == Machine{} && hello ? hello->machine : event.machine;
    run.engineVersion = hello ? hello->engineVersion : std::string{};
    run.plan = buildPlan(*experiment, run.machine.backend == "nccl" ? Transport::Nccl : Transport::Gloo);
    return run;
}

} // namespace shardscope

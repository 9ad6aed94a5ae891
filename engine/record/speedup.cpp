// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"

#include "engine/record/finding_rules.h"
#include "engine/record/format.h"
#include "engine/record/step_speed.h"

#include <algorithm>

namespace shardscope {
namespace {

struct Times {
    double elapsedNs = 0;
    double computeNs = 0; ///< of the slowest rank
    /// What the step takes beyond that. The longest time in collectives is another rank's, one that computes less and
    /// waits more: added to the slowest rank's compute it would exceed the step.
    double addedNs = 0;
    double waitNs = 0;
    double communicationNs = 0;
};

std::optional<Times> timesOf(const RunSummary &summary)
{
    const PassSummary &step = summary.step;
    if (!step.elapsedNs || !(*step.elapsedNs > 0))
        return std::nullopt;
    const double compute = step.computeNs.value_or(0);
    return Times{*step.elapsedNs, compute, std::max(0.0, *step.elapsedNs - compute), step.waitNs.value_or(0),
                 step.communicationNs.value_or(0)};
}

/// GB/s at which a rank sends: its own bytes over the transfer of all collectives.
double sentGBs(const RunSummary &summary)
{
    double nanoseconds = 0;
    for (const CollectiveSummary &collective : summary.collectives)
        nanoseconds += collective.transferNs.value_or(0);
    return nanoseconds > 0 ? static_cast<double>(summary.step.sentBytesPerRank) / nanoseconds : 0;
}

/// N ranks, a factor, both times, compute of both: what the sentences with a cause begin with.
std::vector<std::string> opening(int ranks, double factor, const Times &one, const Times &many)
{
    return {std::to_string(ranks),     formatRatio(factor),        formatTime(many.elapsedNs),
            formatTime(one.elapsedNs), formatTime(many.computeNs), formatTime(one.computeNs)};
}

Text unclearFinding(int ranks, const Distribution &one, const Distribution &many)
{
    return {TextId::SpeedupUnclear,
            {std::to_string(ranks), formatTime(many.median), formatTime(many.p10), formatTime(many.p90),
             formatTime(one.median), formatTime(one.p10), formatTime(one.p90)}};
}

Text disturbedFinding(int ranks, const Distribution &one, const Distribution &many, double most)
{
    return {TextId::SpeedupDisturbed,
            {std::to_string(ranks), formatTime(many.median), formatTime(one.median),
             formatRatio(one.median / many.median), formatNumber(most)}};
}

/// Compute that takes longer than 1/N of one rank's costs more than communication does.
bool computeIsTheCause(int ranks, const Times &one, const Times &many)
{
    return many.computeNs - one.computeNs / ranks > many.addedNs;
}

/// What starting the operations of the slower run takes beyond 1/N of what it takes one rank: none of it is divided.
double undividedStartsNs(const Run &one, const Run &many)
{
    const int ranks = many.experiment().ranks();
    return many.startNs * (many.starts - static_cast<double>(one.starts) / ranks);
}

Text computeCause(const Run &one, const Run &many, const Times &timesOne, const Times &timesMany,
                  std::vector<std::string> args)
{
    const int threadsOne = one.experiment().threads;
    const int threadsMany = many.experiment().threads;
    if (threadsOne > threadsMany && threadsMany > 0) {
        args.insert(args.end(),
                    {std::to_string(threadsOne), std::to_string(threadsMany), formatTime(timesMany.addedNs)});
        return {TextId::SpeedupThreads, std::move(args)};
    }
    constexpr double kMostOfIt = 0.5;
    const double share = timesOne.computeNs / many.experiment().ranks();
    args.push_back(formatTime(share));
    if (undividedStartsNs(one, many) > kMostOfIt * (timesMany.computeNs - share)) {
        args.insert(args.end(), {std::to_string(many.starts), formatTime(many.startNs), formatTime(timesMany.addedNs)});
        return {TextId::SpeedupLaunches, std::move(args)};
    }
    args.push_back(formatTime(timesMany.addedNs));
    // Only CPU ranks share cores, and only what runs has matrices that run slower: a prediction knows one speed.
    const TextId id = many.machine.backend == "gloo" ? TextId::SpeedupCompute
                      : many.isPrediction()          ? TextId::SpeedupUndivided
                                                     : TextId::SpeedupDevices;
    return {id, std::move(args)};
}

Text communicationCause(const RunSummary &many, const Times &times, std::optional<double> largeMessageGBs,
                        std::vector<std::string> args)
{
    args.push_back(formatTime(times.addedNs));
    if (times.waitNs > kWaitingShare * times.communicationNs) {
        args.push_back(formatPercent(times.waitNs / times.communicationNs));
        return {TextId::SpeedupWaiting, std::move(args)};
    }
    const auto achieved = achievedGBs(many);
    if (!achieved || !largeMessageGBs)
        return {TextId::SpeedupCommunication, std::move(args)};
    if (*achieved < kLatencyShare * *largeMessageGBs) {
        args.insert(args.end(),
                    {formatBinaryBytes(largestPayload(many)), formatRate(*achieved), formatRate(*largeMessageGBs)});
        return {TextId::SpeedupLatency, std::move(args)};
    }
    args.insert(args.end(), {formatBinaryBytes(many.step.sentBytesPerRank), formatRate(sentGBs(many))});
    return {TextId::SpeedupBandwidth, std::move(args)};
}

bool sameWork(const Experiment &a, const Experiment &b)
{
    return a.globalTokens() == b.globalTokens() && a.layers == b.layers;
}

} // namespace

std::optional<Text> speedupFinding(const Run &one, const Run &many, std::optional<double> largeMessageGBs)
{
    const int ranks = many.experiment().ranks();
    const RunSummary summaryOne = summarize(one);
    const RunSummary summaryMany = summarize(many);
    const auto timesOne = timesOf(summaryOne);
    const auto timesMany = timesOf(summaryMany);
    const bool comparable = one.experiment().ranks() == 1 && ranks > 1 && sameWork(one.experiment(), many.experiment());
    if (!comparable || !timesOne || !timesMany)
        return std::nullopt;
    const double most = mostPlausibleSpeedup(one, many);
    const Pace pace = paceOf(*summaryOne.stepElapsed, *summaryMany.stepElapsed, most);
    if (pace == Pace::Unclear)
        return unclearFinding(ranks, *summaryOne.stepElapsed, *summaryMany.stepElapsed);
    if (pace == Pace::Disturbed)
        return disturbedFinding(ranks, *summaryOne.stepElapsed, *summaryMany.stepElapsed, most);
    const bool stages = many.experiment().extent(MeshAxis::Pp) > 1;
    const double asFast = timesOne->elapsedNs / timesMany->elapsedNs;
    std::vector<std::string> args =
        opening(ranks, stages || pace == Pace::Faster ? asFast : 1 / asFast, *timesOne, *timesMany);
    if (stages || pace == Pace::Faster) {
        args.push_back(formatTime(timesMany->addedNs));
        return Text{stages ? TextId::SpeedupStages : TextId::SpeedupFaster, std::move(args)};
    }
    if (computeIsTheCause(ranks, *timesOne, *timesMany))
        return computeCause(one, many, *timesOne, *timesMany, std::move(args));
    return communicationCause(summaryMany, *timesMany, largeMessageGBs, std::move(args));
}

} // namespace shardscope

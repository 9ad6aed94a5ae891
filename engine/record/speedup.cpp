// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"

#include "engine/record/finding_rules.h"
#include "engine/record/format.h"

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

/// N ranks, how many times as fast, both times, compute of both: what every sentence begins with.
std::vector<std::string> opening(int ranks, const Times &one, const Times &many)
{
    return {std::to_string(ranks),      formatRatio(one.elapsedNs / many.elapsedNs),
            formatTime(many.elapsedNs), formatTime(one.elapsedNs),
            formatTime(many.computeNs), formatTime(one.computeNs)};
}

/// Compute that takes longer than 1/N of one rank's costs more than communication does.
bool computeIsTheCause(int ranks, const Times &one, const Times &many)
{
    return many.computeNs - one.computeNs / ranks > many.addedNs;
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
    args.push_back(formatTime(timesOne.computeNs / many.experiment().ranks()));
    args.push_back(formatTime(timesMany.addedNs));
    return {TextId::SpeedupCompute, std::move(args)};
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
    const RunSummary summaryMany = summarize(many);
    const auto timesOne = timesOf(summarize(one));
    const auto timesMany = timesOf(summaryMany);
    const bool comparable = one.experiment().ranks() == 1 && ranks > 1 && sameWork(one.experiment(), many.experiment());
    if (!comparable || !timesOne || !timesMany)
        return std::nullopt;
    std::vector<std::string> args = opening(ranks, *timesOne, *timesMany);
    if (many.experiment().extent(MeshAxis::Pp) > 1) {
        args.push_back(formatTime(timesMany->addedNs));
        return Text{TextId::SpeedupStages, std::move(args)};
    }
    if (timesOne->elapsedNs >= kFaster * timesMany->elapsedNs) {
        args.push_back(formatTime(timesMany->addedNs));
        return Text{TextId::SpeedupFaster, std::move(args)};
    }
    if (computeIsTheCause(ranks, *timesOne, *timesMany))
        return computeCause(one, many, *timesOne, *timesMany, std::move(args));
    return communicationCause(summaryMany, *timesMany, largeMessageGBs, std::move(args));
}

} // namespace shardscope

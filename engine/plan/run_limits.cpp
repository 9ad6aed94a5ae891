// SPDX-License-Identifier: MIT
#include "engine/plan/run_limits.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"

namespace shardscope {
namespace {

/// "--ranks 128" or "--mesh tp=8,dp=16", whichever says it all.
std::string typedRanks(const Experiment &e)
{
    const bool ownAxisOnly = e.mesh == meshAlong(ownAxis(e.scheme), e.ranks());
    const std::string option = ownAxisOnly ? "ranks" : "mesh";
    return "--" + option + ' ' + findOption(option)->get(e);
}

} // namespace

std::optional<Text> runLimitProblem(const Experiment &e)
{
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    if (e.ranks() > kMostRanksInRun)
        return Text{TextId::RunRanks, {typedRanks(e), text(e.ranks()), text(kMostRanksInRun), text(kMostRanks)}};
    if (!e.repeatedLayer())
        return std::nullopt;
    if (e.layers > kMostLayersInRun)
        return Text{TextId::RunLayers, {text(e.layers), text(kMostLayersInRun), text(kMostLayers)}};
    if (e.microBatches > kMostMicroBatchesInRun)
        return Text{TextId::RunMicroBatches,
                    {text(e.microBatches), text(kMostMicroBatchesInRun), text(kMostMicroBatches)}};
    const std::int64_t passes = e.layers * e.microBatches;
    if (passes > kMostLayerPassesInRun)
        return Text{
            TextId::RunPasses,
            {text(e.layers), text(e.microBatches), text(passes), text(kMostLayerPassesInRun), text(kMostLayerPasses)}};
    return std::nullopt;
}

} // namespace shardscope

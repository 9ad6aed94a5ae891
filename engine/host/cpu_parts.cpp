// SPDX-License-Identifier: MIT
#include "engine/host/host_parts.h"

#include "engine/runtime/rank.h"

namespace shardscope {

const char *hostName()
{
    return "shardscope-rank-host";
}

std::vector<GpuFacts> hostGpus()
{
    return {};
}

std::map<std::string, std::string> hostLibraries()
{
    return {};
}

RankMain hostRankMain(const std::vector<GpuFacts> &)
{
    return [](const RankContext &context) { return rankMain(context, makeCpuDevice); };
}

} // namespace shardscope

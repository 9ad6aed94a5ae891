// SPDX-License-Identifier: MIT
#include "engine/host/host_parts.h"

#include "engine/cuda/cuda_device.h"
#include "engine/runtime/rank.h"

namespace shardscope {

const char *hostName()
{
    return "shardscope-rank-host-cuda";
}

std::vector<GpuFacts> hostGpus()
{
    return probeGpus().gpus;
}

std::map<std::string, std::string> hostLibraries()
{
    int runtime = 0;
    requireCuda(cudaApi(), cudaApi().runtimeGetVersion(&runtime), "cudaRuntimeGetVersion"); // starts nothing
    return {{"nccl", ncclVersionText(ncclVersion(ncclApi()))}, {"cuda", cudaVersionText(runtime)}};
}

RankMain hostRankMain(const std::vector<GpuFacts> &gpus)
{
    return [gpus](const RankContext &context) {
        const int count = static_cast<int>(gpus.size());
        const auto make = [&](Backend backend, MeetingPlace &place) -> std::unique_ptr<ComputeDevice> {
            if (backend != Backend::Cuda)
                return makeCpuDevice(backend, place);
            CudaDevice::Choice choice;
            choice.rank = context.rank;
            choice.ordinal = context.localRank % count;
            choice.name = gpus[std::size_t(choice.ordinal)].name;
            choice.shared = context.localWorldSize > count;
            return std::make_unique<CudaDevice>(choice, place);
        };
        return rankMain(context, make);
    };
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/cuda/nccl_api.h"

namespace shardscope {

const NcclApi &ncclApi()
{
    static const NcclApi api = [] {
        NcclApi real;
        real.getVersion = ncclGetVersion;
        real.getUniqueId = ncclGetUniqueId;
        real.commInitRankConfig = ncclCommInitRankConfig;
        real.commGetAsyncError = ncclCommGetAsyncError;
        real.commFinalize = ncclCommFinalize;
        real.commDestroy = ncclCommDestroy;
        real.getErrorString = ncclGetErrorString;
        real.getLastError = ncclGetLastError;
        real.allReduce = ncclAllReduce;
        real.reduce = ncclReduce;
        real.broadcast = ncclBroadcast;
        real.allGather = ncclAllGather;
        real.reduceScatter = ncclReduceScatter;
        real.send = ncclSend;
        real.receive = ncclRecv;
        real.groupStart = ncclGroupStart;
        real.groupEnd = ncclGroupEnd;
        return real;
    }();
    return api;
}

} // namespace shardscope

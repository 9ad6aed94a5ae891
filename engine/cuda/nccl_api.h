// SPDX-License-Identifier: MIT
#pragma once

#include <nccl.h>

#include <cstddef>

namespace shardscope {

/// The functions of NCCL that we call, as a table: tests put fakes in their place.
struct NcclApi {
    ncclResult_t (*getVersion)(int *version) = nullptr;
    ncclResult_t (*getUniqueId)(ncclUniqueId *id) = nullptr;
    ncclResult_t (*commInitRankConfig)(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank,
                                       ncclConfig_t *config) = nullptr;
    ncclResult_t (*commGetAsyncError)(ncclComm_t comm, ncclResult_t *error) = nullptr;
    ncclResult_t (*commFinalize)(ncclComm_t comm) = nullptr;
    ncclResult_t (*commDestroy)(ncclComm_t comm) = nullptr;
    const char *(*getErrorString)(ncclResult_t result) = nullptr;
    const char *(*getLastError)(ncclComm_t comm) = nullptr;
    ncclResult_t (*allReduce)(const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                              ncclComm_t comm, cudaStream_t stream) = nullptr;
    ncclResult_t (*reduce)(const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                           ncclComm_t comm, cudaStream_t stream) = nullptr;
    ncclResult_t (*broadcast)(const void *from, void *to, std::size_t count, ncclDataType_t type, int root,
                              ncclComm_t comm, cudaStream_t stream) = nullptr;
    ncclResult_t (*allGather)(const void *from, void *to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                              cudaStream_t stream) = nullptr;
    ncclResult_t (*reduceScatter)(const void *from, void *to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                  ncclComm_t comm, cudaStream_t stream) = nullptr;
    ncclResult_t (*send)(const void *from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                         cudaStream_t stream) = nullptr;
    ncclResult_t (*receive)(void *to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                            cudaStream_t stream) = nullptr;
    ncclResult_t (*groupStart)() = nullptr;
    ncclResult_t (*groupEnd)() = nullptr;
};

/// The NCCL that this program is linked to.
[[nodiscard]] const NcclApi &ncclApi();

} // namespace shardscope

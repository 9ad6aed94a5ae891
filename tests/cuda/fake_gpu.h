// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/cuda_api.h"
#include "engine/cuda/nccl_api.h"

#include <cstdint>
#include <string>

namespace shardscope::fake {

// GPUs of a test: streams with a clock of their own, events, and an NCCL whose ranks are threads. Memory is the CPU's,
// and data are really exchanged. Time is made up: an operation takes exactly what the test says, so times can be
// checked to the nanosecond. All state is global, because the functions of the tables have no place for it; reset()
// begins anew.

/// Forgets everything.
void reset();

/// The host's clock, nanoseconds. It advances with every look at it and every query of an event.
[[nodiscard]] std::int64_t hostNs();

/// A stream of a GPU whose clock is `skewNs` ahead of the host's.
[[nodiscard]] cudaStream_t makeStream(std::int64_t skewNs = 0);
/// Orders work of that length.
void work(cudaStream_t stream, std::int64_t ns);
/// What is ordered from now on never begins.
void hang(cudaStream_t stream);
/// When, on the stream's own clock, all that was ordered has ended; -1 while that is not known.
[[nodiscard]] std::int64_t endOf(cudaStream_t stream);

/// What the next communicators and operations do.
struct NcclBehaviour {
    int version = NCCL_VERSION_CODE;
    std::int64_t transferNs = 1000;        ///< of every collective, from the last rank's arrival on
    int joinInProgress = 0;                ///< so often the state of a joining communicator is "in progress"
    int orderInProgress = 0;               ///< and so often that of an order; it stands on its stream only then
    bool joinNever = false;                ///< a peer does not come
    ncclResult_t refusal = ncclSuccess;    ///< what every order answers
    ncclResult_t asyncError = ncclSuccess; ///< what communicators say when asked, once an order has been given
    bool leaveNever = false;               ///< finalizing goes on for ever
    std::string lastError;
};
void behave(const NcclBehaviour &behaviour);

/// Communicators that have been taken down.
[[nodiscard]] int destroyedCommunicators();

[[nodiscard]] const CudaApi &cuda();
[[nodiscard]] const NcclApi &nccl();

} // namespace shardscope::fake

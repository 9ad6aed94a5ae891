// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace shardscope {

/// The functions of the CUDA runtime that we call ourselves, as a table: tests put fakes in their place, and LibTorch
/// keeps the real ones.
struct CudaApi {
    cudaError_t (*setDevice)(int device) = nullptr;
    cudaError_t (*eventCreateWithFlags)(cudaEvent_t *event, unsigned flags) = nullptr;
    cudaError_t (*eventDestroy)(cudaEvent_t event) = nullptr;
    cudaError_t (*eventRecord)(cudaEvent_t event, cudaStream_t stream) = nullptr;
    cudaError_t (*eventQuery)(cudaEvent_t event) = nullptr;
    cudaError_t (*eventElapsedTime)(float *milliseconds, cudaEvent_t start, cudaEvent_t end) = nullptr;
    cudaError_t (*streamWaitEvent)(cudaStream_t stream, cudaEvent_t event, unsigned flags) = nullptr;
    cudaError_t (*launchHostFunc)(cudaStream_t stream, cudaHostFn_t function, void *argument) = nullptr;
    cudaError_t (*runtimeGetVersion)(int *version) = nullptr;
    const char *(*getErrorString)(cudaError_t error) = nullptr;
};

/// The runtime that this program is linked to.
[[nodiscard]] const CudaApi &cudaApi();

/// What a CUDA call answered, in its own words.
struct CudaError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws CudaError ("cudaEventRecord: out of memory") unless `result` is success.
void requireCuda(const CudaApi &api, cudaError_t result, const char *call);

/// An event, destroyed with its owner.
class CudaEvent
{
public:
    enum class Timing { Off, On };

    CudaEvent(const CudaApi &api, Timing timing);
    CudaEvent(CudaEvent &&other) noexcept;
    CudaEvent &operator=(CudaEvent &&other) noexcept;
    ~CudaEvent();

    [[nodiscard]] cudaEvent_t get() const { return m_event; }
    void record(cudaStream_t stream);
    /// Whether the stream has passed it; true when it was never recorded. Throws what the device reports.
    [[nodiscard]] bool passed() const;
    /// `stream` goes on when this has been passed.
    void holdBack(cudaStream_t stream) const;

private:
    const CudaApi *m_api;
    cudaEvent_t m_event = nullptr;
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/completion.h"
#include "engine/cuda/cuda_stopwatch.h"
#include "engine/cuda/cuda_streams.h"
#include "engine/cuda/nccl_choices.h"
#include "engine/cuda/nccl_communicator.h"
#include "engine/runtime/compute_device.h"

#include <list>
#include <memory>
#include <vector>

namespace shardscope {

/// A rank's GPU. Opening it starts CUDA in this process, so only ranks make one, never what they are forked from.
class CudaDevice final : public ComputeDevice
{
public:
    struct Choice {
        int ordinal = 0;     ///< among the GPUs that CUDA sees here
        std::string name;    ///< "NVIDIA H200"
        bool shared = false; ///< other ranks are on it too
        int rank = 0;
    };

    /// Its groups meet at `place`. Throws CudaError, or what LibTorch says.
    CudaDevice(const Choice &choice, MeetingPlace &place);
    ~CudaDevice() override;

    [[nodiscard]] std::string title(int threads) const override;
    [[nodiscard]] c10::Device torch() const override;
    [[nodiscard]] Transport transport() const override { return Transport::Nccl; }
    [[nodiscard]] Stopwatch &stopwatch() override { return *m_stopwatch; }
    [[nodiscard]] std::unique_ptr<Communicator> join(const GroupJoin &group) override;
    [[nodiscard]] std::unique_ptr<TransferLane> collectiveLane() override;
    [[nodiscard]] std::unique_ptr<TransferLane> sendLane() override;
    [[nodiscard]] NotedTime noteTime() override;
    void holdUntil(const NotedTime &began, std::chrono::nanoseconds duration) override;
    void joinStreams() override;
    void settle() override;
    [[nodiscard]] const std::vector<DType> &workingDtypes() override;
    [[nodiscard]] std::optional<std::string> missingKernel(DType dtype) override;
    [[nodiscard]] std::vector<Text> remarks(const Experiment &experiment) override;
    [[nodiscard]] std::vector<Text> closingRemarks(std::int64_t orderedNs, std::int64_t stepNs) override;
    [[nodiscard]] std::vector<LibraryChoice> libraryChoices() override;
    void releaseUnusedMemory() override;

private:
    void requireHealthy();
    void order(std::function<void()> onTheWay);

    NcclChoices m_ncclChoices; ///< before anything that starts NCCL
    Choice m_choice;
    MeetingPlace &m_place;
    std::unique_ptr<CudaStreams> m_streams;
    std::unique_ptr<CudaStopwatch> m_stopwatch;
    std::unique_ptr<CudaStream> m_collectives;
    std::list<NcclCommunicator *> m_groups; ///< that are open
    std::chrono::milliseconds m_limit{30000};
    std::optional<std::vector<DType>> m_working;
    std::int64_t m_noiseFloorNs = 0;

    friend class WatchedCommunicator;
};

/// What NCCL reads from the environment, once per process, when several ranks are on one GPU: it takes two ranks for
/// one where host and bus agree, so each rank calls itself a host, and they talk over the loopback interface (NCCL
/// 2.28, src/misc/utils.cc). What the user has set stays.
void letRanksShareGpu(int rank);

} // namespace shardscope

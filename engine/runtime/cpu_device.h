// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/compute_device.h"
#include "engine/runtime/gloo_communicator.h"

namespace shardscope {

/// A rank's share of the CPU cores: LibTorch's CPU kernels, Gloo, the host's clock.
class CpuDevice final : public ComputeDevice
{
public:
    /// Its groups meet at `place`.
    explicit CpuDevice(MeetingPlace &place) : m_place(place) {}

    [[nodiscard]] std::string title(int threads) const override;
    [[nodiscard]] c10::Device torch() const override;
    [[nodiscard]] Transport transport() const override { return Transport::Gloo; }
    [[nodiscard]] Stopwatch &stopwatch() override { return m_stopwatch; }
    [[nodiscard]] std::unique_ptr<Communicator> join(const GroupJoin &group) override;
    [[nodiscard]] std::unique_ptr<TransferLane> collectiveLane() override;
    [[nodiscard]] std::unique_ptr<TransferLane> sendLane() override;
    [[nodiscard]] NotedTime noteTime() override;
    void holdUntil(const NotedTime &began, std::chrono::nanoseconds duration) override;
    [[nodiscard]] const std::vector<DType> &workingDtypes() override;
    [[nodiscard]] std::optional<std::string> missingKernel(DType dtype) override;
    [[nodiscard]] std::vector<Text> remarks(const Experiment &experiment) override;
    void releaseUnusedMemory() override;

private:
    MeetingPlace &m_place;
    Stopwatch m_stopwatch;
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/plan.h"
#include "engine/plan/text.h"
#include "engine/runtime/communicator.h"
#include "engine/runtime/transfer_lane.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace c10 {
struct Device;
}

namespace shardscope {

/// Who meets: a group of ranks, numbered by their place in it.
struct GroupJoin {
    std::string name;                         ///< of this group, the same on all its ranks, used once
    std::vector<int> worldRanks;              ///< of its members, in their order in the group
    int rank = 0;                             ///< this one's place in the group
    std::chrono::milliseconds timeout{10000}; ///< bounds each operation
};

/// How a library has carried out the collectives of that kind and size.
struct LibraryChoice {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int64_t bytes = 0; ///< that each rank calls it with: of an all-gather and a reduce-scatter one rank's part
    std::string algorithm;
    std::string protocol;
};

/// A point of time that a device notes when it gets there: nanoseconds of the raw clock, 0 until then.
using NotedTime = std::shared_ptr<std::atomic<std::int64_t>>;

/// What a rank computes on: where its tensors live, what carries its collectives, what they are timed by. A CPU has
/// done its work when a call returns; a GPU takes orders and works through them on streams of its own.
class ComputeDevice
{
public:
    ComputeDevice() = default;
    virtual ~ComputeDevice() = default;
    ComputeDevice(const ComputeDevice &) = delete;
    ComputeDevice &operator=(const ComputeDevice &) = delete;

    /// "2 CPU threads", "GPU 1, NVIDIA H200"; `threads` is what a CPU's share is.
    [[nodiscard]] virtual std::string title(int threads) const = 0;
    /// Where its tensors live.
    [[nodiscard]] virtual c10::Device torch() const = 0;
    /// What carries its collectives: decides what sums travel as.
    [[nodiscard]] virtual Transport transport() const = 0;
    [[nodiscard]] virtual Stopwatch &stopwatch() = 0;
    /// Opens a group; all its ranks do so at the same time. Throws when one does not come in time.
    [[nodiscard]] virtual std::unique_ptr<Communicator> join(const GroupJoin &group) = 0;
    /// For collectives, which may run beside the computation; and for sends, which are only waited for at the end.
    [[nodiscard]] virtual std::unique_ptr<TransferLane> collectiveLane() = 0;
    [[nodiscard]] virtual std::unique_ptr<TransferLane> sendLane() = 0;

    /// Orders the device to note the time when it has done all that was ordered so far.
    [[nodiscard]] virtual NotedTime noteTime() = 0;
    /// Orders it to do nothing until `duration` after that.
    virtual void holdUntil(const NotedTime &began, std::chrono::nanoseconds duration) = 0;
    /// Orders that follow begin when everything on all streams before them has ended.
    virtual void joinStreams() {}
    /// Returns when everything that was ordered has been done. Throws when that takes longer than the time limit of its
    /// groups, or when one of them has failed.
    virtual void settle() {}

    /// The dtypes in which it computes; tried once.
    [[nodiscard]] virtual const std::vector<DType> &workingDtypes() = 0;
    /// What LibTorch says of the first kernel that is missing in that dtype.
    [[nodiscard]] virtual std::optional<std::string> missingKernel(DType dtype) = 0;
    /// What the times of an experiment on it do not show by themselves; each is said once.
    [[nodiscard]] virtual std::vector<Text> remarks(const Experiment &experiment) = 0;
    /// What is known after the timed steps: `orderedNs` is what a timer of the host saw of a step, `stepNs` what it
    /// took. Nothing of a CPU, whose calls do the work.
    [[nodiscard]] virtual std::vector<Text> closingRemarks(std::int64_t /*orderedNs*/, std::int64_t /*stepNs*/)
    {
        return {};
    }
    /// What the library has told so far; of Gloo nothing, whose algorithms do not vary.
    [[nodiscard]] virtual std::vector<LibraryChoice> libraryChoices() { return {}; }
    virtual void releaseUnusedMemory() = 0;
};

} // namespace shardscope

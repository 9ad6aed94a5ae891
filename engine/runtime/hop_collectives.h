// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/hop_schedule.h"
#include "engine/runtime/communicator.h"
#include "engine/runtime/torch_types.h"

#include <vector>

namespace shardscope {

/// Runs a hop schedule on a flat tensor over send and receive: the same data that are drawn and counted. Buffers for
/// what arrives are made by the constructor, so that run() is transfer and sums alone.
class HopCollective
{
public:
    /// `flat` is contiguous, one-dimensional, of the wire dtype; chunk c of n elements is [c·n/N, (c+1)·n/N).
    /// Addends are combined by `op`.
    HopCollective(const HopSchedule &schedule, at::Tensor &flat, Communicator &communicator, ReduceOp op);

    /// One record per hop in which this rank sends or receives. What a chunk holds afterwards is the schedule's
    /// promise.
    std::vector<HopRecord> run();
    [[nodiscard]] std::int64_t scratchBytes() const { return bytesOf(m_scratch); }

private:
    struct Arrival {
        const Transfer *transfer = nullptr;
        at::Tensor target; ///< the chunk's place in the array
        at::Tensor buffer; ///< where it is received: the target itself when nothing reads that in the same hop
    };

    [[nodiscard]] at::Tensor chunksOf(const Transfer &transfer) const;
    [[nodiscard]] std::vector<Arrival> arrivalsOf(const Hop &hop);
    [[nodiscard]] std::int64_t scratchElements() const;
    [[nodiscard]] bool takesPart(const Hop &hop) const;
    HopRecord runHop(int index);
    void merge(std::vector<Arrival> &arrivals);
    void combine(at::Tensor &into, const at::Tensor &addend) const;

    const HopSchedule &m_schedule;
    at::Tensor &m_flat;
    Communicator &m_communicator;
    ReduceOp m_op;
    at::Tensor m_scratch;
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/cuda_streams.h"
#include "engine/cuda/nccl_group.h"
#include "engine/runtime/communicator.h"
#include "engine/runtime/compute_device.h"
#include "engine/runtime/gloo_communicator.h"

#include <map>
#include <memory>
#include <utility>

namespace shardscope {

/// GPU ranks: NCCL carries the data, on the stream that is current; Gloo the agreements, which are never timed.
///
/// Messages of a pipeline have a communicator and a stream for each direction between two ranks: NCCL works through one
/// communicator's operations in their order, and a send that waits for its receiver would hold up a receive that the
/// same peer is waiting in.
class NcclCommunicator : public Communicator
{
public:
    /// Joins the others at `place`. `streams` outlives it.
    NcclCommunicator(const NcclApi &api, MeetingPlace &place, const GroupJoin &group, CudaStreams &streams,
                     Stopwatch &stopwatch);
    ~NcclCommunicator() override;

    void barrier() override;
    [[nodiscard]] std::vector<std::int64_t> gather(const std::vector<std::int64_t> &values) override;
    void exchange(const std::vector<Parcel> &sent, const std::vector<Parcel> &received, int tag) override;
    void openRoute(int from, int to) override;
    [[nodiscard]] std::unique_ptr<Message> send(const at::Tensor &tensor, int to, int tag) override;
    [[nodiscard]] std::unique_ptr<Message> receive(at::Tensor &tensor, int from, int tag) override;

    /// Throws what NCCL has noticed in this group or on one of its routes.
    void requireHealthy();
    [[nodiscard]] std::chrono::milliseconds timeout() const { return m_group.timeout; }

protected:
    void reduceToAll(at::Tensor &tensor, ReduceOp op) override;
    void reduceToFirst(at::Tensor &tensor, ReduceOp op) override;
    void broadcastFromFirst(at::Tensor &tensor) override;
    void gatherRows(const at::Tensor &shard, at::Tensor &rows) override;
    void reduceRows(const at::Tensor &rows, at::Tensor &scratch, at::Tensor &own) override;
    /// NCCL has a reduce-scatter.
    [[nodiscard]] at::Tensor scratchOf(const at::Tensor &rows) const override;
    /// NCCL sums every dtype as it is.
    [[nodiscard]] DType sumWireDtype(DType dtype) const override { return dtype; }

private:
    struct Route {
        std::unique_ptr<NcclGroup> group;
        std::unique_ptr<CudaStream> stream;
    };

    [[nodiscard]] std::unique_ptr<NcclGroup> meet(const std::string &name, int place, int size);
    [[nodiscard]] Route &route(int from, int to);

    const NcclApi &m_api;
    MeetingPlace &m_place;
    GroupJoin m_group;
    CudaStreams &m_streams;
    std::unique_ptr<GlooCommunicator> m_agreements;
    std::unique_ptr<NcclGroup> m_nccl;
    std::map<std::pair<int, int>, Route> m_routes; ///< by sender and receiver
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/communicator.h"
#include "engine/runtime/meeting_place.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

/// CPU ranks: c10d's ProcessGroupGloo over the network interface of their meeting place. One rank alone opens no
/// connection.
class GlooCommunicator final : public Communicator
{
public:
    /// Joins the others; `name` separates groups that meet at the same place. `timeout` bounds each operation: Gloo
    /// fixes it when a group is made, so another limit needs another group.
    GlooCommunicator(MeetingPlace &place, const std::string &name, int rank, int size,
                     std::chrono::milliseconds timeout, Stopwatch &stopwatch);
    ~GlooCommunicator() override;

    void barrier() override;
    [[nodiscard]] std::vector<std::int64_t> gather(const std::vector<std::int64_t> &values) override;
    [[nodiscard]] std::unique_ptr<Message> send(const at::Tensor &tensor, int to, int tag) override;
    [[nodiscard]] std::unique_ptr<Message> receive(at::Tensor &tensor, int from, int tag) override;

protected:
    void reduceToAll(at::Tensor &tensor, ReduceOp op) override;
    void reduceToFirst(at::Tensor &tensor, ReduceOp op) override;
    void broadcastFromFirst(at::Tensor &tensor) override;
    void gatherRows(const at::Tensor &shard, at::Tensor &rows) override;
    /// Gloo has no reduce-scatter: an exchange and a local sum in rank order put the same bytes on the wire.
    void reduceRows(const at::Tensor &rows, at::Tensor &scratch, at::Tensor &own) override;
    [[nodiscard]] at::Tensor scratchOf(const at::Tensor &rows) const override;
    /// bf16 sums travel as f32 on every version, though late ones can add bf16: the result then does not depend on the
    /// library, and the error does not grow with the number of ranks.
    [[nodiscard]] DType sumWireDtype(DType dtype) const override;

private:
    struct Group;
    std::unique_ptr<Group> m_group;
};

} // namespace shardscope

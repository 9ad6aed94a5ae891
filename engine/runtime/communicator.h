// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/step.h"
#include "engine/runtime/stopwatch.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace at {
class Tensor;
}

namespace shardscope {

/// One hop of one of our own algorithms, as this rank took part in it.
struct HopRecord {
    int hop = 0;
    Moment start;
    Moment end;
    std::int64_t sentBytes = 0;
};

/// What a communicator counted and timed of one collective; it knows nothing of the plan. The times enclose the
/// transfer and the sums that belong to it, but not the copies that bring a tensor into the form that travels (a
/// gather along the last dimension needs a permutation, bf16 sums a conversion): those would look like slow links.
struct CollectiveRecord {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int64_t payloadBytes = 0; ///< total logical array, in the tensor's dtype
    std::int64_t sentBytes = 0;    ///< put on the wire by this rank
    DType wireDtype = DType::F32;
    Moment start;
    Moment end;
    std::int64_t scratchBytes = 0; ///< extra memory held meanwhile
    std::vector<HopRecord> hops;   ///< empty when the library chose the algorithm
};

/// A part of an exchange: a contiguous tensor, and the rank that it comes from or goes to.
struct Parcel {
    at::Tensor *tensor = nullptr;
    int peer = 0;
};

/// A message under way.
class Message
{
public:
    virtual ~Message() = default;
    /// The computation goes on when it has been sent or received; throws at the time limit or when the peer is gone.
    virtual void wait() = 0;
};

/// The ranks that talk to each other. Every rank calls the same functions in the same order. All functions throw
/// c10::Error or std::runtime_error when a peer is lost or does not answer in time; the group is unusable then.
class Communicator
{
public:
    Communicator(int rank, int size, Stopwatch &stopwatch) : m_rank(rank), m_size(size), m_stopwatch(stopwatch) {}
    virtual ~Communicator() = default;
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;

    [[nodiscard]] int rank() const { return m_rank; }
    [[nodiscard]] int size() const { return m_size; }
    [[nodiscard]] Stopwatch &stopwatch() const { return m_stopwatch; }

    /// The sum (or maximum) of `tensor` (contiguous, the same shape on every rank) in place.
    CollectiveRecord allReduce(at::Tensor &tensor, Algorithm algorithm, ReduceOp op = ReduceOp::Sum);
    /// The same on rank 0 alone; what `tensor` holds on the others counts for nothing afterwards.
    CollectiveRecord reduce(at::Tensor &tensor, Algorithm algorithm, ReduceOp op = ReduceOp::Sum);
    /// Overwrites `tensor` with rank 0's.
    CollectiveRecord broadcast(at::Tensor &tensor, Algorithm algorithm);
    /// Joins the ranks' equal `shard`s along `dim` into `whole`, which is made here.
    CollectiveRecord allGather(const at::Tensor &shard, at::Tensor &whole, int dim, Algorithm algorithm);
    /// Sums `addend` over the ranks and leaves this rank's slice along `dim` in `shard`, which is made here. The slices
    /// are equal.
    CollectiveRecord reduceScatter(const at::Tensor &addend, at::Tensor &shard, int dim, Algorithm algorithm);

    /// Returns when every rank has called it.
    virtual void barrier() = 0;
    /// Every rank's numbers, rank after rank; for agreements, never timed.
    [[nodiscard]] virtual std::vector<std::int64_t> gather(const std::vector<std::int64_t> &values) = 0;
    /// Sends and receives all of it at the same time; both sides name the same `tag`.
    virtual void exchange(const std::vector<Parcel> &sent, const std::vector<Parcel> &received, int tag);
    /// Opens what send() and receive() between these two ranks need; every rank of the group calls it, for the same
    /// pairs in the same order. The default needs nothing.
    virtual void openRoute(int /*from*/, int /*to*/) {}
    /// Starts sending or receiving a contiguous tensor, which must live until wait() returns.
    [[nodiscard]] virtual std::unique_ptr<Message> send(const at::Tensor &tensor, int to, int tag) = 0;
    [[nodiscard]] virtual std::unique_ptr<Message> receive(at::Tensor &tensor, int from, int tag) = 0;

protected:
    /// The library's own algorithms on contiguous tensors of the wire dtype.
    virtual void reduceToAll(at::Tensor &tensor, ReduceOp op) = 0;
    virtual void reduceToFirst(at::Tensor &tensor, ReduceOp op) = 0;
    virtual void broadcastFromFirst(at::Tensor &tensor) = 0;
    /// Copies every rank's `shard` to its row of `rows` [size, elements of shard].
    virtual void gatherRows(const at::Tensor &shard, at::Tensor &rows) = 0;
    /// Sums this rank's row of every rank's `rows` into `own`; `scratch` is what scratchOf() gave.
    virtual void reduceRows(const at::Tensor &rows, at::Tensor &scratch, at::Tensor &own) = 0;
    /// The buffer that reduceRows() needs beside them; undefined where it needs none.
    [[nodiscard]] virtual at::Tensor scratchOf(const at::Tensor &rows) const = 0;
    /// What the library's sums travel as: not every library can add every dtype.
    [[nodiscard]] virtual DType sumWireDtype(DType dtype) const = 0;

private:
    template <typename Transfer>
    void time(CollectiveRecord &record, Transfer &&transfer);
    void runHops(CollectiveRecord &record, Algorithm algorithm, at::Tensor &flat, ReduceOp op = ReduceOp::Sum);
    CollectiveRecord combine(CollectiveOp kind, at::Tensor &tensor, Algorithm algorithm, ReduceOp op);
    [[nodiscard]] std::int64_t librarySends(CollectiveOp op, std::int64_t elements, DType wireDtype) const;

    int m_rank;
    int m_size;
    Stopwatch &m_stopwatch;
};

/// The largest and the sum over the ranks.
[[nodiscard]] std::int64_t maximumOverRanks(Communicator &communicator, std::int64_t value);
[[nodiscard]] double sumOverRanks(Communicator &communicator, double value);

} // namespace shardscope

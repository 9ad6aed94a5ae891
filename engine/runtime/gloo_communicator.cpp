// SPDX-License-Identifier: MIT
#include "engine/runtime/gloo_communicator.h"

#include "engine/runtime/meeting_store.h"
#include "engine/runtime/torch_headers.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace shardscope {

namespace {

/// c10d refuses bf16 in some versions; what is only moved can travel as any dtype of the same width.
at::Tensor movable(const at::Tensor &tensor)
{
    return tensor.scalar_type() == at::kBFloat16 ? tensor.view(at::kHalf) : tensor;
}

class GlooMessage final : public Message
{
public:
    explicit GlooMessage(c10::intrusive_ptr<c10d::Work> work) : m_work(std::move(work)) {}
    void wait() override { m_work->wait(); }

private:
    c10::intrusive_ptr<c10d::Work> m_work;
};

c10d::ReduceOp reduceOpOf(ReduceOp op)
{
    return op == ReduceOp::Sum ? c10d::ReduceOp::SUM : c10d::ReduceOp::MAX;
}

std::vector<at::Tensor> rowsOf(const at::Tensor &rows)
{
    return rows.unbind(0);
}

} // namespace

struct GlooCommunicator::Group {
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;
};

GlooCommunicator::GlooCommunicator(MeetingPlace &place, const std::string &name, int rank, int size,
                                   std::chrono::milliseconds timeout, Stopwatch &stopwatch)
    : Communicator(rank, size, stopwatch), m_group(std::make_unique<Group>())
{
    if (size == 1)
        return;
    const auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    // Without a named interface Gloo resolves the host's name, which may lead anywhere.
    if (!place.store().device)
        place.store().device = c10d::ProcessGroupGloo::createDeviceForInterface(place.interface());
    options->devices.push_back(place.store().device);
    options->threads = 1;
    const auto store = c10::make_intrusive<c10d::PrefixStore>(name, place.store().store);
    m_group->gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}

GlooCommunicator::~GlooCommunicator() = default;

void GlooCommunicator::barrier()
{
    if (size() > 1)
        m_group->gloo->barrier()->wait();
}

std::vector<std::int64_t> GlooCommunicator::gather(const std::vector<std::int64_t> &values)
{
    if (size() == 1)
        return values;
    const auto count = std::int64_t(values.size());
    const at::Tensor mine = at::tensor(values, at::kLong);
    at::Tensor rows = at::empty({size(), count}, at::kLong);
    gatherRows(mine, rows);
    const auto *first = rows.data_ptr<std::int64_t>();
    return {first, first + rows.numel()};
}

std::unique_ptr<Message> GlooCommunicator::send(const at::Tensor &tensor, int to, int tag)
{
    std::vector<at::Tensor> tensors{movable(tensor)};
    return std::make_unique<GlooMessage>(m_group->gloo->send(tensors, to, tag));
}

std::unique_ptr<Message> GlooCommunicator::receive(at::Tensor &tensor, int from, int tag)
{
    std::vector<at::Tensor> tensors{movable(tensor)};
    return std::make_unique<GlooMessage>(m_group->gloo->recv(tensors, from, tag));
}

void GlooCommunicator::reduceToAll(at::Tensor &tensor, ReduceOp op)
{
    if (size() == 1)
        return;
    std::vector<at::Tensor> tensors{tensor};
    c10d::AllreduceOptions options;
    options.reduceOp = reduceOpOf(op);
    m_group->gloo->allreduce(tensors, options)->wait();
}

void GlooCommunicator::reduceToFirst(at::Tensor &tensor, ReduceOp op)
{
    if (size() == 1)
        return;
    std::vector<at::Tensor> tensors{tensor};
    c10d::ReduceOptions options;
    options.reduceOp = reduceOpOf(op);
    m_group->gloo->reduce(tensors, options)->wait();
}

void GlooCommunicator::broadcastFromFirst(at::Tensor &tensor)
{
    if (size() == 1)
        return;
    std::vector<at::Tensor> tensors{movable(tensor)};
    m_group->gloo->broadcast(tensors)->wait();
}

void GlooCommunicator::gatherRows(const at::Tensor &shard, at::Tensor &rows)
{
    if (size() == 1) {
        rows[0].copy_(shard);
        return;
    }
    std::vector<at::Tensor> inputs{movable(shard)};
    std::vector<std::vector<at::Tensor>> outputs{rowsOf(movable(rows))};
    m_group->gloo->allgather(outputs, inputs)->wait();
}

void GlooCommunicator::reduceRows(const at::Tensor &rows, at::Tensor &scratch, at::Tensor &own)
{
    if (size() == 1) {
        own.copy_(rows[0]);
        return;
    }
    at::Tensor from = movable(rows);
    at::Tensor to = movable(scratch);
    std::vector<std::int64_t> equal; // empty: rows of equal size
    m_group->gloo->alltoall_base(to, from, equal, equal)->wait();
    at::sum_out(own, scratch, 0);
}

at::Tensor GlooCommunicator::scratchOf(const at::Tensor &rows) const
{
    return at::empty_like(rows);
}

DType GlooCommunicator::sumWireDtype(DType dtype) const
{
    return dtype == DType::BF16 ? DType::F32 : dtype;
}

} // namespace shardscope

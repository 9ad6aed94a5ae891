// SPDX-License-Identifier: MIT
#include "engine/cuda/nccl_communicator.h"

#include "engine/runtime/torch_headers.h"
#include "engine/runtime/torch_types.h"

#include <algorithm>
#include <cstring>

namespace shardscope {

namespace {

ncclDataType_t typeOf(const at::Tensor &tensor)
{
    switch (dtypeOf(tensor)) {
    case DType::F32:
        return ncclFloat32;
    case DType::F64:
        return ncclFloat64;
    case DType::BF16:
        return ncclBfloat16;
    case DType::F16:
        return ncclFloat16;
    case DType::I64:
        return ncclInt64;
    case DType::I8:
        return ncclInt8;
    }
    return ncclFloat32;
}

NcclBuffer bufferOf(const at::Tensor &tensor)
{
    return {tensor.data_ptr(), std::size_t(tensor.numel()), typeOf(tensor)};
}

ncclRedOp_t opOf(ReduceOp op)
{
    return op == ReduceOp::Sum ? ncclSum : ncclMax;
}

std::vector<NcclParcel> parcelsOf(const std::vector<Parcel> &parcels)
{
    std::vector<NcclParcel> result;
    for (const Parcel &parcel : parcels)
        result.push_back({bufferOf(*parcel.tensor), parcel.peer});
    return result;
}

/// What the stream does by itself.
class SentMessage final : public Message
{
public:
    void wait() override {}
};

class ArrivingMessage final : public Message
{
public:
    explicit ArrivingMessage(CudaStream &stream) : m_stream(stream), m_ticket(stream.leave()) {}
    void wait() override { m_stream.holdBackCurrent(m_ticket); }

private:
    CudaStream &m_stream;
    std::size_t m_ticket;
};

} // namespace

NcclCommunicator::NcclCommunicator(const NcclApi &api, MeetingPlace &place, const GroupJoin &group,
                                   CudaStreams &streams, Stopwatch &stopwatch)
    : Communicator(group.rank, int(group.worldRanks.size()), stopwatch), m_api(api), m_place(place), m_group(group),
      m_streams(streams), m_agreements(std::make_unique<GlooCommunicator>(place, group.name + "/agreements", group.rank,
                                                                          size(), group.timeout, stopwatch))
{
    if (size() > 1)
        m_nccl = meet(m_group.name, rank(), size());
}

NcclCommunicator::~NcclCommunicator() = default;

std::unique_ptr<NcclGroup> NcclCommunicator::meet(const std::string &name, int place, int size)
{
    NcclGroup::Settings settings;
    settings.rank = place;
    settings.size = size;
    settings.name = name;
    settings.timeout = m_group.timeout;
    const std::string key = name + "/nccl";
    if (place == 0) {
        if (const ncclResult_t result = m_api.getUniqueId(&settings.id); result != ncclSuccess)
            throw NcclError("NCCL, making an id: " + std::string(m_api.getErrorString(result)));
        std::vector<std::uint8_t> bytes(sizeof settings.id);
        std::memcpy(bytes.data(), &settings.id, sizeof settings.id);
        m_place.leave(key, bytes);
    } else {
        const std::vector<std::uint8_t> bytes = m_place.collect(key, m_group.timeout);
        if (bytes.size() != sizeof settings.id)
            throw NcclError("NCCL, joining: an id of " + std::to_string(bytes.size()) + " bytes");
        std::memcpy(&settings.id, bytes.data(), sizeof settings.id);
    }
    return std::make_unique<NcclGroup>(m_api, settings);
}

void NcclCommunicator::barrier()
{
    m_agreements->barrier();
}

std::vector<std::int64_t> NcclCommunicator::gather(const std::vector<std::int64_t> &values)
{
    return m_agreements->gather(values);
}

void NcclCommunicator::exchange(const std::vector<Parcel> &sent, const std::vector<Parcel> &received, int)
{
    if (size() > 1)
        m_nccl->exchange(parcelsOf(sent), parcelsOf(received), m_streams.current());
}

void NcclCommunicator::openRoute(int from, int to)
{
    if ((rank() != from && rank() != to) || m_routes.count({from, to}) != 0)
        return;
    const std::string name = m_group.name + "/route " + std::to_string(from) + " " + std::to_string(to);
    m_routes[{from, to}] = {meet(name, rank() == from ? 0 : 1, 2), m_streams.open()};
}

NcclCommunicator::Route &NcclCommunicator::route(int from, int to)
{
    return m_routes.at({from, to});
}

std::unique_ptr<Message> NcclCommunicator::send(const at::Tensor &tensor, int to, int)
{
    Route &way = route(rank(), to);
    way.stream->follow();
    way.group->exchange({{bufferOf(tensor), 1}}, {}, way.stream->get());
    m_streams.keepAlive(tensor, *way.stream);
    static_cast<void>(way.stream->leave());
    return std::make_unique<SentMessage>();
}

std::unique_ptr<Message> NcclCommunicator::receive(at::Tensor &tensor, int from, int)
{
    Route &way = route(from, rank());
    way.stream->follow(); // the buffer's memory may still be read by what was ordered before
    way.group->exchange({}, {{bufferOf(tensor), 0}}, way.stream->get());
    return std::make_unique<ArrivingMessage>(*way.stream);
}

void NcclCommunicator::requireHealthy()
{
    if (m_nccl)
        m_nccl->requireHealthy();
    for (auto &[ranks, way] : m_routes)
        way.group->requireHealthy();
}

void NcclCommunicator::reduceToAll(at::Tensor &tensor, ReduceOp op)
{
    if (m_nccl)
        m_nccl->allReduce(bufferOf(tensor), opOf(op), m_streams.current());
}

void NcclCommunicator::reduceToFirst(at::Tensor &tensor, ReduceOp op)
{
    if (m_nccl)
        m_nccl->reduce(bufferOf(tensor), opOf(op), m_streams.current());
}

void NcclCommunicator::broadcastFromFirst(at::Tensor &tensor)
{
    if (m_nccl)
        m_nccl->broadcast(bufferOf(tensor), m_streams.current());
}

void NcclCommunicator::gatherRows(const at::Tensor &shard, at::Tensor &rows)
{
    if (m_nccl)
        m_nccl->allGather(bufferOf(shard), rows.data_ptr(), m_streams.current());
    else
        rows[0].copy_(shard);
}

void NcclCommunicator::reduceRows(const at::Tensor &rows, at::Tensor &, at::Tensor &own)
{
    if (m_nccl)
        m_nccl->reduceScatter(rows.data_ptr(), bufferOf(own), ncclSum, m_streams.current());
    else
        own.copy_(rows[0]);
}

at::Tensor NcclCommunicator::scratchOf(const at::Tensor &) const
{
    return {};
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/runtime/hop_collectives.h"

#include "engine/plan/tensor.h"

#include <algorithm>
#include <map>

namespace shardscope {

namespace {

/// Elements [begin, end) of the chunks that a transfer carries.
Slice elementsOf(const Transfer &transfer, std::int64_t elements, int chunks)
{
    const Slice first = sliceOf(elements, transfer.firstChunk, chunks);
    const Slice last = sliceOf(elements, transfer.firstChunk + transfer.chunkCount - 1, chunks);
    return {first.begin, last.begin + last.length - first.begin};
}

bool overlap(const Transfer &a, const Transfer &b)
{
    return a.firstChunk < b.firstChunk + b.chunkCount && b.firstChunk < a.firstChunk + a.chunkCount;
}

} // namespace

HopCollective::HopCollective(const HopSchedule &schedule, at::Tensor &flat, Communicator &communicator, ReduceOp op)
    : m_schedule(schedule), m_flat(flat), m_communicator(communicator), m_op(op)
{
    m_scratch = at::empty({scratchElements()}, flat.options());
}

std::vector<HopRecord> HopCollective::run()
{
    std::vector<HopRecord> records;
    records.reserve(m_schedule.hops.size());
    for (int hop = 0; hop < int(m_schedule.hops.size()); ++hop)
        if (takesPart(m_schedule.hops[std::size_t(hop)]))
            records.push_back(runHop(hop));
    return records;
}

bool HopCollective::takesPart(const Hop &hop) const
{
    const int rank = m_communicator.rank();
    return std::any_of(hop.begin(), hop.end(), [rank](const Transfer &t) { return t.from == rank || t.to == rank; });
}

at::Tensor HopCollective::chunksOf(const Transfer &transfer) const
{
    const Slice slice = elementsOf(transfer, m_flat.numel(), m_schedule.chunks);
    return m_flat.narrow(0, slice.begin, slice.length);
}

/// The most elements that arrive in one hop beside the array itself.
std::int64_t HopCollective::scratchElements() const
{
    std::int64_t most = 0;
    for (const Hop &hop : m_schedule.hops) {
        std::int64_t elements = 0;
        for (const Transfer &transfer : hop)
            if (transfer.to == m_communicator.rank())
                elements += elementsOf(transfer, m_flat.numel(), m_schedule.chunks).length;
        most = std::max(most, elements);
    }
    return most;
}

std::vector<HopCollective::Arrival> HopCollective::arrivalsOf(const Hop &hop)
{
    const int rank = m_communicator.rank();
    std::vector<Arrival> arrivals;
    std::int64_t used = 0;
    for (const Transfer &transfer : hop) {
        if (transfer.to != rank)
            continue;
        const bool readMeanwhile = std::any_of(hop.begin(), hop.end(), [&](const Transfer &other) {
            return other.from == rank && overlap(other, transfer);
        });
        Arrival arrival{&transfer, chunksOf(transfer), {}};
        if (transfer.accumulate || readMeanwhile) {
            arrival.buffer = m_scratch.narrow(0, used, arrival.target.numel());
            used += arrival.target.numel();
        } else {
            arrival.buffer = arrival.target;
        }
        arrivals.push_back(std::move(arrival));
    }
    return arrivals;
}

HopRecord HopCollective::runHop(int index)
{
    const Hop &hop = m_schedule.hops[std::size_t(index)];
    HopRecord record;
    record.hop = index;
    record.start = m_communicator.stopwatch().mark();
    std::vector<Arrival> arrivals = arrivalsOf(hop);
    std::vector<Parcel> received;
    for (Arrival &arrival : arrivals)
        if (arrival.buffer.numel() > 0) // an empty chunk needs no message: both sides know its size
            received.push_back({&arrival.buffer, arrival.transfer->from});
    std::vector<at::Tensor> leaving;
    std::vector<int> targets;
    for (const Transfer &transfer : hop) {
        if (transfer.from != m_communicator.rank())
            continue;
        const at::Tensor chunks = chunksOf(transfer);
        if (chunks.numel() == 0)
            continue;
        record.sentBytes += bytesOf(chunks);
        leaving.push_back(chunks);
        targets.push_back(transfer.to);
    }
    std::vector<Parcel> sent;
    for (std::size_t i = 0; i < leaving.size(); ++i)
        sent.push_back({&leaving[i], targets[i]});
    m_communicator.exchange(sent, received, index);
    merge(arrivals);
    record.end = m_communicator.stopwatch().mark();
    return record;
}

void HopCollective::combine(at::Tensor &into, const at::Tensor &addend) const
{
    if (m_op == ReduceOp::Sum)
        into.add_(addend);
    else
        at::maximum_out(into, into, addend);
}

/// Overwrites chunks, or adds all addends of a chunk in rank order with the own one at its place: every rank then gets
/// the same bits whatever arrived first.
void HopCollective::merge(std::vector<Arrival> &arrivals)
{
    std::map<int, std::vector<Arrival *>> addends;
    for (Arrival &arrival : arrivals) {
        if (arrival.transfer->accumulate)
            addends[arrival.transfer->firstChunk].push_back(&arrival);
        else if (!arrival.buffer.is_same(arrival.target))
            arrival.target.copy_(arrival.buffer);
    }
    for (auto &[chunk, list] : addends) {
        at::Tensor &own = list.front()->target;
        if (list.size() == 1) { // a + b = b + a, bit for bit
            combine(own, list.front()->buffer);
            continue;
        }
        std::sort(list.begin(), list.end(),
                  [](const Arrival *a, const Arrival *b) { return a->transfer->from < b->transfer->from; });
        const int rank = m_communicator.rank();
        const auto higher =
            std::find_if(list.begin(), list.end(), [rank](const Arrival *a) { return a->transfer->from > rank; });
        if (higher != list.begin()) {
            at::Tensor &lower = (*list.begin())->buffer;
            for (auto it = std::next(list.begin()); it != higher; ++it)
                combine(lower, (*it)->buffer);
            combine(own, lower);
        }
        for (auto it = higher; it != list.end(); ++it)
            combine(own, (*it)->buffer);
    }
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/runtime/communicator.h"

#include "engine/plan/hop_schedule.h"
#include "engine/record/collective_groups.h"
#include "engine/runtime/hop_collectives.h"
#include "engine/runtime/slices.h"
#include "engine/runtime/torch_types.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace shardscope {

namespace {

CollectiveRecord newRecord(CollectiveOp op, std::int64_t payloadBytes)
{
    CollectiveRecord record;
    record.op = op;
    record.payloadBytes = payloadBytes;
    return record;
}

void requireEqualSlices(const at::Tensor &tensor, int dim, int count)
{
    if (tensor.size(dim) % count != 0)
        throw std::invalid_argument("dimension " + std::to_string(dim) + " of size " +
                                    std::to_string(tensor.size(dim)) + " cannot be cut into " + std::to_string(count) +
                                    " equal slices");
}

} // namespace

template <typename Transfer>
void Communicator::time(CollectiveRecord &record, Transfer &&transfer)
{
    record.start = m_stopwatch.mark();
    transfer();
    record.end = m_stopwatch.mark();
}

void Communicator::runHops(CollectiveRecord &record, Algorithm algorithm, at::Tensor &flat, ReduceOp op)
{
    const auto schedule = hopSchedule(record.op, algorithm, m_size);
    if (!schedule)
        throw std::invalid_argument(english(schedule.problem()));
    HopCollective collective(*schedule, flat, *this, op);
    record.scratchBytes += collective.scratchBytes();
    time(record, [&] { record.hops = collective.run(); });
    for (const HopRecord &hop : record.hops)
        record.sentBytes += hop.sentBytes;
}

/// What this rank puts on the wire when the library chooses, as it is counted everywhere.
std::int64_t Communicator::librarySends(CollectiveOp op, std::int64_t elements, DType wireDtype) const
{
    return sentElements(countedSchedule({.op = op}, m_size), m_rank, elements) * bytesOf(wireDtype);
}

CollectiveRecord Communicator::combine(CollectiveOp kind, at::Tensor &tensor, Algorithm algorithm, ReduceOp op)
{
    CollectiveRecord record = newRecord(kind, bytesOf(tensor));
    // Our own algorithms add by themselves, in the tensor's dtype.
    record.wireDtype = algorithm == Algorithm::Library ? sumWireDtype(dtypeOf(tensor)) : dtypeOf(tensor);
    const bool converted = record.wireDtype != dtypeOf(tensor);
    at::Tensor wire = converted ? tensor.to(scalarType(record.wireDtype)) : tensor;
    record.scratchBytes = converted ? bytesOf(wire) : 0;
    if (algorithm == Algorithm::Library) {
        time(record, [&] { kind == CollectiveOp::Reduce ? reduceToFirst(wire, op) : reduceToAll(wire, op); });
        record.sentBytes = librarySends(kind, wire.numel(), record.wireDtype);
    } else {
        at::Tensor flat = wire.view(-1);
        runHops(record, algorithm, flat, op);
    }
    if (converted)
        tensor.copy_(wire);
    return record;
}

CollectiveRecord Communicator::allReduce(at::Tensor &tensor, Algorithm algorithm, ReduceOp op)
{
    return combine(CollectiveOp::AllReduce, tensor, algorithm, op);
}

CollectiveRecord Communicator::reduce(at::Tensor &tensor, Algorithm algorithm, ReduceOp op)
{
    return combine(CollectiveOp::Reduce, tensor, algorithm, op);
}

CollectiveRecord Communicator::broadcast(at::Tensor &tensor, Algorithm algorithm)
{
    CollectiveRecord record = newRecord(CollectiveOp::Broadcast, bytesOf(tensor));
    record.wireDtype = dtypeOf(tensor);
    if (algorithm == Algorithm::Library) {
        time(record, [&] { broadcastFromFirst(tensor); });
        record.sentBytes = librarySends(record.op, tensor.numel(), record.wireDtype);
    } else {
        at::Tensor flat = tensor.view(-1);
        runHops(record, algorithm, flat);
    }
    return record;
}

CollectiveRecord Communicator::allGather(const at::Tensor &shard, at::Tensor &whole, int dim, Algorithm algorithm)
{
    CollectiveRecord record = newRecord(CollectiveOp::AllGather, bytesOf(shard) * m_size);
    record.wireDtype = dtypeOf(shard);
    const at::Tensor mine = shard.contiguous().view(-1);
    at::Tensor rows = at::empty({m_size, mine.numel()}, mine.options());
    if (algorithm == Algorithm::Library) {
        time(record, [&] { gatherRows(mine, rows); });
        record.sentBytes = librarySends(record.op, rows.numel(), record.wireDtype);
    } else {
        rows[m_rank].copy_(mine);
        at::Tensor flat = rows.view(-1);
        runHops(record, algorithm, flat);
    }
    whole = rowsJoined(rows, shard.sizes(), dim);
    record.scratchBytes += dim == 0 ? 0 : bytesOf(rows);
    return record;
}

CollectiveRecord Communicator::reduceScatter(const at::Tensor &addend, at::Tensor &shard, int dim, Algorithm algorithm)
{
    requireEqualSlices(addend, dim, m_size);
    CollectiveRecord record = newRecord(CollectiveOp::ReduceScatter, bytesOf(addend));
    record.wireDtype = dtypeOf(addend);
    at::Tensor rows = slicesAsRows(addend, dim, m_size);
    at::Tensor summed;
    if (algorithm == Algorithm::Library) {
        at::Tensor scratch = scratchOf(rows);
        summed = at::empty_like(rows[m_rank]);
        // Rows of a whole that are cut by its first dimension are the whole itself.
        record.scratchBytes =
            (scratch.defined() ? bytesOf(scratch) : 0) + (rows.is_alias_of(addend) ? 0 : bytesOf(rows));
        time(record, [&] { reduceRows(rows, scratch, summed); });
        record.sentBytes = librarySends(record.op, rows.numel(), record.wireDtype);
    } else {
        // The hops add in place, and `addend` is the caller's.
        rows = rows.is_alias_of(addend) ? rows.clone() : rows;
        record.scratchBytes = bytesOf(rows);
        at::Tensor flat = rows.view(-1);
        runHops(record, algorithm, flat);
        summed = rows[m_rank].clone(); // the other rows go
    }
    std::vector<std::int64_t> shape = addend.sizes().vec();
    shape[std::size_t(dim)] /= m_size;
    shard = summed.view(shape);
    return record;
}

void Communicator::exchange(const std::vector<Parcel> &sent, const std::vector<Parcel> &received, int tag)
{
    std::vector<std::unique_ptr<Message>> messages;
    for (const Parcel &parcel : received)
        messages.push_back(receive(*parcel.tensor, parcel.peer, tag));
    for (const Parcel &parcel : sent)
        messages.push_back(send(*parcel.tensor, parcel.peer, tag));
    for (const auto &message : messages)
        message->wait();
}

std::int64_t maximumOverRanks(Communicator &communicator, std::int64_t value)
{
    const auto values = communicator.gather({value});
    return *std::max_element(values.begin(), values.end());
}

double sumOverRanks(Communicator &communicator, double value)
{
    double sum = 0;
    for (const std::int64_t bits : communicator.gather({std::bit_cast<std::int64_t>(value)}))
        sum += std::bit_cast<double>(bits);
    return sum;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "tests/cuda/fake_gpu_state.h"

#include <algorithm>

namespace shardscope::fake {

namespace {

constexpr std::int64_t kLookNs = 100;

Stream *of(cudaStream_t stream)
{
    return reinterpret_cast<Stream *>(stream);
}

Event *of(cudaEvent_t event)
{
    return reinterpret_cast<Event *>(event);
}

/// When the event was passed, host time; nothing while that is unknown.
std::optional<std::int64_t> passedNs(const Event &event, std::size_t recording)
{
    if (!event.times[recording])
        return std::nullopt;
    return *event.times[recording] - event.skews[recording];
}

bool meet(Stream &stream, const Order &order)
{
    std::int64_t end = stream.freeNs;
    bool all = true;
    for (const auto &[meeting, rank] : order.meetings) {
        meeting->arrivals.try_emplace(rank, stream.freeNs);
        if (!meeting->endNs && int(meeting->arrivals.size()) == meeting->size) {
            std::int64_t last = 0;
            for (const auto &[each, ns] : meeting->arrivals)
                last = std::max(last, ns);
            meeting->endNs = last + meeting->transferNs;
            meeting->exchange();
        }
        all = all && meeting->endNs;
        end = std::max(end, meeting->endNs.value_or(0));
    }
    if (all)
        stream.freeNs = end;
    return all;
}

/// Whether the order could be worked off.
bool settle(Stream &stream, Order &order)
{
    switch (order.kind) {
    case Order::Kind::Work:
        stream.freeNs += order.ns;
        return true;
    case Order::Kind::Record:
        order.event->times[order.recording] = stream.freeNs + stream.skewNs;
        return true;
    case Order::Kind::Wait: {
        const auto passed = passedNs(*order.event, order.recording);
        if (passed)
            stream.freeNs = std::max(stream.freeNs, *passed);
        return passed.has_value();
    }
    case Order::Kind::Meet:
        return meet(stream, order);
    case Order::Kind::Hang:
        return false;
    }
    return false;
}

cudaError_t setDevice(int)
{
    return cudaSuccess;
}

cudaError_t eventCreate(cudaEvent_t *event, unsigned)
{
    const std::lock_guard lock(state().mutex);
    state().events.push_back(std::make_unique<Event>());
    *event = reinterpret_cast<cudaEvent_t>(state().events.back().get());
    return cudaSuccess;
}

cudaError_t eventDestroy(cudaEvent_t)
{
    return cudaSuccess; // reset() frees them: an order may still name it
}

cudaError_t eventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const std::lock_guard lock(state().mutex);
    Order order;
    order.kind = Order::Kind::Record;
    order.event = of(event);
    order.recording = of(event)->times.size();
    of(event)->times.emplace_back();
    of(event)->skews.push_back(of(stream)->skewNs);
    put(stream, std::move(order));
    return cudaSuccess;
}

cudaError_t eventQuery(cudaEvent_t event)
{
    const std::lock_guard lock(state().mutex);
    state().nowNs += kLookNs;
    settleStreams();
    if (of(event)->times.empty())
        return cudaSuccess;
    const auto passed = passedNs(*of(event), of(event)->times.size() - 1);
    return passed && *passed <= state().nowNs ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t eventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    const std::lock_guard lock(state().mutex);
    settleStreams();
    if (of(start)->times.empty() || of(end)->times.empty() || !of(start)->times.back() || !of(end)->times.back())
        return cudaErrorNotReady;
    *milliseconds = float(double(*of(end)->times.back() - *of(start)->times.back()) / 1e6);
    return cudaSuccess;
}

cudaError_t streamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    const std::lock_guard lock(state().mutex);
    if (of(event)->times.empty())
        return cudaSuccess;
    Order order;
    order.kind = Order::Kind::Wait;
    order.event = of(event);
    order.recording = of(event)->times.size() - 1;
    put(stream, std::move(order));
    return cudaSuccess;
}

cudaError_t launchHostFunc(cudaStream_t, cudaHostFn_t function, void *argument)
{
    function(argument);
    return cudaSuccess;
}

cudaError_t runtimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

const char *errorString(cudaError_t error)
{
    return error == cudaErrorNotReady ? "device not ready" : "fake error";
}

} // namespace

State &state()
{
    static State all;
    return all;
}

void settleStreams()
{
    bool progress = true;
    while (progress) {
        progress = false;
        for (const auto &stream : state().streams)
            while (stream->settled < stream->orders.size() && settle(*stream, stream->orders[stream->settled])) {
                ++stream->settled;
                progress = true;
            }
    }
}

void put(cudaStream_t stream, Order order)
{
    Stream &target = *of(stream);
    // An idle stream begins when it is told to.
    if (target.settled == target.orders.size())
        target.freeNs = std::max(target.freeNs, state().nowNs);
    target.orders.push_back(std::move(order));
    settleStreams();
}

void reset()
{
    const std::lock_guard lock(state().mutex);
    state().nowNs = 1'000'000'000;
    state().streams.clear();
    state().events.clear();
    state().nccl = {};
    state().destroyed = 0;
}

std::int64_t hostNs()
{
    const std::lock_guard lock(state().mutex);
    return state().nowNs += kLookNs;
}

cudaStream_t makeStream(std::int64_t skewNs)
{
    const std::lock_guard lock(state().mutex);
    state().streams.push_back(std::make_unique<Stream>());
    state().streams.back()->skewNs = skewNs;
    return reinterpret_cast<cudaStream_t>(state().streams.back().get());
}

void work(cudaStream_t stream, std::int64_t ns)
{
    const std::lock_guard lock(state().mutex);
    Order order;
    order.kind = Order::Kind::Work;
    order.ns = ns;
    put(stream, std::move(order));
}

void hang(cudaStream_t stream)
{
    const std::lock_guard lock(state().mutex);
    Order order;
    order.kind = Order::Kind::Hang;
    put(stream, std::move(order));
}

std::int64_t endOf(cudaStream_t stream)
{
    const std::lock_guard lock(state().mutex);
    settleStreams();
    const Stream &known = *of(stream);
    return known.settled == known.orders.size() ? known.freeNs + known.skewNs : -1;
}

const CudaApi &cuda()
{
    static const CudaApi api = [] {
        CudaApi table;
        table.setDevice = setDevice;
        table.eventCreateWithFlags = eventCreate;
        table.eventDestroy = eventDestroy;
        table.eventRecord = eventRecord;
        table.eventQuery = eventQuery;
        table.eventElapsedTime = eventElapsedTime;
        table.streamWaitEvent = streamWaitEvent;
        table.launchHostFunc = launchHostFunc;
        table.runtimeGetVersion = runtimeGetVersion;
        table.getErrorString = errorString;
        return table;
    }();
    return api;
}

} // namespace shardscope::fake

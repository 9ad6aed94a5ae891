// SPDX-License-Identifier: MIT
#include "engine/runtime/machine_measurement.h"

#include "engine/runtime/kernels.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <functional>

namespace shardscope {

namespace {

constexpr std::array<std::int64_t, 7> kPayloads{4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};
constexpr std::int64_t kNsPerPoint = 60'000'000; ///< 21 points in 1.3 s, where three repetitions do not take longer
constexpr std::int64_t kNsPerProduct = 120'000'000;
constexpr std::int64_t kMemoryElements = std::int64_t{8} << 20; ///< beyond any cache share of one core
constexpr int kSmallOperations = 2000;

using Body = std::function<std::int64_t()>; ///< does it once and returns its duration in ns

std::int64_t medianOf(std::vector<std::int64_t> values)
{
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Repeats `body` after a warm-up as often as fits `ns`, equally often on every rank; this rank's durations.
std::vector<std::int64_t> repeat(RankSession &session, std::int64_t ns, const Body &body)
{
    body();
    const std::int64_t slowest = std::max<std::int64_t>(1, maximumOverRanks(session.world(), body()));
    const std::int64_t count = std::clamp<std::int64_t>(ns / slowest, 3, 40);
    std::vector<std::int64_t> durations;
    for (std::int64_t i = 0; i < count; ++i)
        durations.push_back(body());
    return durations;
}

/// Median over the repetitions of the fastest rank: waiting for each other is no property of the link.
std::int64_t transferOf(RankSession &session, const std::vector<std::int64_t> &mine)
{
    const auto all = session.world().gather(mine);
    std::vector<std::int64_t> least = mine;
    for (std::size_t i = 0; i < all.size(); ++i)
        least[i % mine.size()] = std::min(least[i % mine.size()], all[i]);
    return medianOf(std::move(least));
}

CollectiveRecord collective(Communicator &communicator, CollectiveOp op, at::Tensor &whole, const at::Tensor &shard)
{
    at::Tensor made;
    switch (op) {
    case CollectiveOp::AllGather:
        return communicator.allGather(shard, made, 0, Algorithm::Library);
    case CollectiveOp::ReduceScatter:
        return communicator.reduceScatter(whole, made, 0, Algorithm::Library);
    default:
        return communicator.allReduce(whole, Algorithm::Library);
    }
}

void measureCollective(RankSession &session, CollectiveOp op, std::int64_t payload, DType dtype)
{
    Communicator &communicator = session.world();
    const std::int64_t share = std::max<std::int64_t>(1, payload / bytesOf(dtype) / communicator.size());
    at::Tensor whole = at::zeros({share * communicator.size()}, scalarType(dtype)); // sums of zeros stay finite
    const at::Tensor shard = at::zeros({share}, scalarType(dtype));
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytes = 0;
    const auto durations = repeat(session, kNsPerPoint, [&] {
        communicator.barrier();
        const CollectiveRecord record = collective(communicator, op, whole, shard);
        payloadBytes = record.payloadBytes;
        sentBytes = record.sentBytes;
        return record.endNs - record.startNs;
    });
    const std::int64_t transfer = transferOf(session, durations);
    if (session.first())
        session.events.write(BandwidthEvent{op, communicator.size(), payloadBytes, sentBytes, transfer});
}

std::int64_t timed(const Stopwatch &stopwatch, const std::function<void()> &body)
{
    const std::int64_t start = stopwatch.now();
    body();
    return stopwatch.now() - start;
}

/// One product the way the executor does it.
void multiply(const at::Tensor &a)
{
    Step step;
    step.kind = StepKind::MatMul;
    const auto product = runKernel(step, {a, a}, false);
}

/// FLOP/s of square products, as large as fit the time.
double productSpeed(RankSession &session, DType dtype)
{
    double speed = 0;
    for (const std::int64_t size : {256, 512, 1024}) {
        const at::Tensor a = at::ones({size, size}, scalarType(dtype));
        const auto durations =
            repeat(session, kNsPerProduct, [&] { return timed(session.stopwatch, [&] { multiply(a); }); });
        const double flops = 2.0 * double(size) * double(size) * double(size);
        const std::int64_t ns = maximumOverRanks(session.world(), medianOf(durations));
        speed = flops / double(ns) * 1e9;
        if (ns * 8 > kNsPerProduct) // the next size takes eight times as long
            break;
    }
    return speed;
}

/// Bytes/s of c = a + b: two read, one written.
double memorySpeed(RankSession &session)
{
    const at::Tensor a = at::ones({kMemoryElements}, at::kFloat);
    const at::Tensor b = at::ones_like(a);
    at::Tensor c = at::empty_like(a);
    const auto durations =
        repeat(session, kNsPerProduct, [&] { return timed(session.stopwatch, [&] { at::add_out(c, a, b); }); });
    const std::int64_t ns = maximumOverRanks(session.world(), medianOf(durations));
    return 3.0 * double(kMemoryElements) * 4.0 / double(ns) * 1e9;
}

double overheadNs(RankSession &session)
{
    const at::Tensor a = at::ones({8, 8}, at::kFloat);
    const std::int64_t ns = timed(session.stopwatch, [&] {
        for (int i = 0; i < kSmallOperations; ++i)
            multiply(a);
    });
    return double(maximumOverRanks(session.world(), ns)) / kSmallOperations;
}

void measureCompute(RankSession &session, DType dtype)
{
    ComputeEvent event{.dtype = dtype, .ranks = session.world().size()};
    event.flopsPerSecond = productSpeed(session, dtype);
    event.bytesPerSecond = memorySpeed(session);
    event.overheadNs = overheadNs(session);
    if (session.first())
        session.events.write(event);
}

} // namespace

EndEvent measureMachine(const MeasureCommand &command, RankSession &session)
{
    const c10::NoGradGuard noGradients;
    EndEvent cancelled{.id = {}, .status = EndEvent::Status::Cancelled, .exitCode = 130};
    setThreads(session.threads);
    session.setOrigin();
    session.progress(TextId::ProgressCompute, {}, 0);
    measureCompute(session, command.dtype);
    if (session.world().size() > 1) {
        session.progress(TextId::ProgressCollectives, {}, 0.3);
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter})
            for (const std::int64_t payload : kPayloads) {
                if (session.cancelled())
                    return cancelled;
                measureCollective(session, op, payload, command.dtype);
            }
    }
    releaseUnusedMemory();
    return {};
}

} // namespace shardscope

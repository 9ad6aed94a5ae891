// SPDX-License-Identifier: MIT
#include "engine/runtime/machine_measurement.h"

#include "engine/runtime/kernels.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/median.h"
#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <functional>

namespace shardscope {

namespace {

constexpr std::int64_t kLeastPayload = 4 << 10; ///< each next one is four times as large
constexpr std::int64_t kMostPayload = 16 << 20;
constexpr std::int64_t kMostGpuPayload = 256 << 20;
constexpr std::int64_t kNsPerPoint = 60'000'000; ///< 21 points in 1.3 s, where three repetitions do not take longer
constexpr std::int64_t kNsPerProduct = 120'000'000;
constexpr std::int64_t kMemoryElements = std::int64_t{8} << 20;      ///< beyond any cache share of one core
constexpr std::int64_t kGpuMemoryElements = std::int64_t{128} << 20; ///< and beyond a GPU's
constexpr int kSmallOperations = 2000;

using Body = std::function<std::int64_t()>; ///< does it once and returns its duration in ns

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
    const at::TensorOptions options = optionsOn(session.device().torch(), dtype);
    at::Tensor whole = at::zeros({share * communicator.size()}, options); // sums of zeros stay finite
    const at::Tensor shard = at::zeros({share}, options);
    const auto lane = session.device().collectiveLane();
    std::int64_t payloadBytes = 0;
    std::int64_t sentBytes = 0;
    const auto durations = repeat(session, kNsPerPoint, [&] {
        session.device().settle();
        communicator.barrier();
        session.stopwatch().start();
        CollectiveRecord record;
        lane->run([&] { record = collective(communicator, op, whole, shard); });
        session.device().settle();
        payloadBytes = record.payloadBytes;
        sentBytes = record.sentBytes;
        return session.stopwatch().between(record.start, record.end);
    });
    const std::int64_t transfer = transferOf(session, durations);
    if (session.first())
        session.events.write(BandwidthEvent{op, communicator.size(), payloadBytes, sentBytes, transfer});
}

std::int64_t timed(RankSession &session, const std::function<void()> &body)
{
    session.device().settle();
    session.stopwatch().start();
    const Moment start = session.stopwatch().mark();
    body();
    const Moment end = session.stopwatch().mark();
    session.device().settle();
    return session.stopwatch().between(start, end);
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
    for (const std::int64_t size : {256, 512, 1024, 2048, 4096, 8192}) {
        const at::Tensor a = at::ones({size, size}, optionsOn(session.device().torch(), dtype));
        const auto durations = repeat(session, kNsPerProduct, [&] { return timed(session, [&] { multiply(a); }); });
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
    const std::int64_t elements = session.device().torch().is_cuda() ? kGpuMemoryElements : kMemoryElements;
    const at::Tensor a = at::ones({elements}, optionsOn(session.device().torch(), DType::F32));
    const at::Tensor b = at::ones_like(a);
    at::Tensor c = at::empty_like(a);
    const auto durations =
        repeat(session, kNsPerProduct, [&] { return timed(session, [&] { at::add_out(c, a, b); }); });
    const std::int64_t ns = maximumOverRanks(session.world(), medianOf(durations));
    return 3.0 * double(elements) * 4.0 / double(ns) * 1e9;
}

double overheadNs(RankSession &session)
{
    const at::Tensor a = at::ones({8, 8}, optionsOn(session.device().torch(), DType::F32));
    const std::int64_t ns = timed(session, [&] {
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
    EndEvent cancelled{.id = {}, .status = EndEvent::Status::Cancelled, .exitCode = kCancelled};
    setThreads(session.threads);
    session.setOrigin();
    session.progress(TextId::ProgressCompute, {}, 0);
    measureCompute(session, command.dtype);
    if (session.world().size() > 1) {
        session.progress(TextId::ProgressCollectives, {}, 0.3);
        const std::int64_t most = session.device().torch().is_cuda() ? kMostGpuPayload : kMostPayload;
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter})
            for (std::int64_t payload = kLeastPayload; payload <= most; payload *= 4) {
                if (session.cancelled())
                    return cancelled;
                measureCollective(session, op, payload, command.dtype);
            }
    }
    session.device().releaseUnusedMemory();
    return {};
}

} // namespace shardscope

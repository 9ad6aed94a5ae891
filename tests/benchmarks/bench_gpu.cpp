// SPDX-License-Identifier: MIT
// What the engine measures on GPUs against plain loops over LibTorch and NCCL: a matrix product on one card, and an
// all-reduce where there are two or more (on one card ranks take turns, which says nothing of NCCL).
#include "engine/runtime/torch_headers.h"
#include "tests/benchmarks/bench_result.h"
#include "tests/benchmarks/engine_output.h"

#include <c10/core/InferenceMode.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdlib>
#include <functional>

namespace {

constexpr int kTurns = 5;
constexpr int kCalls = 20;
constexpr int kWarmup = 5;

[[noreturn]] void fail(const std::string &why)
{
    std::fprintf(stderr, "bench_gpu: %s\n", why.c_str());
    std::exit(EXIT_FAILURE);
}

void require(cudaError_t result)
{
    if (result != cudaSuccess)
        fail(cudaGetErrorString(result));
}

void require(ncclResult_t result)
{
    if (result != ncclSuccess)
        fail(ncclGetErrorString(result));
}

/// Median microseconds of one call on `stream`, each between two events and all enqueued before one is read.
double microsecondsOf(cudaStream_t stream, const std::function<void()> &call)
{
    for (int i = 0; i < kWarmup; ++i)
        call();
    std::vector<std::pair<cudaEvent_t, cudaEvent_t>> events(kCalls);
    for (auto &[start, end] : events) {
        require(cudaEventCreate(&start));
        require(cudaEventCreate(&end));
    }
    for (const auto &[start, end] : events) {
        require(cudaEventRecord(start, stream));
        call();
        require(cudaEventRecord(end, stream));
    }
    require(cudaStreamSynchronize(stream));
    std::vector<double> samples;
    for (const auto &[start, end] : events) {
        float milliseconds = 0;
        require(cudaEventElapsedTime(&milliseconds, start, end));
        samples.push_back(static_cast<double>(milliseconds) * 1e3);
        require(cudaEventDestroy(start));
        require(cudaEventDestroy(end));
    }
    return shardscope::medianOf(samples);
}

/// [4096, 8192] x [8192, 8192] in bf16, random values: zeros draw less power.
double plainProduct()
{
    const c10::InferenceMode inference;
    const auto options = at::TensorOptions().device(at::kCUDA).dtype(at::kBFloat16);
    const at::Tensor x = at::randn({4096, 8192}, options);
    const at::Tensor w = at::randn({8192, 8192}, options).div_(90);
    at::Tensor y = at::empty({4096, 8192}, options);
    require(cudaDeviceSynchronize());
    return microsecondsOf(nullptr, [&] { at::mm_out(y, x, w); }); // LibTorch's stream is the default one
}

double engineProduct()
{
    const auto run = shardscope::engineDocument(
        "run --backend cuda --scheme column --phase prefill --ranks 1 --hidden 8192 --ffn 8192 --batch 1"
        " --sequence 4096 --dtype bf16 --bias off --steps 20 --warmup 5");
    if (run.is_discarded())
        fail("shardscope-engine did not finish a run");
    return run["totals"]["forward"]["compute_us"].get<double>();
}

/// All-reduce of `bytes` in f32 over every card, all of them driven from here.
double plainAllReduce(int cards, std::size_t bytes)
{
    struct Card {
        ncclComm_t communicator = nullptr;
        cudaStream_t stream = nullptr;
        void *data = nullptr;
    };
    std::vector<Card> all(static_cast<std::size_t>(cards));
    std::vector<ncclComm_t> communicators(all.size());
    require(ncclCommInitAll(communicators.data(), cards, nullptr));
    for (int i = cards - 1; i >= 0; --i) { // the first one stays current, for the events
        Card &card = all[static_cast<std::size_t>(i)];
        card.communicator = communicators[static_cast<std::size_t>(i)];
        require(cudaSetDevice(i));
        require(cudaStreamCreateWithFlags(&card.stream, cudaStreamNonBlocking));
        require(cudaMalloc(&card.data, bytes));
        require(cudaMemset(card.data, 0, bytes));
    }
    const double median = microsecondsOf(all.front().stream, [&] {
        require(ncclGroupStart());
        for (const Card &card : all)
            require(ncclAllReduce(card.data, card.data, bytes / sizeof(float), ncclFloat, ncclSum, card.communicator,
                                  card.stream));
        require(ncclGroupEnd());
    });
    for (const Card &card : all) {
        require(cudaStreamSynchronize(card.stream));
        require(cudaFree(card.data));
        require(ncclCommDestroy(card.communicator));
    }
    return median;
}

/// The engine's largest all-reduce: payload and median microseconds.
std::pair<std::size_t, double> engineAllReduce(int cards)
{
    const auto measured = shardscope::engineDocument("bandwidth --backend cuda --ranks " + std::to_string(cards));
    if (measured.is_discarded())
        fail("shardscope-engine bandwidth did not finish");
    std::pair<std::size_t, double> largest{0, 0};
    for (const auto &point : measured["points"]) {
        const auto bytes = point["payload_bytes"].get<std::size_t>();
        if (point["op"] == "all_reduce" && bytes > largest.first)
            largest = {bytes, point["median_us"].get<double>()};
    }
    return largest;
}

} // namespace

int main()
{
    int cards = 0;
    if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0)
        fail("no GPU");
    std::vector<double> ours;
    std::vector<double> plain;
    for (int turn = 0; turn < kTurns; ++turn) {
        ours.push_back(engineProduct());
        plain.push_back(plainProduct());
    }
    shardscope::printResult({.name = "product 4096 x 8192 x 8192, bf16, one rank: engine over a plain loop",
                             .ours = shardscope::medianOf(ours),
                             .reference = shardscope::medianOf(plain),
                             .unit = "us",
                             .goal = 1.05});
    if (cards < 2) {
        std::fputs("bench_gpu: one card; the all-reduce against a plain NCCL loop needs two\n", stderr);
        return EXIT_SUCCESS;
    }
    const auto [bytes, median] = engineAllReduce(cards);
    shardscope::printResult({.name = "all-reduce of " + std::to_string(bytes) + " bytes on " + std::to_string(cards) +
                                     " cards: engine over a plain NCCL loop",
                             .ours = median,
                             .reference = plainAllReduce(cards, bytes),
                             .unit = "us",
                             .goal = 1.05});
    return EXIT_SUCCESS;
}

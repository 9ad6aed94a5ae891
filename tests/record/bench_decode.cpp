// SPDX-License-Identifier: MIT
// How long a million lines of the stream take to decode: prints one result of bench.json.
#include "engine/record/codec.h"

#include <chrono>
#include <cstdio>
#include <string>

using namespace shardscope;

namespace {

constexpr int kLines = 1'000'000;
constexpr double kGoalSeconds = 1.5;

std::string manySpans()
{
    std::string bytes;
    SpanEvent span;
    for (int i = 0; i < kLines; ++i) {
        span.rank = i % 8;
        span.iteration = i / 1000;
        span.step = i % 12;
        span.startNs = std::int64_t{i} * 1234;
        span.endNs = span.startNs + 1000;
        const bool collective = i % 4 == 0;
        span.op = collective ? "all_reduce" : "";
        span.payloadBytes = collective ? 1048576 : 0;
        span.sentBytes = span.payloadBytes;
        span.wireDtype = collective ? "f32" : "";
        bytes += encode(span);
    }
    return bytes;
}

double secondsToDecode(const std::string &bytes, int &decoded)
{
    const auto start = std::chrono::steady_clock::now();
    Decoder decoder;
    decoded = 0;
    decoder.feed(
        bytes, [&decoded](Event &&) { ++decoded; }, [](int, const Text &) {});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main()
{
    const std::string bytes = manySpans();
    double best = 1e9;
    int decoded = 0;
    for (int repetition = 0; repetition < 3; ++repetition)
        best = std::min(best, secondsToDecode(bytes, decoded));
    std::printf(R"({"name": "decode 1M stream lines", "ours": %.4f, "reference": null, "unit": "s", "ratio": null, )"
                R"("better": "lower", "goal": %.1f, "met": %s})"
                "\n",
                best, kGoalSeconds, best <= kGoalSeconds ? "true" : "false");
    return decoded == kLines ? 0 : 1;
}

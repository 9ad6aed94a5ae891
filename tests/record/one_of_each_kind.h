// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/event.h"

#include <limits>
#include <vector>

namespace shardscope {

inline Machine someMachine()
{
    return {"gloo",
            "4 cores, \"EPYC\"",
            {"rank 0: CPU core", "rank 1: CPU core"},
            {{"libtorch", "1.13.1"}},
            {"a\nb\t\\"},
            {{"alpha", {0}, 0, 0}, {"beta", {1}, -1'234'567'890'123, 11'000}},
            "gpu1"};
}

/// One of each kind, every field away from its default.
inline std::vector<Event> oneOfEachKind()
{
    const Text text{TextId::StreamFieldBad, {"Y", "\xC3\xBC", "4"}};
    return {
        HelloEvent{1, 7, "0.1.0", someMachine(), 16000000000},
        RunEvent{"run 1",
                 Source::Predicted,
                 "2026-01-02T03:04:05+00:00",
                 "h100-8",
                 {{"hidden", "4096"}},
                 someMachine(),
                 11,
                 2999.5,
                 {0, 0, 2}},
        SpanEvent{3, 2, true, 5, 1'000'000'007, 1'000'000'009, 7'000, "all_reduce", std::int64_t{1} << 40, 17, "f32"},
        SpanEvent{0, 0, false, 0, 0, 1, 0, {}, 0, 0, {}},
        HopEvent{1, 2, true, 3, 4, 5, 6, 7},
        IterationEvent{1, 2, true, 3, std::numeric_limits<std::int64_t>::max()},
        BaselineEvent{4, {1, 2, 3}, {4, 5, 6}},
        CarriedEvent{4, "RING", "LL128"},
        CheckEvent{"dW1", 3.0000000000000004e-7, 1e-5, true},
        CheckEvent{"Y", 3e-7, 1e-5, true, 4e-7, 5e-7, 6e-7, 0, 7e-3},
        MemoryEvent{123, 456},
        ProgressEvent{text, 0.25},
        MessageEvent{MessageEvent::Level::Error, 2, text, {TextId::StreamLineNotJson, {"x"}}, "\x01 detail"},
        BandwidthEvent{CollectiveOp::ReduceScatter, 4, 1048576, 786432, 99},
        ComputeEvent{DType::BF16, 2, 1.5e11, 2e10, 1234.5},
        TopologyEvent{{{{0, 16, 68719476736}, {1, 16, -1}},
                       {{"00000000:1B:00.0", "NVIDIA H100", 85520809984, 85000000000, 3, 0, 5, 16, 18, 4}, {}},
                       {{0, 1, "NV18", 450}, {0, 2, "?", -1}}}},
        LoadEvent{93.5, 91.25, 4096, {{97, 1024}, {-1, -1}}},
        EndEvent{"run 1", EndEvent::Status::Cancelled, 130, 42},
    };
}

} // namespace shardscope

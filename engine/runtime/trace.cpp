// SPDX-License-Identifier: MIT
#include "engine/runtime/trace.h"

#include <algorithm>

namespace shardscope {

void Trace::add(int step, std::int64_t startNs, std::int64_t endNs)
{
    SpanEvent span;
    span.rank = rank;
    span.iteration = iteration;
    span.warmup = warmup;
    span.step = step;
    span.startNs = startNs;
    span.endNs = endNs;
    spans.push_back(std::move(span));
}

void Trace::add(int step, const CollectiveRecord &record)
{
    add(step, record.startNs, record.endNs);
    SpanEvent &span = spans.back();
    span.op = name(record.op);
    span.payloadBytes = record.payloadBytes;
    span.sentBytes = record.sentBytes;
    span.wireDtype = name(record.wireDtype);
    for (const HopRecord &hop : record.hops)
        hops.push_back({.rank = rank,
                        .iteration = iteration,
                        .warmup = warmup,
                        .step = step,
                        .hop = hop.hop,
                        .startNs = hop.startNs,
                        .endNs = hop.endNs,
                        .sentBytes = hop.sentBytes});
}

void Trace::sortBySteps()
{
    const auto before = [](const auto &a, const auto &b) { return a.step < b.step; };
    std::stable_sort(spans.begin(), spans.end(), before);
    std::stable_sort(hops.begin(), hops.end(), before);
}

} // namespace shardscope

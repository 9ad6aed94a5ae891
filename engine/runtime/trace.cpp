// SPDX-License-Identifier: MIT
#include "engine/runtime/trace.h"

#include <algorithm>

namespace shardscope {

void Trace::add(int step, Moment start, Moment end)
{
    SpanEvent span;
    span.rank = rank;
    span.iteration = iteration;
    span.warmup = warmup;
    span.step = step;
    spans.push_back(std::move(span));
    m_spanMoments.push_back({start, end});
}

void Trace::add(int step, const CollectiveRecord &record)
{
    add(step, record.start, record.end);
    SpanEvent &span = spans.back();
    span.op = name(record.op);
    span.payloadBytes = record.payloadBytes;
    span.sentBytes = record.sentBytes;
    span.wireDtype = name(record.wireDtype);
    for (const HopRecord &hop : record.hops) {
        HopEvent event;
        event.rank = rank;
        event.iteration = iteration;
        event.warmup = warmup;
        event.step = step;
        event.hop = hop.hop;
        event.sentBytes = hop.sentBytes;
        hops.push_back(event);
        m_hopMoments.push_back({hop.start, hop.end});
    }
}

void Trace::settle(const Stopwatch &stopwatch)
{
    const auto put = [&](auto &events, std::vector<Moments> &moments) {
        for (std::size_t i = 0; i < moments.size(); ++i) {
            events[i].startNs = stopwatch.ns(moments[i].start);
            events[i].endNs = stopwatch.ns(moments[i].end);
        }
        moments.clear();
    };
    for (std::size_t i = 0; i < m_spanMoments.size(); ++i)
        spans[i].launchNs = stopwatch.orderedNs(m_spanMoments[i].start, m_spanMoments[i].end);
    put(spans, m_spanMoments);
    put(hops, m_hopMoments);
    startNs = stopwatch.ns(began);
    endNs = stopwatch.ns(ended);
    const auto before = [](const auto &a, const auto &b) { return a.step < b.step; };
    std::stable_sort(spans.begin(), spans.end(), before);
    std::stable_sort(hops.begin(), hops.end(), before);
}

} // namespace shardscope

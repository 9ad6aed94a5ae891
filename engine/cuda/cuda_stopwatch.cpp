// SPDX-License-Identifier: MIT
#include "engine/cuda/cuda_stopwatch.h"

#include "engine/runtime/median.h"

#include <cmath>

namespace shardscope {

namespace {

constexpr int kBrackets = 20;
constexpr int kFloorPairs = 21;
constexpr std::int64_t kIdleLimitNs = 10'000'000'000;

} // namespace

CudaStopwatch::CudaStopwatch(const CudaApi &api, CurrentStream currentStream, HostClock host)
    : m_api(api), m_currentStream(std::move(currentStream)), m_host(std::move(host)),
      m_anchor(api, CudaEvent::Timing::On), m_candidate(api, CudaEvent::Timing::On)
{
}

void CudaStopwatch::waitFor(const CudaEvent &event) const
{
    const std::int64_t before = m_host();
    while (!event.passed())
        if (m_host() - before > kIdleLimitNs)
            throw CudaError("the GPU's stream did not become idle within 10 s: timed out");
}

CudaStopwatch::Bracket CudaStopwatch::bracket(CudaEvent &event) const
{
    const std::int64_t before = m_host();
    event.record(m_currentStream());
    waitFor(event);
    return {before, m_host()};
}

void CudaStopwatch::start()
{
    m_used = 0;
    if (!running())
        return;
    Bracket best = bracket(m_anchor);
    for (int i = 1; i < kBrackets; ++i) {
        const Bracket next = bracket(m_candidate);
        if (next.after - next.before >= best.after - best.before)
            continue;
        best = next;
        std::swap(m_anchor, m_candidate);
    }
    m_anchorUncertaintyNs = (best.after - best.before) / 2;
    m_anchorNs = best.before + m_anchorUncertaintyNs;
}

Moment CudaStopwatch::take()
{
    if (m_used == m_events.size())
        m_events.emplace_back(m_api, CudaEvent::Timing::On);
    m_orderedAt.resize(m_events.size());
    m_orderedAt[m_used] = Stopwatch::rawNs();
    m_events[m_used].record(m_currentStream());
    return {std::int64_t(++m_used)};
}

std::int64_t CudaStopwatch::timeOf(Moment moment) const
{
    return m_anchorNs + apartNs(m_anchor, m_events.at(std::size_t(moment.value - 1))) - originNs();
}

std::int64_t CudaStopwatch::orderingTime(Moment start, Moment end) const
{
    return m_orderedAt.at(std::size_t(end.value - 1)) - m_orderedAt.at(std::size_t(start.value - 1));
}

std::int64_t CudaStopwatch::apartNs(const CudaEvent &from, const CudaEvent &to) const
{
    float milliseconds = 0;
    requireCuda(m_api, m_api.eventElapsedTime(&milliseconds, from.get(), to.get()), "cudaEventElapsedTime");
    return std::llround(double(milliseconds) * 1e6);
}

std::int64_t CudaStopwatch::noiseFloorNs()
{
    CudaEvent first(m_api, CudaEvent::Timing::On);
    CudaEvent second(m_api, CudaEvent::Timing::On);
    std::vector<std::int64_t> apart;
    for (int i = 0; i < kFloorPairs; ++i) {
        first.record(m_currentStream());
        second.record(m_currentStream());
        waitFor(second);
        apart.push_back(apartNs(first, second));
    }
    return medianOf(std::move(apart));
}

} // namespace shardscope

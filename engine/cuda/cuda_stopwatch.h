// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cuda/cuda_api.h"
#include "engine/runtime/stopwatch.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace shardscope {

/// Times what a GPU does by events on its streams. Events say how far apart two points are on the device's own clock;
/// one of them, the anchor, is also bracketed by the host's, which places a series in the host's time.
///
/// A moment is the n-th event of the series. CUDA gives the distance as a float of milliseconds, so the anchor is made
/// anew for every step: 1 us would be the finest digit after 10 s.
class CudaStopwatch final : public Stopwatch
{
public:
    using HostClock = std::function<std::int64_t()>;
    using CurrentStream = std::function<cudaStream_t()>;

    /// Marks go to the stream that is current then. `host` is in nanoseconds of Stopwatch::rawNs().
    CudaStopwatch(const CudaApi &api, CurrentStream currentStream, HostClock host = Stopwatch::rawNs);

    /// Anchors a new series: records on the idle stream, spins until the event has passed, and keeps the narrowest of
    /// several brackets. Throws CudaError when the stream is not idle within the limit.
    void start() override;

    /// The marks so far, in their order.
    [[nodiscard]] std::size_t marks() const { return m_used; }
    /// Whether the device has passed the mark, counted from 0.
    [[nodiscard]] bool passed(std::size_t mark) const { return m_events[mark].passed(); }
    /// Half the bracket of the anchor: by how much a series may be shifted against the host's clock.
    [[nodiscard]] std::int64_t anchorUncertaintyNs() const { return m_anchorUncertaintyNs; }
    /// What two events with nothing between them are apart: no shorter duration can be told. Median of several.
    [[nodiscard]] std::int64_t noiseFloorNs();

protected:
    [[nodiscard]] Moment take() override;
    [[nodiscard]] std::int64_t timeOf(Moment moment) const override;
    [[nodiscard]] std::int64_t orderingTime(Moment start, Moment end) const override;

private:
    struct Bracket {
        std::int64_t before = 0;
        std::int64_t after = 0;
    };

    void waitFor(const CudaEvent &event) const;
    [[nodiscard]] Bracket bracket(CudaEvent &event) const;
    [[nodiscard]] std::int64_t apartNs(const CudaEvent &from, const CudaEvent &to) const;

    const CudaApi &m_api;
    CurrentStream m_currentStream;
    HostClock m_host;
    CudaEvent m_anchor;
    CudaEvent m_candidate;
    std::int64_t m_anchorNs = 0; ///< raw clock
    std::int64_t m_anchorUncertaintyNs = 0;
    std::vector<CudaEvent> m_events;       ///< a pool: the first m_used belong to this series
    std::vector<std::int64_t> m_orderedAt; ///< when each was ordered, of rawNs()
    std::size_t m_used = 0;
};

} // namespace shardscope

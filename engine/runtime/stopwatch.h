// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace shardscope {

/// When something happens, as a stopwatch notes it: of a CPU the time itself, of a device that works on its own a mark
/// that it passes later. Stopwatch::ns() tells the time.
struct Moment {
    std::int64_t value = 0;
    bool operator==(const Moment &) const = default;
};

/// Reads CLOCK_MONOTONIC, which all ranks of one host share, as nanoseconds since a run's origin. This one times a CPU,
/// which has done what it was told when the call returns; a device that only takes orders has a stopwatch of its own.
class Stopwatch
{
public:
    Stopwatch() = default;
    virtual ~Stopwatch() = default;
    Stopwatch(const Stopwatch &) = delete;
    Stopwatch &operator=(const Stopwatch &) = delete;

    /// Nanoseconds of the raw clock: rank 0's value is the origin of all.
    [[nodiscard]] static std::int64_t rawNs();

    void setOrigin(std::int64_t rawNs) { m_originNs = rawNs; }
    /// Nanoseconds since the origin on the host's clock.
    [[nodiscard]] std::int64_t now() const { return rawNs() - m_originNs; }

    /// The moment at which all that was ordered so far has been done; no moment while switched off.
    [[nodiscard]] Moment mark() { return m_running ? take() : Moment{}; }
    /// Nanoseconds since the origin; 0 of no moment. Of a device: only after it has settled, and until the next
    /// start().
    [[nodiscard]] std::int64_t ns(Moment moment) const { return moment == Moment{} ? 0 : timeOf(moment); }
    [[nodiscard]] std::int64_t between(Moment start, Moment end) const { return ns(end) - ns(start); }

    /// How long the host was busy between both, where it only orders; 0 where its calls do the work. Lives as long as
    /// ns().
    [[nodiscard]] std::int64_t orderedNs(Moment start, Moment end) const
    {
        return start == Moment{} || end == Moment{} ? 0 : orderingTime(start, end);
    }

    /// Begins a series of marks: those before it are forgotten. The device has nothing to do.
    virtual void start() {}

    /// Hook of the benchmark that holds a step with timing against one without.
    void setRunning(bool running) { m_running = running; }
    [[nodiscard]] bool running() const { return m_running; }

protected:
    [[nodiscard]] std::int64_t originNs() const { return m_originNs; }
    [[nodiscard]] virtual Moment take() { return {now()}; }
    [[nodiscard]] virtual std::int64_t timeOf(Moment moment) const { return moment.value; }
    [[nodiscard]] virtual std::int64_t orderingTime(Moment /*start*/, Moment /*end*/) const { return 0; }

private:
    std::int64_t m_originNs = 0;
    bool m_running = true;
};

} // namespace shardscope

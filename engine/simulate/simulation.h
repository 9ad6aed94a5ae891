// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/run.h"
#include "engine/simulate/collective_times.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace shardscope {

/// Walks a plan once in its order, with two clocks per rank, as the executor runs it: computing, and collectives beside
/// it. A collective that is not overlapped waits for those before it, and the rank for the collective; an overlapped
/// one is waited for by the step that needs its result. A message leaves its sender at once, and the receiver waits for
/// it where it first needs it. So waiting, bubbles and hidden communication come out of the plan's order alone.
///
/// Ranks that do the same are played once (alike_ranks.h).
class Simulation
{
public:
    enum class Ranks { Alike, Each }; ///< Each: all are played, to hold the other against
    /// Adds spans, hops and who stands in for whom to `run`, which has its plan and must outlive it.
    Simulation(const Hardware &hardware, Run &run, Ranks played = Ranks::Alike);

    void play();
    /// When the rank has ended its last step, and what it began.
    [[nodiscard]] std::int64_t endOf(int rank) const;

private:
    using Passage = std::pair<int, bool>; ///< micro-batch, and whether it goes back

    struct Clock {
        std::int64_t free = 0;                  ///< its last step has ended
        std::int64_t communication = 0;         ///< its last collective has ended
        std::int64_t link = 0;                  ///< its last message has left
        std::map<int, std::int64_t> overlapped; ///< step -> end, of what nobody has needed so far
        std::map<int, std::int64_t> arrivals;   ///< step -> arrival, of messages that nobody has needed so far
        std::map<Passage, std::int64_t> began;  ///< its first step on a micro-batch
        int lastCollective = -1;                ///< step; a group of ranks alike is played once
    };

    [[nodiscard]] Clock &clockOf(int rank) { return m_clocks[static_cast<std::size_t>(rank)]; }
    SpanEvent &addSpan(int rank, const Step &step, std::int64_t start, std::int64_t end);
    void addMessageSpan(int rank, const Step &step, std::int64_t start, std::int64_t end, std::int64_t sentBytes);
    void settle(int rank, int step);
    void begin(int rank, const Step &step);
    void playCompute(const Step &step);
    void playCollective(const Step &step);
    void playGroup(const Step &step, const std::vector<int> &group);
    void playMessage(const Step &step, int sender, int receiver);
    /// How the groups of a step lie on nodes; the same for all steps along an axis of the same stages.
    [[nodiscard]] const GroupSpan &spanOfGroups(const Step &step);
    void addHops(int rank, const Step &step, const CollectiveTimes &times, std::size_t place, std::int64_t start);

    Run &m_run;
    const Plan &m_plan;
    const Hardware m_machine;
    const Hardware m_share; ///< what each of the ranks has of the machine
    CollectiveTimetable m_timetable;
    std::vector<int> m_ranks; ///< that are played
    std::vector<Clock> m_clocks;
    using SpanKey = std::tuple<MeshAxis, int, int, int>; ///< axis, replicas, stages from and to
    std::map<SpanKey, GroupSpan> m_spans;
};

} // namespace shardscope

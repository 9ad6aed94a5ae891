// SPDX-License-Identifier: MIT
#include "engine/plan/schedule.h"

#include <algorithm>
#include <map>

namespace shardscope {
namespace {

std::vector<StageWork> allForward(int stage, int microBatches)
{
    std::vector<StageWork> work;
    for (int j = 0; j < microBatches; ++j)
        work.push_back({stage, j, false});
    return work;
}

std::vector<StageWork> gpipe(int stage, int microBatches)
{
    std::vector<StageWork> work = allForward(stage, microBatches);
    for (int j = microBatches - 1; j >= 0; --j)
        work.push_back({stage, j, true});
    return work;
}

std::vector<StageWork> oneFOneB(int stage, int stages, int microBatches)
{
    const int ahead = std::min(stages - stage - 1, microBatches);
    std::vector<StageWork> work = allForward(stage, ahead);
    for (int j = ahead; j < microBatches; ++j) {
        work.push_back({stage, j, false});
        work.push_back({stage, j - ahead, true});
    }
    for (int j = microBatches - ahead; j < microBatches; ++j)
        work.push_back({stage, j, true});
    return work;
}

/// Starts each stage's next piece of work as early as it can, in units of one forward.
class Timetable
{
public:
    Timetable(std::vector<std::vector<StageWork>> perStage) : m_queues(std::move(perStage)), m_free(m_queues.size(), 0)
    {
    }

    std::vector<ScheduledWork> ordered()
    {
        std::vector<ScheduledWork> order;
        for (int stage = next(); stage >= 0; stage = next()) {
            auto &queue = m_queues[static_cast<std::size_t>(stage)];
            const StageWork work = queue.front();
            queue.erase(queue.begin());
            const int begin = startOf(work);
            const int end = begin + (work.backward ? 2 : 1);
            m_free[static_cast<std::size_t>(stage)] = end;
            m_ends[{work.stage, work.microBatch, work.backward}] = end;
            order.push_back({work, begin, end});
        }
        return order;
    }

private:
    using Key = std::tuple<int, int, bool>;

    /// When what it needs is there; -1 when that has not been started.
    [[nodiscard]] int readyAt(const StageWork &work) const
    {
        const int last = static_cast<int>(m_queues.size()) - 1;
        Key needed{work.stage - 1, work.microBatch, false};
        if (work.backward)
            needed =
                work.stage == last ? Key{last, work.microBatch, false} : Key{work.stage + 1, work.microBatch, true};
        else if (work.stage == 0)
            return 0;
        const auto found = m_ends.find(needed);
        return found == m_ends.end() ? -1 : found->second;
    }

    [[nodiscard]] int startOf(const StageWork &work) const
    {
        return std::max(readyAt(work), m_free[static_cast<std::size_t>(work.stage)]);
    }

    /// The stage whose next work can start first; -1 when all is done.
    [[nodiscard]] int next() const
    {
        int best = -1;
        int earliest = 0;
        for (std::size_t stage = 0; stage < m_queues.size(); ++stage) {
            if (m_queues[stage].empty() || readyAt(m_queues[stage].front()) < 0)
                continue;
            const int start = startOf(m_queues[stage].front());
            if (best < 0 || start < earliest) {
                best = static_cast<int>(stage);
                earliest = start;
            }
        }
        return best;
    }

    std::vector<std::vector<StageWork>> m_queues;
    std::vector<int> m_free;
    std::map<Key, int> m_ends;
};

} // namespace

std::vector<ScheduledWork> pipelineTimetable(Schedule schedule, int stages, int microBatches, bool training)
{
    std::vector<std::vector<StageWork>> perStage;
    for (int stage = 0; stage < stages; ++stage) {
        if (!training)
            perStage.push_back(allForward(stage, microBatches));
        else if (stages == 1) // nothing to overlap: each micro-batch goes forward and back
            perStage.push_back(oneFOneB(0, 1, microBatches));
        else
            perStage.push_back(schedule == Schedule::GPipe ? gpipe(stage, microBatches)
                                                           : oneFOneB(stage, stages, microBatches));
    }
    return Timetable(std::move(perStage)).ordered();
}

std::vector<StageWork> pipelineOrder(Schedule schedule, int stages, int microBatches, bool training)
{
    std::vector<StageWork> order;
    for (const ScheduledWork &scheduled : pipelineTimetable(schedule, stages, microBatches, training))
        order.push_back(scheduled.work);
    return order;
}

} // namespace shardscope

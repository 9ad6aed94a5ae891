// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/step_times.h"

#include "engine/record/statistics.h"

#include <algorithm>

namespace shardscope {

StepTimes stepTimes(const TimelineData &data)
{
    StepTimes times;
    if (data.empty())
        return times;
    times.elapsedNs = data.timedNs[static_cast<std::size_t>(data.timedNumber - 1)];
    double busy = 0;
    double ranks = 0;
    for (std::size_t row = 0; row < data.rows.size(); ++row) {
        const int rank = data.rows[row];
        std::vector<Interval> compute;
        for (const TimelineBar &bar : data.laneAt(rank, 0).bars)
            compute.push_back({bar.begin, bar.end});
        std::vector<Interval> communication;
        std::int64_t waitNs = 0;
        for (const TimelineBar *bar : data.collectives(rank)) {
            communication.push_back({bar->begin, bar->end});
            waitNs += bar->waitNs;
        }
        times.waitNs = std::max(times.waitNs, waitNs);
        ranks += data.alike[row];
        busy += static_cast<double>(unionLength(compute)) * data.alike[row];
        if (const std::int64_t length = unionLength(communication); length > times.communicationNs) {
            times.communicationNs = length;
            times.hiddenNs = coveredLength(communication, compute);
        }
    }
    if (times.elapsedNs > 0)
        times.idleShare = 1 - busy / (static_cast<double>(times.elapsedNs) * ranks);
    return times;
}

} // namespace shardscope

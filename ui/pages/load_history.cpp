// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/load_history.h"

#include <algorithm>

namespace shardscope {

void addLoad(std::vector<LoadSample> &history, const LoadSample &sample)
{
    // A clock that went back is another clock.
    if (!history.empty() && sample.seconds < history.back().seconds)
        history.clear();
    history.push_back(sample);
    const double oldest = sample.seconds - kHistorySeconds;
    std::erase_if(history, [oldest](const LoadSample &old) { return old.seconds < oldest; });
}

std::vector<std::pair<std::size_t, std::size_t>> stretches(const std::vector<LoadSample> &history)
{
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::size_t first = 0;
    for (std::size_t i = 1; i <= history.size(); ++i) {
        if (i < history.size() && history[i].seconds - history[i - 1].seconds <= kHistoryGapSeconds)
            continue;
        found.emplace_back(first, i);
        first = i;
    }
    return found;
}

double othersPercent(const LoadEvent &load)
{
    return std::max(0.0, load.cpuPercent - load.ranksPercent);
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/record/statistics.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Ascending, disjoint, without empty intervals.
std::vector<Interval> merged(std::vector<Interval> intervals)
{
    std::sort(intervals.begin(), intervals.end(), [](const auto &a, const auto &b) { return a.begin < b.begin; });
    std::vector<Interval> result;
    for (const Interval &interval : intervals) {
        if (interval.end <= interval.begin)
            continue;
        if (!result.empty() && interval.begin <= result.back().end)
            result.back().end = std::max(result.back().end, interval.end);
        else
            result.push_back(interval);
    }
    return result;
}

std::int64_t sumOfLengths(const std::vector<Interval> &disjoint)
{
    std::int64_t sum = 0;
    for (const Interval &interval : disjoint)
        sum += interval.end - interval.begin;
    return sum;
}

} // namespace

std::int64_t unionLength(std::vector<Interval> intervals)
{
    return sumOfLengths(merged(std::move(intervals)));
}

std::int64_t coveredLength(std::vector<Interval> a, std::vector<Interval> b)
{
    const std::vector<Interval> left = merged(std::move(a));
    const std::vector<Interval> right = merged(std::move(b));
    std::int64_t covered = 0;
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
        const std::int64_t begin = std::max(left[i].begin, right[j].begin);
        const std::int64_t end = std::min(left[i].end, right[j].end);
        covered += std::max<std::int64_t>(0, end - begin);
        if (left[i].end < right[j].end)
            ++i;
        else
            ++j;
    }
    return covered;
}

} // namespace shardscope

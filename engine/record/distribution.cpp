// SPDX-License-Identifier: MIT
#include "engine/record/statistics.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

/// Linear interpolation between order statistics (Hyndman and Fan's type 7, numpy's default).
double percentile(const std::vector<double> &sorted, double share)
{
    const double position = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(position));
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

} // namespace

std::optional<Distribution> distributionOf(std::vector<double> samples)
{
    if (samples.empty())
        return std::nullopt;
    std::sort(samples.begin(), samples.end());
    return Distribution{percentile(samples, 0.5), percentile(samples, 0.1), percentile(samples, 0.9),
                        static_cast<int>(samples.size())};
}

std::optional<double> medianOf(std::vector<double> samples)
{
    const auto distribution = distributionOf(std::move(samples));
    return distribution ? std::optional(distribution->median) : std::nullopt;
}

std::optional<double> busFactor(std::string_view op, int ranks)
{
    if (ranks <= 1)
        return std::nullopt;
    const double share = static_cast<double>(ranks - 1) / ranks;
    if (op == "all_reduce")
        return 2 * share;
    if (op == "all_gather" || op == "reduce_scatter" || op == "all_to_all")
        return share;
    return 1;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/simulate/achieved_rates.h"

#include "engine/record/format.h"
#include "engine/simulate/rate_rows.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace shardscope {
namespace {

/// Three digits in steps of 1000.
std::string inSteps(double value, std::string_view unit)
{
    constexpr std::array<std::string_view, 6> kSteps{"", "k", "M", "G", "T", "P"};
    std::size_t step = 0;
    while (value >= 999.5 && step + 1 < kSteps.size()) {
        value /= 1000;
        ++step;
    }
    return formatNumber(value) + ' ' + std::string(kSteps[step]) + std::string(unit);
}

} // namespace

void setShare(RateRow &row, double roundedNs)
{
    if (!row.peak || !row.perSecond || !row.medianNs || !(row.peak->perSecond > 0))
        return;
    row.share = *row.perSecond / row.peak->perSecond;
    if (*row.share > 1 && *row.share - 1 <= roundedNs / *row.medianNs)
        row.share = 1;
}

std::string_view name(RateKind kind)
{
    constexpr std::array<std::string_view, 3> kNames{"matrix_products", "memory_bound", "collective"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(PeakOrigin origin)
{
    constexpr std::array<std::string_view, 4> kNames{"data_sheet", "measured", "link_specification", "assumed"};
    return kNames[static_cast<std::size_t>(origin)];
}

std::string_view name(RateLimit limit)
{
    constexpr std::array<std::string_view, 5> kNames{"unknown", "peak", "memory", "arithmetic", "latency"};
    return kNames[static_cast<std::size_t>(limit)];
}

std::vector<RateRow> achievedRates(const Run &run, const RunSummary &summary, const Hardware *peaks)
{
    std::vector<RateRow> rows = computeRates(run, peaks);
    std::vector<RateRow> collectives = collectiveRates(run, summary, peaks);
    std::ranges::move(collectives, std::back_inserter(rows));
    return rows;
}

std::string formatFlopRate(double flopPerSecond)
{
    return inSteps(flopPerSecond, "FLOP/s");
}

std::string formatByteRate(double bytesPerSecond)
{
    return inSteps(bytesPerSecond, "B/s");
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/cli/units.h"

#include "engine/record/event.h"
#include "engine/record/format.h"

namespace shardscope::cli {

std::string bytesText(std::int64_t bytes)
{
    return formatBinaryBytes(bytes);
}

std::string durationText(std::optional<double> nanoseconds)
{
    return nanoseconds ? formatTime(*nanoseconds) : "-";
}

std::string bandwidthText(std::optional<double> gigabytesPerSecond)
{
    return gigabytesPerSecond ? formatNumber(*gigabytesPerSecond) + " GB/s" : "-";
}

std::string ratioText(std::optional<double> ratio)
{
    return ratio ? formatRatio(*ratio) + " x" : "-";
}

std::string percentText(std::optional<double> share)
{
    return share ? formatPercent(*share) : "-";
}

std::string scientificText(double value)
{
    if (value == kUnknownError)
        return "NaN";
    return formatScientific(value);
}

} // namespace shardscope::cli

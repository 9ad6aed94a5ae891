// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// One line of packaging/bench.sh. `ours` and `reference` share the unit; `goal` bounds the ratio ours/reference, or
/// `ours` itself where there is no reference.
struct BenchResult {
    std::string name;
    double ours = 0;
    std::optional<double> reference = std::nullopt;
    std::string unit;
    bool lowerIsBetter = true;
    double goal = 0;
};

/// Prints it as one JSON object with ratio and met.
inline void printResult(const BenchResult &result)
{
    const auto number = [](std::optional<double> value) {
        char text[40] = "null";
        if (value)
            std::snprintf(text, sizeof text, "%.6g", *value);
        return std::string(text);
    };
    std::optional<double> ratio;
    if (result.reference && *result.reference > 0)
        ratio = result.ours / *result.reference;
    const double judged = ratio.value_or(result.ours);
    const bool met = result.lowerIsBetter ? judged <= result.goal : judged >= result.goal;
    std::printf(
        "{ \"name\": \"%s\", \"ours\": %s, \"reference\": %s, \"unit\": \"%s\", \"ratio\": %s, \"better\": \"%s\", "
        "\"goal\": %s, \"met\": %s }\n",
        result.name.c_str(), number(result.ours).c_str(), number(result.reference).c_str(), result.unit.c_str(),
        number(ratio).c_str(), result.lowerIsBetter ? "lower" : "higher", number(result.goal).c_str(),
        met ? "true" : "false");
    std::fflush(stdout);
}

inline double medianOf(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return samples.empty() ? 0 : samples[samples.size() / 2];
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/cli/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace shardscope::cli {
namespace {

std::string written(double value, std::chars_format format, int precision)
{
    std::array<char, 400> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
    return end.ec == std::errc{} ? std::string(buffer.data(), end.ptr) : std::string("-");
}

/// Divides until the number is short, and names the unit.
template <std::size_t N>
std::string scaled(double value, double step, const std::array<std::string_view, N> &units)
{
    std::size_t unit = 0;
    while (unit + 1 < N && std::abs(value) >= step) {
        value /= step;
        ++unit;
    }
    return numberText(value) + ' ' + std::string(units[unit]);
}

} // namespace

std::string numberText(double value, int digits)
{
    if (!std::isfinite(value))
        return "-";
    const int before = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
    const int decimals = std::clamp(digits - before, 0, 9);
    std::string text = written(value, std::chars_format::fixed, decimals);
    // 256.0 B and 1.50 MiB would claim digits that nobody needs.
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string bytesText(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return scaled(static_cast<double>(bytes), 1024, kUnits);
}

std::string durationText(std::optional<double> nanoseconds)
{
    constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
    return nanoseconds ? scaled(*nanoseconds, 1000, kUnits) : "-";
}

std::string bandwidthText(std::optional<double> gigabytesPerSecond)
{
    return gigabytesPerSecond ? numberText(*gigabytesPerSecond) + " GB/s" : "-";
}

std::string ratioText(std::optional<double> ratio)
{
    return ratio ? numberText(*ratio) + " x" : "-";
}

std::string percentText(std::optional<double> share)
{
    return share ? numberText(*share * 100, 2) + " %" : "-";
}

std::string scientificText(double value)
{
    return value < 0 ? "NaN" : written(value, std::chars_format::scientific, 1);
}

} // namespace shardscope::cli

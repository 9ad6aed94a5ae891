// SPDX-License-Identifier: MIT
#include "engine/record/format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace shardscope {
namespace {

/// std::to_chars: printf and streams would write the locale's decimal comma.
std::string toChars(double value, std::chars_format format, int precision)
{
    std::array<char, 400> digits; // the largest double has 309 digits before the point
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, format, precision);
    return {digits.data(), end};
}

std::string withoutTrailingZeros(std::string text)
{
    if (text.find('.') == std::string::npos)
        return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

/// Three significant digits, never an exponent.
std::string threeDigits(double value)
{
    if (!std::isfinite(value))
        return "-";
    if (value == 0)
        return "0";
    const int decimals = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    if (decimals < 0)
        return toChars(value, std::chars_format::fixed, 0);
    return withoutTrailingZeros(toChars(value, std::chars_format::fixed, decimals));
}

} // namespace

std::string fixedDecimals(double value, int decimals)
{
    return withoutTrailingZeros(toChars(value, std::chars_format::fixed, decimals));
}

std::string formatBinaryBytes(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    // 1023.7 KiB reads "1024 KiB" when rounded: it belongs to the next unit.
    while (value >= 1023.5 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return threeDigits(value) + ' ' + std::string(kUnits[unit]);
}

std::string formatGibibytes(std::int64_t bytes)
{
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    constexpr double kOneDecimal = 99.995;
    constexpr double kTwoDecimals = 0.9995;
    const double value = static_cast<double>(bytes) / kGiB;
    const int decimals = value >= kOneDecimal ? 1 : value >= kTwoDecimals ? 2 : 3;
    return toChars(value, std::chars_format::fixed, decimals) + " GiB";
}

std::string formatTime(double nanoseconds)
{
    constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    while (nanoseconds >= 999.5 && unit + 1 < kUnits.size()) {
        nanoseconds /= 1000;
        ++unit;
    }
    return threeDigits(nanoseconds) + ' ' + std::string(kUnits[unit]);
}

std::string formatRatio(double ratio)
{
    if (ratio >= 0.995 && ratio < 9.95)
        return toChars(ratio, std::chars_format::fixed, 1);
    if (ratio >= 9.95)
        return toChars(ratio, std::chars_format::fixed, 0);
    constexpr double kLeastOfThreeDecimals = 0.0095;
    if (ratio < kLeastOfThreeDecimals)
        return threeDigits(ratio); // rounded to three decimals it might read as nothing at all
    return withoutTrailingZeros(toChars(ratio, std::chars_format::fixed, ratio < 0.095 ? 3 : 2));
}

std::string formatNumber(double value)
{
    return threeDigits(value);
}

std::string formatRate(double gigabytesPerSecond)
{
    const bool small = gigabytesPerSecond < 0.9995;
    return threeDigits(small ? gigabytesPerSecond * 1000 : gigabytesPerSecond) + (small ? " MB/s" : " GB/s");
}

std::string formatPercent(double share)
{
    const double percent = share * 100;
    return toChars(percent, std::chars_format::fixed, percent > 0 && percent < 9.95 ? 1 : 0) + " %";
}

std::string formatScientific(double value)
{
    return toChars(value, std::chars_format::scientific, 1);
}

std::string csvLine(const std::vector<std::string> &cells)
{
    std::string line;
    for (const std::string &cell : cells) {
        if (!line.empty() || &cell != &cells.front())
            line += ',';
        if (cell.find_first_of(",\"\r\n") == std::string::npos) {
            line += cell;
            continue;
        }
        line += '"';
        for (const char c : cell)
            line.append(c == '"' ? 2 : 1, c);
        line += '"';
    }
    return line += '\n';
}

} // namespace shardscope

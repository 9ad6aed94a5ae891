// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/number_format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {
namespace {

constexpr QChar kNoBreakSpace(0x00A0);
constexpr QChar kMinus(0x2212);

QString withUnit(const QString &number, const QString &unit)
{
    return number + kNoBreakSpace + unit;
}

/// The largest unit in which the value, rounded to three digits, does not reach the next unit.
template <std::size_t n>
QString scaled(double value, double base, const std::array<const char16_t *, n> &units)
{
    std::size_t unit = 0;
    double number = value;
    // 999.6 ns is written "1 µs", not "1000 ns": the decision is made on the rounded number.
    while (unit + 1 < n && std::abs(number) >= base - 0.5) {
        number /= base;
        ++unit;
    }
    return withUnit(formatNumber(number), QString::fromUtf16(units[unit]));
}

QString withoutTrailingZeros(QString text)
{
    if (!text.contains(QLatin1Char('.')))
        return text;
    while (text.endsWith(QLatin1Char('0')))
        text.chop(1);
    if (text.endsWith(QLatin1Char('.')))
        text.chop(1);
    return text;
}

} // namespace

QString undefinedText()
{
    return QStringLiteral("–");
}

QString formatNumber(double value, int digits)
{
    if (!std::isfinite(value))
        return undefinedText();
    if (value == 0)
        return QStringLiteral("0");
    const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const int decimals = std::clamp(digits - 1 - magnitude, 0, 12);
    // QString::number is the C locale; QLocale would write "1,5" in German.
    QString text = withoutTrailingZeros(QString::number(std::abs(value), 'f', decimals));
    if (text == QLatin1String("0"))
        text = QString::number(std::abs(value), 'g', digits);
    return value < 0 ? kMinus + text : text;
}

QString formatDuration(double nanoseconds)
{
    static constexpr std::array<const char16_t *, 4> units{u"ns", u"µs", u"ms", u"s"};
    return std::isfinite(nanoseconds) ? scaled(nanoseconds, 1000, units) : undefinedText();
}

QString formatDuration(const std::optional<double> &nanoseconds)
{
    return nanoseconds ? formatDuration(*nanoseconds) : undefinedText();
}

QString formatBytes(double bytes)
{
    static constexpr std::array<const char16_t *, 6> units{u"B", u"KiB", u"MiB", u"GiB", u"TiB", u"PiB"};
    return std::isfinite(bytes) ? scaled(bytes, 1024, units) : undefinedText();
}

QString formatFlop(double operations)
{
    static constexpr std::array<const char16_t *, 6> units{u"FLOP", u"kFLOP", u"MFLOP", u"GFLOP", u"TFLOP", u"PFLOP"};
    return std::isfinite(operations) ? scaled(operations, 1000, units) : undefinedText();
}

QString formatGrouped(std::int64_t value)
{
    QString text = QString::number(value);
    const qsizetype first = value < 0 ? 1 : 0;
    for (qsizetype at = text.size() - 3; at > first; at -= 3)
        text.insert(at, kNoBreakSpace);
    return text;
}

QString formatExactBytes(std::int64_t bytes)
{
    return withUnit(formatGrouped(bytes), QStringLiteral("B"));
}

QString formatGBs(const std::optional<double> &gigabytesPerSecond)
{
    if (!gigabytesPerSecond || !std::isfinite(*gigabytesPerSecond))
        return undefinedText();
    return withUnit(formatNumber(*gigabytesPerSecond), QStringLiteral("GB/s"));
}

QString formatShare(double share)
{
    if (!std::isfinite(share))
        return undefinedText();
    const double percent = share * 100;
    if (percent > 0 && percent < 0.1)
        return withUnit(QStringLiteral("<0.1"), QStringLiteral("%"));
    // Not everything is not "100 %".
    if (percent >= 99.5 && percent < 100)
        return withUnit(QStringLiteral(">99"), QStringLiteral("%"));
    return withUnit(formatNumber(percent, 2), QStringLiteral("%"));
}

QString formatRatio(const std::optional<double> &ratio)
{
    return ratio && std::isfinite(*ratio) ? formatNumber(*ratio, 2) + QStringLiteral("×") : undefinedText();
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/plan/option_reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace shardscope {
namespace {

/// All of `text` as a number; `errc` is out_of_range when it is one, but too large.
template <typename T>
std::errc parseAll(std::string_view text, T &value)
{
    const char *end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec == std::errc() && result.ptr != end)
        return std::errc::invalid_argument;
    return result.ec;
}

Text problem(TextId id, std::string_view option, std::string_view text, std::string least, std::string most)
{
    return {id, {std::string(option), std::string(text), std::move(least), std::move(most)}};
}

template <typename T>
Expected<T> readWhole(std::string_view option, std::string_view text, T least, T most)
{
    T value{};
    const std::errc error = parseAll(text, value);
    const bool tooLarge = error == std::errc::result_out_of_range;
    if (error != std::errc() && !tooLarge)
        return problem(TextId::OptionNotAWholeNumber, option, text, std::to_string(least), std::to_string(most));
    if (tooLarge || value < least || value > most)
        return problem(TextId::OptionOutOfRange, option, text, std::to_string(least), std::to_string(most));
    return value;
}

/// Levenshtein distance: the fewest insertions, deletions and replacements from `a` to `b`.
std::size_t typingErrors(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

} // namespace

Expected<std::int64_t> readInteger(std::string_view option, std::string_view text, std::int64_t least,
                                   std::int64_t most)
{
    return readWhole<std::int64_t>(option, text, least, most);
}

Expected<std::uint64_t> readUnsigned(std::string_view option, std::string_view text)
{
    return readWhole<std::uint64_t>(option, text, 0, UINT64_MAX);
}

Expected<double> readNumber(std::string_view option, std::string_view text, double least, double most)
{
    double value = 0;
    const std::errc error = parseAll(text, value);
    if (error == std::errc::invalid_argument || !std::isfinite(value))
        return problem(TextId::OptionNotANumber, option, text, numberText(least), numberText(most));
    if (error != std::errc() || value < least || value > most)
        return problem(TextId::OptionOutOfRange, option, text, numberText(least), numberText(most));
    return value;
}

Expected<std::size_t> readWord(std::string_view option, std::string_view text, const std::vector<std::string> &words,
                               const std::vector<std::string_view> &later)
{
    const auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end())
        return static_cast<std::size_t>(found - words.begin());
    std::vector<std::string> args{std::string(option), std::string(text), commaList(words)};
    const bool isLater = std::find(later.begin(), later.end(), text) != later.end();
    if (isLater)
        return Text{TextId::ValueNotInThisVersion, args};
    return Text{TextId::OptionNoSuchValue, args};
}

std::string numberText(double value)
{
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

std::string nearestWord(std::string_view word, const std::vector<std::string> &candidates)
{
    constexpr std::size_t kNear = 3; // more typing errors are no typing error
    std::string nearest;
    std::size_t fewest = std::min(kNear, word.size() / 2 + 1);
    for (const std::string &candidate : candidates) {
        const std::size_t errors = typingErrors(word, candidate);
        if (errors < fewest) {
            fewest = errors;
            nearest = candidate;
        }
    }
    return nearest;
}

} // namespace shardscope

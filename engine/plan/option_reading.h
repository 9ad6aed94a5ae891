// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// Reading of option values, the same in every locale. Each problem names the option, what was given and what is
// allowed.

/// A whole number from `least` to `most`, all of the text: "4x", "", "-1" (below least) and what overflows are refused.
[[nodiscard]] Expected<std::int64_t> readInteger(std::string_view option, std::string_view text, std::int64_t least,
                                                 std::int64_t most);
/// The same for 64 bits without sign.
[[nodiscard]] Expected<std::uint64_t> readUnsigned(std::string_view option, std::string_view text);
/// A finite number from `least` to `most`.
[[nodiscard]] Expected<double> readNumber(std::string_view option, std::string_view text, double least, double most);
/// The index of `text` in `words`; a word of `later` is "not in this version".
[[nodiscard]] Expected<std::size_t> readWord(std::string_view option, std::string_view text,
                                             const std::vector<std::string> &words,
                                             const std::vector<std::string_view> &later = {});

/// Shortest text that reads back as the same number, with a decimal point in every locale.
[[nodiscard]] std::string numberText(double value);
/// The candidate that differs from `word` by the fewest typing errors; empty when none is near.
[[nodiscard]] std::string nearestWord(std::string_view word, const std::vector<std::string> &candidates);

} // namespace shardscope

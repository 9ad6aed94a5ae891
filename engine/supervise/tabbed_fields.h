// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace shardscope {

/// The fields of a line that a child told, between tabs; at least one.
[[nodiscard]] inline std::vector<std::string_view> tabbedFields(std::string_view line)
{
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t end = std::min(line.find('\t'), line.size());
        fields.push_back(line.substr(0, end));
        if (end == line.size())
            return fields;
        line.remove_prefix(end + 1);
    }
}

/// The number that the text begins with, else `otherwise`.
template <typename Number>
[[nodiscard]] Number numberOf(std::string_view text, Number otherwise)
{
    std::from_chars(text.data(), text.data() + text.size(), otherwise);
    return otherwise;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace shardscope::presets {

// Reading of preset files: a key that is missing or wrong is thrown as BadKey, which the parse functions turn into
// their problem.

using nlohmann::json;

/// Carries the key out of the reading functions; never leaves a parse function.
struct BadKey {
    std::string key;
    std::string why;
};

/// Throws BadKey unless the file is an object of schema 1.
void requireSchema(const json &file);
[[nodiscard]] const json &required(const json &object, std::string_view key);
[[nodiscard]] std::string word(const json &object, const std::string &key);
/// A positive number; 0 only where allowed.
[[nodiscard]] double number(const json &object, const std::string &key, bool zeroAllowed = false);
/// A whole number from `least` on; what a count in a file may be at most keeps it inside an int.
[[nodiscard]] int count(const json &object, const std::string &key, int least);
[[nodiscard]] bool truth(const json &object, const std::string &key);
/// The list "sources": where the file's numbers come from.
[[nodiscard]] std::vector<std::string> sources(const json &file);

} // namespace shardscope::presets

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace shardscope {

/// What can be read of a file of /proc or /sys; as much as came before an error. The kernel refuses to read on when the
/// process of an open file has gone in the meantime, and a bare istreambuf_iterator throws then.
[[nodiscard]] std::string textOf(std::istream &file);
/// The same by name; empty where there is no such file.
[[nodiscard]] std::string kernelFile(const std::string &path);

/// What follows `key` on its line of such a text; empty when there is none.
[[nodiscard]] std::string_view valueOf(std::string_view text, std::string_view key);
/// The number that a text begins with, after blanks; 0 when there is none.
[[nodiscard]] std::int64_t leadingNumber(std::string_view text);

} // namespace shardscope

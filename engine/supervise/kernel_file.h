// SPDX-License-Identifier: MIT
#pragma once

#include <istream>
#include <string>

namespace shardscope {

/// What can be read of a file of /proc or /sys; as much as came before an error. The kernel refuses to read on when the
/// process of an open file has gone in the meantime, and a bare istreambuf_iterator throws then.
[[nodiscard]] std::string textOf(std::istream &file);
/// The same by name; empty where there is no such file.
[[nodiscard]] std::string kernelFile(const std::string &path);

} // namespace shardscope

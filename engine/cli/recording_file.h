// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace shardscope::cli {

/// The bytes of a saved run: a file or a pipe, up to 1 GiB. Throws Failure (exit 2) for what is none, such as a folder,
/// a device, a pipe that nobody writes to, or binary data.
[[nodiscard]] std::string readRecording(const std::string &path);

} // namespace shardscope::cli

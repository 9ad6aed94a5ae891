// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace shardscope {

/// What `body` writes to the descriptor that it is given, in a child of its own that ends with it; the child is killed
/// at the limit. For what must not happen in this process: it loads libraries, starts threads, may crash.
[[nodiscard]] std::string childReport(const std::function<void(int fd)> &body, std::chrono::milliseconds limit);

} // namespace shardscope

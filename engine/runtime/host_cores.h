// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope {

/// The cores that this process may use, a bit each; every host's have the same length.
[[nodiscard]] std::vector<std::int64_t> allowedCoreBits();

[[nodiscard]] int bitsIn(const std::vector<std::int64_t> &words);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope {

/// A bar on one track of a trace. `payload` is the caller's index.
struct TrackSlice {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::size_t payload = 0;
};

/// Makes the slices of one track nest or be disjoint: viewers drop slices that overlap otherwise (perfetto#4280).
/// Where two overlap, the later one gives way: it loses its beginning, or its end, whichever is less. In start order,
/// parents before children.
[[nodiscard]] std::vector<TrackSlice> nested(std::vector<TrackSlice> slices);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace shardscope {

/// "W1" in layer index 1 (from 0) of several: "W1.2".
[[nodiscard]] inline std::string layerName(const std::string &name, std::int64_t layer, std::int64_t layers)
{
    return layers > 1 ? name + "." + std::to_string(layer + 1) : name;
}

/// "X" of micro-batch index 1 (from 0) of several: "X#2".
[[nodiscard]] inline std::string microBatchName(const std::string &name, int microBatch, int microBatches)
{
    return microBatches > 1 ? name + "#" + std::to_string(microBatch + 1) : name;
}

} // namespace shardscope

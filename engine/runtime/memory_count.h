// SPDX-License-Identifier: MIT
#pragma once

#include "engine/runtime/torch_headers.h"

#include <cstdint>
#include <vector>

namespace shardscope {

/// Counts the bytes of tensors held at the same time, each storage once.
class MemoryCount
{
public:
    void hold(const at::Tensor &tensor);
    void release(const at::Tensor &tensor);
    /// Whether more than one holder has the tensor's storage: nobody may then overwrite it.
    [[nodiscard]] bool isShared(const at::Tensor &tensor) const;
    /// Notes a moment in which `extraBytes` were held beside the tensors.
    void touch(std::int64_t extraBytes = 0);
    [[nodiscard]] std::int64_t peakBytes() const { return m_peak; }

private:
    struct Holding {
        const void *storage = nullptr;
        int holders = 0;
        std::int64_t bytes = 0;
    };

    std::vector<Holding> m_holdings;
    std::int64_t m_bytes = 0;
    std::int64_t m_peak = 0;
};

} // namespace shardscope

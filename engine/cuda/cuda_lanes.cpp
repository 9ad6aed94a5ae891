// SPDX-License-Identifier: MIT
#include "engine/cuda/cuda_lanes.h"

namespace shardscope {

std::size_t CollectiveLane::start(std::function<void()> transfer)
{
    if (m_beforeEach)
        m_beforeEach();
    m_stream.follow();
    m_stream.with(transfer);
    return m_stream.leave();
}

} // namespace shardscope

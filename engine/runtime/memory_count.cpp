// SPDX-License-Identifier: MIT
#include "engine/runtime/memory_count.h"

#include <algorithm>

namespace shardscope {

namespace {

template <typename Holdings>
auto find(Holdings &holdings, const at::Tensor &tensor)
{
    const void *storage = tensor.storage().unsafeGetStorageImpl();
    return std::find_if(holdings.begin(), holdings.end(),
                        [storage](const auto &holding) { return holding.storage == storage; });
}

} // namespace

void MemoryCount::hold(const at::Tensor &tensor)
{
    const auto found = find(m_holdings, tensor);
    if (found != m_holdings.end()) {
        ++found->holders;
        return;
    }
    m_holdings.push_back({tensor.storage().unsafeGetStorageImpl(), 1, std::int64_t(tensor.storage().nbytes())});
    m_bytes += m_holdings.back().bytes;
}

void MemoryCount::release(const at::Tensor &tensor)
{
    const auto found = find(m_holdings, tensor);
    if (found == m_holdings.end() || --found->holders > 0)
        return;
    m_bytes -= found->bytes;
    m_holdings.erase(found);
}

bool MemoryCount::isShared(const at::Tensor &tensor) const
{
    const auto found = find(m_holdings, tensor);
    return found != m_holdings.end() && found->holders > 1;
}

void MemoryCount::touch(std::int64_t extraBytes)
{
    m_peak = std::max(m_peak, m_bytes + extraBytes);
}

} // namespace shardscope

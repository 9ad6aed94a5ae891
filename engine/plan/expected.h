// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/text.h"

#include <utility>
#include <variant>

namespace shardscope {

/// A value, or the reason why there is none. C++20 has no std::expected.
template <typename T>
class Expected
{
public:
    Expected(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Expected(Text problem) : m_state(std::in_place_index<1>, std::move(problem)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] const T &value() const { return std::get<0>(m_state); }
    [[nodiscard]] T &value() { return std::get<0>(m_state); }
    const T *operator->() const { return &value(); }
    const T &operator*() const { return value(); }

    /// Why there is no value; only when !ok().
    [[nodiscard]] const Text &problem() const { return std::get<1>(m_state); }

private:
    std::variant<T, Text> m_state;
};

} // namespace shardscope

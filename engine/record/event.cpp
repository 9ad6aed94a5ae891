// SPDX-License-Identifier: MIT
#include "engine/record/event.h"

#include <array>

namespace shardscope {

std::string_view name(Source source)
{
    constexpr std::array<std::string_view, 3> kNames{"measured", "predicted", "recorded"};
    return kNames[static_cast<std::size_t>(source)];
}

std::string_view name(MessageEvent::Level level)
{
    constexpr std::array<std::string_view, 3> kNames{"info", "warning", "error"};
    return kNames[static_cast<std::size_t>(level)];
}

std::string_view name(EndEvent::Status status)
{
    constexpr std::array<std::string_view, 3> kNames{"done", "failed", "cancelled"};
    return kNames[static_cast<std::size_t>(status)];
}

} // namespace shardscope

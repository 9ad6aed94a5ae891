// SPDX-License-Identifier: MIT
#include "engine/record/event.h"

#include <algorithm>
#include <array>
#include <charconv>

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

std::string titleOf(const Machine &machine)
{
    if (machine.remote.empty())
        return machine.host;
    return machine.host.empty() ? machine.remote : machine.remote + " (" + machine.host + ')';
}

int coresOf(const Machine &machine)
{
    int cores = 0;
    std::from_chars(machine.host.data(), machine.host.data() + machine.host.size(), cores);
    return std::max(cores, 1);
}

} // namespace shardscope

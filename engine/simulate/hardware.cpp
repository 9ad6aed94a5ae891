// SPDX-License-Identifier: MIT
#include "engine/simulate/hardware.h"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace shardscope {

extern const std::span<const std::string_view> kHardwareFiles; // resources/hardware, made by the build

const std::vector<Hardware> &hardwarePresets()
{
    static const std::vector<Hardware> presets = [] {
        std::vector<Hardware> all;
        for (const std::string_view file : kHardwareFiles) {
            const Expected<Hardware> preset = parseHardware(file);
            // The files are part of the program: a broken one is a broken build, and the tests read them all.
            if (!preset)
                throw std::logic_error(english(preset.problem()));
            all.push_back(*preset);
        }
        std::ranges::sort(all, {}, &Hardware::name);
        return all;
    }();
    return presets;
}

const Hardware *findHardware(std::string_view name)
{
    const std::vector<Hardware> &presets = hardwarePresets();
    const auto found = std::ranges::find(presets, name, &Hardware::name);
    return found == presets.end() ? nullptr : &*found;
}

DType speedStandsFor(const Hardware &hardware, DType dtype)
{
    for (const DType candidate : {dtype, DType::F32}) {
        if (hardware.peakFlops.contains(candidate))
            return candidate;
    }
    return hardware.peakFlops.begin()->first;
}

Hardware shareOf(const Hardware &hardware, int ranks)
{
    Hardware share = hardware;
    if (hardware.sharedCores <= 0 || ranks < 1)
        return share;
    for (auto &[dtype, flops] : share.peakFlops)
        flops /= ranks;
    share.memoryBytesPerSecond /= ranks;
    share.memoryBytes /= ranks;
    // With more ranks than cores every hop waits for its turn on a core, and the copies through the loopback compete.
    const double crowding = std::max(1.0, static_cast<double>(ranks) / hardware.sharedCores);
    for (std::vector<LinkCost> *links : {&share.allReduce, &share.gatherScatter}) {
        for (LinkCost &link : *links) {
            link.alphaSeconds *= crowding;
            link.baseSeconds *= crowding;
            link.busbwGBs /= crowding;
        }
    }
    share.operationOverheadSeconds *= crowding;
    share.sharedCores = 0;
    return share;
}

} // namespace shardscope

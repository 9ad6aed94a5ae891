// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/plan.h"
#include "engine/record/event.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// alpha-beta cost of a collective: latency of one hop and the achievable bus bandwidth.
struct LinkCost {
    double alphaSeconds = 0;
    double busbwGBs = 0;
};

/// A described machine. Presets are data files under resources/hardware, compiled in.
struct Hardware {
    std::string name;               ///< "h100-8"
    std::string title;              ///< "8 x H100 SXM, NVLink 4, ring"
    Transport transport = Transport::Nccl;
    int devices = 8;                ///< more ranks than that are refused
    LinkCost allReduce;
    LinkCost gatherScatter;         ///< all-gather, reduce-scatter
    std::map<DType, double> peakFlops;   ///< FLOP/s of one device, dense
    double efficiency = 0.6;        ///< share of the peak that large matrix products reach, stated to the user
    double memoryBytesPerSecond = 0;
    double operationOverheadSeconds = 0; ///< launch or dispatch of one operation
    double memoryBytes = 0;         ///< of one device
    std::vector<std::string> sources; ///< where the numbers come from
};

[[nodiscard]] const std::vector<Hardware> &hardwarePresets();
[[nodiscard]] const Hardware *findHardware(std::string_view name);
[[nodiscard]] Expected<Hardware> parseHardware(std::string_view json);

/// `this` machine, fitted from what the engine measured: latency and bandwidth by least squares over message sizes.
[[nodiscard]] Expected<Hardware> fitHardware(const std::vector<BandwidthEvent> &collectives,
                                             const std::vector<ComputeEvent> &compute, const Machine &machine);

} // namespace shardscope

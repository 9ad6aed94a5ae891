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

/// alpha-beta cost of one way to carry a collective: t = base + hops·alpha + busFactor·S / busbw.
struct LinkCost {
    double alphaSeconds = 0; ///< latency of one hop
    double busbwGBs = 0;     ///< achievable bus bandwidth, GB = 1e9
    double baseSeconds = 0;  ///< once per collective
    /// The switch adds (NVLink SHARP): each rank sends S and receives S whatever N is, so t = base + S / algbw, and
    /// busbwGBs is the figure at the preset's own number of devices. All-reduce by the library only, on five ranks or
    /// more: with four, 8 x H200 and 8 x B200 measure a ring's bandwidth (stas00/ml-engineering, network/README.md).
    bool inSwitch = false;
    std::string protocol; ///< "LL", "Simple", "NVLS"; the cheapest is taken, as NCCL's tuner does
};

/// What joins a GPU to the others of its node.
struct DeviceLink {
    std::string name;   ///< "NVLink 4", "PCIe 5 x16"; empty: not known
    std::string fabric; ///< where they meet: "NVSwitch", "PCIe"
    double GBps = 0;    ///< one direction of one device, by the data sheet, GB = 1e9; 0: not known
    bool operator==(const DeviceLink &) const = default;
};

/// A described machine. Presets are data files under resources/hardware, compiled in.
struct Hardware {
    std::string name;  ///< "h100-8"
    std::string title; ///< "8 x H100 SXM, NVLink 4, ring"
    Transport transport = Transport::Nccl;
    int devices = 8;                     ///< one node
    std::vector<LinkCost> allReduce;     ///< at least one
    std::vector<LinkCost> gatherScatter; ///< all-gather, reduce-scatter; at least one
    std::map<DType, double> peakFlops;   ///< FLOP/s of one device in matrix products, dense; at least one
    double efficiency = 0.6;             ///< share of the peak that large matrix products reach, stated to the user
    double memoryBytesPerSecond = 0;
    DeviceLink link;                     ///< the peak that bus bandwidths stay below, unless the switch adds
    double operationOverheadSeconds = 0; ///< launch or dispatch of one operation
    double memoryBytes = 0;              ///< of one device; 0: not known
    /// The ranks are processes on this many shared cores (CPU ranks): peak and memory bandwidth are the whole
    /// machine's and are divided among the ranks; with more ranks than cores the links get slower in proportion.
    /// 0: every rank has a device of its own.
    int sharedCores = 0;
    std::vector<std::string> sources; ///< where the numbers come from
};

/// The presets of this version, in the order in which they are listed.
[[nodiscard]] const std::vector<Hardware> &hardwarePresets();
/// nullptr when no preset is called so.
[[nodiscard]] const Hardware *findHardware(std::string_view name);
/// Reads a preset file, or what `toJson` wrote; the problem names the key.
[[nodiscard]] Expected<Hardware> parseHardware(std::string_view json);
/// The same in the form of the preset files, to keep `this` machine between sessions.
[[nodiscard]] std::string toJson(const Hardware &hardware);

/// The number format whose speed stands for that of `dtype`: itself where it is known, else f32, else any that is.
[[nodiscard]] DType speedStandsFor(const Hardware &hardware, DType dtype);

/// What one rank of `ranks` has: of a shared machine its part, else the device itself.
[[nodiscard]] Hardware shareOf(const Hardware &hardware, int ranks);

/// The title that fitHardware gives the machine: "this machine: 4 cores, AMD EPYC 7763", "gpu1: 4 cores, ...".
[[nodiscard]] std::string fittedTitle(const Machine &machine);

/// `this` machine, fitted from what the engine measured: latency and bandwidth by least squares of the relative error
/// over message sizes and numbers of ranks, outliers damped, neither ever negative.
[[nodiscard]] Expected<Hardware> fitHardware(const std::vector<BandwidthEvent> &collectives,
                                             const std::vector<ComputeEvent> &compute, const Machine &machine);

} // namespace shardscope

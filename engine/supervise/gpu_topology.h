// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/topology.h"

#include <string_view>
#include <vector>

namespace shardscope {

/// The GPUs of a Topology.
struct GpuTopology {
    std::vector<GpuState> gpus;
    std::vector<GpuPath> paths; ///< every pair once, from < to
};

/// Asks NVML in a short-lived child; empty where there is none. Starts no CUDA and takes milliseconds.
[[nodiscard]] GpuTopology readGpuTopology();

/// What the child says: "gpu BUS<tab>NAME<tab>TOTAL<tab>FREE<tab>BUSY<tab>NUMA<tab>GEN<tab>LANES<tab>LINKS<tab>VERSION"
/// and "path FROM<tab>TO<tab>LEVEL<tab>LINKS": LEVEL is NVML's, LINKS how many NVLinks lead to the other, directly or
/// through a switch.
[[nodiscard]] GpuTopology parseGpuTopology(std::string_view report);

// What the child of a MachineWatch tells and is told.
inline constexpr std::string_view kGpusTold = "told"; ///< ends the report
inline constexpr std::string_view kLoadTold = "load"; ///< and for each GPU <tab>BUSY<tab>FREE, every second
inline constexpr std::string_view kAskForLoads = "1";
inline constexpr std::string_view kAskForQuiet = "0";

/// Writes the report, then loads while they are asked for, until `asked` ends. Returns at once where there is no NVML.
void watchGpus(int told, int asked);
[[nodiscard]] std::vector<GpuLoad> parseGpuLoads(std::string_view line);

/// One direction of one lane or link in GB/s: PCIe by generation after its line code (8b/10b, 128b/130b; from 6 on
/// flits), NVLink by version (NVIDIA: V100, A100, H100, B200 architecture papers). 0 where unknown.
[[nodiscard]] double pcieLaneGBps(int generation);
[[nodiscard]] double nvlinkGBps(int version);

} // namespace shardscope

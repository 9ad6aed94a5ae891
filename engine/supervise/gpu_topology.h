// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// A GPU as NVIDIA's management library (NVML) describes it at the moment; numbers below 0 are unknown.
struct GpuState {
    std::string busId; ///< PCI, "00000000:1B:00.0"
    std::string name;
    std::int64_t memoryBytes = -1; ///< in all
    std::int64_t freeBytes = -1;
    int busyPercent = -1; ///< of the last sampling period: some kernel ran
    int numaNode = -1;
    int pcieGeneration = -1; ///< the most that card and slot agree on
    int pcieLanes = -1;
    int nvlinks = 0; ///< that are up
    int nvlinkVersion = 0;
    bool operator==(const GpuState &) const = default;
};

/// The way between two GPUs, in the words of `nvidia-smi topo -m`.
struct GpuPath {
    int from = 0; ///< place in the list of GPUs
    int to = 0;
    std::string word;         ///< "NV18", "PIX", "PXB", "PHB", "NODE", "SYS"; "?" where unknown
    double expectedGBps = -1; ///< one direction, by the links' specification; -1: unknown
    bool operator==(const GpuPath &) const = default;
};

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

/// One direction of one lane or link in GB/s: PCIe by generation after its line code (8b/10b, 128b/130b; from 6 on
/// flits), NVLink by version (NVIDIA: V100, A100, H100, B200 architecture papers). 0 where unknown.
[[nodiscard]] double pcieLaneGBps(int generation);
[[nodiscard]] double nvlinkGBps(int version);

} // namespace shardscope

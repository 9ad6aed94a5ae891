// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope {

/// Cores with memory of their own; a machine without NUMA is one.
struct NumaNode {
    int number = 0;
    int cores = 0;                 ///< logical, that are on
    std::int64_t memoryBytes = -1; ///< in all; -1: unknown
    bool operator==(const NumaNode &) const = default;
};

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

/// What a machine is made of, as far as ranks notice.
struct Topology {
    std::vector<NumaNode> nodes; ///< ascending
    std::vector<GpuState> gpus;
    std::vector<GpuPath> paths; ///< every pair once, from < to
    bool operator==(const Topology &) const = default;
};

struct GpuLoad {
    int busyPercent = -1;        ///< -1: unknown
    std::int64_t freeBytes = -1; ///< -1: unknown
    bool operator==(const GpuLoad &) const = default;
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/mesh.h"
#include "engine/runtime/compute_device.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

/// The groups of ranks that a plan's collectives run in: the world, and one group per mesh axis, or per part of an
/// axis. A group is made when it is first asked for and kept, because making one takes tens of milliseconds; all its
/// ranks must ask in the same order. A group that is the whole world is the world's own, and one of a single rank opens
/// nothing.
class Communicators
{
public:
    /// Joins the world; `name` separates sets of groups that meet at the same place. `timeout` bounds each operation.
    Communicators(ComputeDevice &device, std::string name, int rank, int size, std::chrono::milliseconds timeout);

    [[nodiscard]] int rank() const { return m_world->rank(); }
    [[nodiscard]] int size() const { return m_world->size(); }
    [[nodiscard]] Communicator &world() { return *m_world; }
    [[nodiscard]] ComputeDevice &device() const { return m_device; }
    [[nodiscard]] Stopwatch &stopwatch() const { return m_device.stopwatch(); }

    /// This rank's group along `axis`, its ranks numbered by their coordinate; with `replicas`, the so many neighbours
    /// along it.
    [[nodiscard]] Communicator &along(const Mesh &mesh, MeshAxis axis, int replicas = 0);

private:
    ComputeDevice &m_device;
    std::string m_name;
    std::chrono::milliseconds m_timeout;
    std::unique_ptr<Communicator> m_world;
    std::map<std::vector<int>, std::unique_ptr<Communicator>> m_groups; ///< by their world ranks
};

} // namespace shardscope

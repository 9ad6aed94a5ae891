// SPDX-License-Identifier: MIT
#include "engine/runtime/communicators.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

namespace {

std::vector<int> everyRank(int size)
{
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

} // namespace

Communicators::Communicators(ComputeDevice &device, std::string name, int rank, int size,
                             std::chrono::milliseconds timeout)
    : m_device(device), m_name(std::move(name)), m_timeout(timeout),
      m_world(device.join({m_name + "/world", everyRank(size), rank, timeout}))
{
}

Communicator &Communicators::along(const Mesh &mesh, MeshAxis axis, int replicas)
{
    const std::vector<int> ranks = replicas > 0 ? mesh.group(rank(), axis, replicas) : mesh.group(rank(), axis);
    if (int(ranks.size()) == size())
        return *m_world;
    std::unique_ptr<Communicator> &group = m_groups[ranks];
    if (!group) {
        std::string name = m_name + "/ranks";
        for (const int each : ranks)
            name += " " + std::to_string(each);
        const auto place = std::find(ranks.begin(), ranks.end(), rank());
        group = m_device.join({name, ranks, int(place - ranks.begin()), m_timeout});
    }
    return *group;
}

} // namespace shardscope

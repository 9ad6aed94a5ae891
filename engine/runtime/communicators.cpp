// SPDX-License-Identifier: MIT
#include "engine/runtime/communicators.h"

#include <algorithm>

namespace shardscope {

Communicators::Communicators(MeetingPlace &place, std::string name, int rank, int size,
                             std::chrono::milliseconds timeout, const Stopwatch &stopwatch)
    : m_place(place), m_name(std::move(name)), m_timeout(timeout),
      m_world(place, m_name + "/world", rank, size, timeout, stopwatch)
{
}

Communicator &Communicators::along(const Mesh &mesh, MeshAxis axis, int replicas)
{
    const std::vector<int> ranks = replicas > 0 ? mesh.group(rank(), axis, replicas) : mesh.group(rank(), axis);
    if (int(ranks.size()) == size())
        return m_world;
    std::unique_ptr<GlooCommunicator> &group = m_groups[ranks];
    if (!group) {
        std::string name = m_name + "/ranks";
        for (const int each : ranks)
            name += " " + std::to_string(each);
        const auto place = std::find(ranks.begin(), ranks.end(), rank());
        group = std::make_unique<GlooCommunicator>(m_place, name, int(place - ranks.begin()), int(ranks.size()),
                                                   m_timeout, stopwatch());
    }
    return *group;
}

} // namespace shardscope

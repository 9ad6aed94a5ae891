// SPDX-License-Identifier: MIT
#include "engine/supervise/rank_group.h"

#include "engine/supervise/machine_facts.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <sys/wait.h>

namespace shardscope {
namespace {

// The file in which ranks meet has no name and vanishes with them, however they end. Opening it through /proc gives
// each rank an open file description, and so file locks, of its own.
FileDescriptor makeRendezvous()
{
    return FileDescriptor(::memfd_create("shardscope-rendezvous", MFD_CLOEXEC));
}

std::string pathOf(const FileDescriptor &file)
{
    return "/proc/self/fd/" + std::to_string(file.get());
}

} // namespace

RankGroup::RankGroup(int worldSize, const std::optional<Launch> &launch, const RankMain &rankMain,
                     const std::vector<int> &closeInChild)
    : m_worldSize(worldSize)
{
    ForkSetup setup{{.worldSize = worldSize}, closeInChild};
    if (launch) {
        setup.context.rank = launch->rank;
        setup.context.localRank = launch->localRank;
        setup.context.localWorldSize = launch->localWorldSize;
        setup.context.store = launch->store;
        setup.context.threads = defaultThreads(launch->localWorldSize);
        start(setup, rankMain);
        return;
    }
    m_rendezvous = makeRendezvous();
    if (!m_rendezvous.isOpen()) {
        m_error = errno;
        return;
    }
    setup.context.rendezvousPath = pathOf(m_rendezvous);
    setup.context.threads = defaultThreads(worldSize);
    setup.context.localWorldSize = worldSize;
    for (int rank = 0; rank < worldSize && m_error == 0; ++rank) {
        setup.context.rank = setup.context.localRank = rank;
        start(setup, rankMain);
    }
}

void RankGroup::start(ForkSetup &setup, const RankMain &rankMain)
{
    RankProcess process(setup, rankMain);
    if (process.pid() < 0) {
        m_error = errno;
        end();
        return;
    }
    setup.closeInChild.push_back(process.commandFd());
    setup.closeInChild.push_back(process.eventFd());
    m_ranks.push_back(std::move(process));
}

RankGroup::~RankGroup()
{
    end();
}

RankProcess *RankGroup::withPid(pid_t pid)
{
    const auto found = std::find_if(m_ranks.begin(), m_ranks.end(),
                                    [&](const RankProcess &rank) { return rank.pid() == pid && rank.isRunning(); });
    return found == m_ranks.end() ? nullptr : &*found;
}

void RankGroup::send(std::string_view line)
{
    for (RankProcess &rank : m_ranks)
        rank.send(line);
}

void RankGroup::end()
{
    for (const RankProcess &rank : m_ranks)
        rank.kill();
    for (RankProcess &rank : m_ranks) {
        if (rank.isRunning())
            while (::waitpid(rank.pid(), nullptr, 0) < 0 && errno == EINTR) {
            }
        rank.setEnded();
    }
}

} // namespace shardscope

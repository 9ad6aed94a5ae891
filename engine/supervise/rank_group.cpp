// SPDX-License-Identifier: MIT
#include "engine/supervise/rank_group.h"

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

RankGroup::RankGroup(int worldSize, const RankMain &rankMain, const std::vector<int> &closeInChild)
    : m_worldSize(worldSize), m_rendezvous(makeRendezvous())
{
    if (!m_rendezvous.isOpen()) {
        m_error = errno;
        return;
    }
    ForkSetup setup{0, worldSize, pathOf(m_rendezvous), closeInChild};
    for (int rank = 0; rank < worldSize; ++rank) {
        setup.rank = rank;
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
}

RankGroup::~RankGroup()
{
    end();
}

int RankGroup::rankOf(pid_t pid) const
{
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        if (m_ranks[rank].pid() == pid && m_ranks[rank].isRunning())
            return static_cast<int>(rank);
    }
    return -1;
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

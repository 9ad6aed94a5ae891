// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/rank_main.h"
#include "engine/runtime/gloo_communicator.h"
#include "engine/runtime/ranks_store.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

/// What ranks that were started one by one, perhaps on several hosts, need beyond their collectives: a place to meet,
/// one clock for all, and rank 0 as the one who tells what all have measured. Their own group carries this, whatever
/// carries the data.
class StartedRanks
{
public:
    /// Meets the others. Throws ToldFailure when that fails.
    StartedRanks(const RankContext &context, EventWriter &events);

    [[nodiscard]] MeetingPlace &place() { return *m_place; }
    /// From here on nothing may take longer than that; every rank calls it together.
    void setTimeout(std::chrono::milliseconds timeout);
    /// The group itself did not come about: what that means between hosts.
    [[nodiscard]] MessageEvent explainNoMesh(const std::string &detail) const;
    [[nodiscard]] MessageEvent explain(const MessageEvent &own) const;

    /// Compares the hosts' clocks and tells this rank's supervisor where all ranks run, as a HelloEvent.
    void introduce(const std::string &device, const std::string &backend);
    /// What is to be added to rank 0's clock to have this host's.
    [[nodiscard]] std::int64_t clockAheadNs() const { return m_clockAheadNs; }

    /// Brings every rank's pending events to rank 0, which writes them. Every rank calls it together, when nothing is
    /// timed.
    void collectEvents();
    /// Nobody may leave before all have come here.
    void awaitAll() { m_group->barrier(); }

private:
    void chooseInterface();
    void compareClocks();
    [[nodiscard]] std::vector<int> hostLeaders() const;
    [[nodiscard]] std::vector<Host> hosts() const;

    const RankContext &m_context;
    EventWriter &m_events;
    RanksStore m_store;
    std::string m_interface;
    std::unique_ptr<MeetingPlace> m_place;
    Stopwatch m_stopwatch;
    std::unique_ptr<GlooCommunicator> m_group;
    std::chrono::milliseconds m_timeout{0};
    int m_groups = 0;
    int m_introductions = 0;
    std::vector<std::int64_t> m_clocks; ///< two a rank: how far its clock is ahead of rank 0's, and how unsure that is
    std::int64_t m_clockAheadNs = 0;
};

} // namespace shardscope

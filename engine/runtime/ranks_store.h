// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/rank_main.h"
#include "engine/runtime/event_writer.h"
#include "engine/runtime/meeting_place.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

/// Where a rank that was started alone says it is.
struct Presence {
    std::string hostKey; ///< the same for ranks that share a clock
    std::string hostName;
    std::string address; ///< by which other hosts see it
};

/// The store at which ranks meet that were started one by one: c10d's TCPStore, served by rank 0 or by torchrun's
/// agent.
class RanksStore
{
public:
    /// Comes to the store and waits until every rank has come; says once a second how many have. Throws ToldFailure:
    /// nobody there, ranks missing at the time limit, a rank that is taken, another world size.
    RanksStore(const RankContext &context, EventWriter &events);
    ~RanksStore();
    RanksStore(const RanksStore &) = delete;
    RanksStore &operator=(const RanksStore &) = delete;

    /// "10.0.0.1:29500".
    [[nodiscard]] const std::string &address() const;
    /// By rank.
    [[nodiscard]] const std::vector<Presence> &ranks() const;
    /// For groups of these ranks, over `interface`.
    [[nodiscard]] std::unique_ptr<MeetingPlace> makePlace(const std::string &interface) const;

    /// What is behind a failure of this rank. A cause of its own is left at the store for the others; of one that only
    /// says that somebody was missed, the cause that another rank has left there, or who does not answer any more.
    /// Returns within about three seconds whatever became of the store.
    [[nodiscard]] MessageEvent explain(const MessageEvent &own, const std::string &timeoutSeconds) const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

} // namespace shardscope

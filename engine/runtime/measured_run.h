// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"
#include "engine/runtime/commands.h"
#include "engine/runtime/communicators.h"
#include "engine/runtime/event_writer.h"

namespace shardscope {

class StartedRanks;

/// What a rank works with while it serves one command.
struct RankSession {
    Communicators &groups;
    EventWriter &events;
    CommandReader &commands;
    int threads = 1; ///< compute threads of this rank where the command names none
    /// Of ranks that were started one by one.
    StartedRanks *started = nullptr;

    /// All ranks.
    [[nodiscard]] Communicator &world() const { return groups.world(); }
    [[nodiscard]] ComputeDevice &device() const { return groups.device(); }
    [[nodiscard]] Stopwatch &stopwatch() const { return groups.stopwatch(); }
    [[nodiscard]] bool first() const { return groups.rank() == 0; }
    /// Rank 0 speaks for all; where each rank has a supervisor of its own, each tells it that it lives.
    void progress(TextId stage, std::vector<std::string> args = {}, double fraction = -1);
    /// Something that the user should know; for one rank to say.
    void say(Text text);
    /// Whether a cancel has reached any rank; all ranks ask at the same place and get the same answer.
    [[nodiscard]] bool cancelled();
    /// Writes what this rank has added; every rank calls it together, when nothing is timed.
    void publish();
    /// One origin for all ranks: rank 0's clock now.
    void setOrigin();
};

/// Runs one experiment on all ranks: values, check, warm-up, timed steps, baselines, memory. Every rank gets the same
/// command. Throws when the group of ranks is broken.
[[nodiscard]] EndEvent measureRun(const RunCommand &command, RankSession &session);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"
#include "engine/runtime/communicators.h"

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace shardscope {

/// Ranks forked from a test, which itself calls nothing of LibTorch: a child of a process with threads is broken.
/// Each serves rankMain; commands go to all, events are kept per rank.
class ForkedRanks
{
public:
    /// `addressSpaceBytes` > 0 limits what each rank may allocate.
    explicit ForkedRanks(int ranks, std::uint64_t addressSpaceBytes = 0);
    ~ForkedRanks();
    ForkedRanks(const ForkedRanks &) = delete;
    ForkedRanks &operator=(const ForkedRanks &) = delete;

    [[nodiscard]] int size() const { return int(m_ranks.size()); }
    [[nodiscard]] pid_t pid(int rank) const { return m_ranks[std::size_t(rank)].pid; }
    void send(const Command &command);
    /// Events of each rank until its next EndEvent, or the end of its stream; an empty list after 60 s of silence.
    [[nodiscard]] std::vector<std::vector<Event>> untilEnd();
    /// Sends a run and waits for its end.
    [[nodiscard]] std::vector<std::vector<Event>> run(const Experiment &experiment, double budgetSeconds = 0);
    /// Ends the input and returns the exit statuses; a negative number is the signal.
    [[nodiscard]] std::vector<int> leave();

private:
    struct Child {
        pid_t pid = 0;
        int commandFd = -1;
        int eventFd = -1;
        bool ended = false;
        Decoder decoder;
        std::vector<Event> events;
    };

    void start(int rank, int ranks, std::uint64_t addressSpaceBytes);
    /// Reads what a child has written; false at the end of its stream.
    bool read(Child &child);

    std::string m_folder;
    std::vector<Child> m_ranks;
};

/// An experiment that takes milliseconds on any scheme: 10 tokens (decode: 2), 48 -> 96, two steps after one warm-up,
/// one thread.
[[nodiscard]] Experiment smallExperiment(Scheme scheme, Phase phase, int ranks, DType dtype = DType::F32);

/// Notes what is wrong, in words.
using Expect = std::function<void(bool condition, const std::string &what)>;

/// Runs `body` in `ranks` forked processes that have joined over Gloo; what any of them found wrong, or how it failed.
[[nodiscard]] std::vector<std::string> inRanks(int ranks,
                                               const std::function<void(Communicators &, const Expect &)> &body);
/// The same with the world alone.
[[nodiscard]] std::vector<std::string> inRanks(int ranks,
                                               const std::function<void(Communicator &, const Expect &)> &body);

/// The events of one kind, in order.
template <typename Kind>
[[nodiscard]] std::vector<Kind> eventsOf(const std::vector<Event> &events)
{
    std::vector<Kind> found;
    for (const Event &event : events)
        if (const auto *known = std::get_if<Kind>(&event))
            found.push_back(*known);
    return found;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/supervise/diagnosis.h"
#include "engine/supervise/prepared_command.h"
#include "engine/supervise/rank_group.h"

#include <chrono>
#include <optional>
#include <vector>

namespace shardscope {

using Clock = std::chrono::steady_clock;

/// Tells ranks that compute for long from ranks that hang: no event, and no CPU time used either. An endless loop uses
/// CPU time, so that there is a limit to mere work too.
class LifeSigns
{
public:
    explicit LifeSigns(std::size_t ranks) : m_ticks(ranks, 0) {}

    /// A rank has said something.
    void heard(Clock::time_point now) { m_last = m_lastHeard = now; }
    /// Looks at the CPU time of every rank; call it about twice a second.
    void look(RankGroup &group, Clock::time_point now);
    /// Since the last sign of any kind.
    [[nodiscard]] Clock::duration silence(Clock::time_point now) const { return now - m_last; }
    /// Since the last event.
    [[nodiscard]] Clock::duration wordlessness(Clock::time_point now) const { return now - m_lastHeard; }

private:
    std::vector<std::int64_t> m_ticks;
    Clock::time_point m_last = Clock::now();
    Clock::time_point m_lastHeard = Clock::now();
};

/// The command that the ranks work on, and what became of each of them.
class ActiveCommand
{
public:
    /// `here`: the rank that runs here, of ranks that were started elsewhere; of those nothing is expected.
    explicit ActiveCommand(PreparedCommand command, std::optional<int> here = std::nullopt);

    [[nodiscard]] const PreparedCommand &command() const { return m_command; }
    [[nodiscard]] std::vector<RankRecord> &records() { return m_records; }
    [[nodiscard]] RankRecord &record(int rank) { return m_records[static_cast<std::size_t>(rank)]; }

    /// Takes a rank's error, end or death; the first failing one starts the failure clock.
    void takeError(int rank, MessageEvent error);
    void takeEnd(int rank, const EndEvent &end);
    void takeDeath(int rank, int waitStatus);

    void cancel(Clock::time_point now);
    void fail(Clock::time_point now);
    [[nodiscard]] bool isCancelled() const { return m_cancelledAt.has_value(); }
    [[nodiscard]] bool isFailing() const { return m_failingAt.has_value(); }
    [[nodiscard]] bool allAccountedFor() const;
    /// Every rank has ended the command by itself and lives on.
    [[nodiscard]] bool allEndedWell() const;
    /// The cause is known, or waiting longer for it is in vain.
    [[nodiscard]] bool isFailureSettled(Clock::time_point now, Clock::duration grace) const;
    [[nodiscard]] bool isCancelDue(Clock::time_point now, Clock::duration grace) const;
    /// What the ranks' silence may last.
    [[nodiscard]] Clock::duration silenceLimit(Clock::duration margin) const;

    [[nodiscard]] EndEvent end(EndEvent::Status status, int exitCode) const;
    /// The same text from another rank is no news.
    [[nodiscard]] bool isNews(const MessageEvent &message);

    LifeSigns life;
    ProgressEvent progress; ///< the latest, repeated while ranks work silently
    Clock::time_point lastWritten = Clock::now();

private:
    PreparedCommand m_command;
    std::vector<RankRecord> m_records;
    std::vector<Text> m_told;
    Clock::time_point m_startedAt = Clock::now();
    std::optional<Clock::time_point> m_cancelledAt;
    std::optional<Clock::time_point> m_failingAt;
    int m_order = 0;
};

} // namespace shardscope

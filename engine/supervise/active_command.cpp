// SPDX-License-Identifier: MIT
#include "engine/supervise/active_command.h"

#include "engine/supervise/process_table.h"

#include <algorithm>

namespace shardscope {
namespace {

// Gloo's threads wake up 100 times a second even when they only wait, which costs less than this between two looks.
constexpr std::int64_t kTicksOfWork = 2;

} // namespace

void LifeSigns::look(RankGroup &group, Clock::time_point now)
{
    for (const RankProcess &rank : group.ranks()) {
        const auto facts = processFacts(rank.pid());
        if (!facts)
            continue;
        std::int64_t &ticks = m_ticks[static_cast<std::size_t>(rank.rank())];
        if (facts->cpuTicks - ticks >= kTicksOfWork)
            m_last = now;
        ticks = facts->cpuTicks;
    }
}

ActiveCommand::ActiveCommand(PreparedCommand command, std::optional<int> here)
    : life(static_cast<std::size_t>(command.ranks)), m_command(std::move(command)),
      m_records(static_cast<std::size_t>(m_command.ranks))
{
    progress.stage = Text{TextId::RanksWorking, {std::to_string(m_command.ranks)}};
    for (std::size_t rank = 0; here && rank < m_records.size(); ++rank)
        m_records[rank].elsewhere = static_cast<int>(rank) != *here;
}

void ActiveCommand::takeError(int rank, MessageEvent error)
{
    RankRecord &known = record(rank);
    if (known.error)
        return;
    error.rank = rank;
    known.error = std::move(error);
    known.errorOrder = ++m_order;
}

void ActiveCommand::takeEnd(int rank, const EndEvent &end)
{
    record(rank).end = end;
    if (end.exitCode == kFailed)
        fail(Clock::now());
}

void ActiveCommand::takeDeath(int rank, int waitStatus)
{
    record(rank).waitStatus = waitStatus;
    record(rank).endedOrder = ++m_order;
    fail(Clock::now());
}

void ActiveCommand::cancel(Clock::time_point now)
{
    if (!m_cancelledAt)
        m_cancelledAt = now;
}

void ActiveCommand::fail(Clock::time_point now)
{
    if (!m_failingAt)
        m_failingAt = now;
}

bool ActiveCommand::allAccountedFor() const
{
    return std::all_of(m_records.begin(), m_records.end(),
                       [](const RankRecord &rank) { return rank.isAccountedFor(); });
}

bool ActiveCommand::allEndedWell() const
{
    return !isFailing() && allAccountedFor();
}

bool ActiveCommand::isFailureSettled(Clock::time_point now, Clock::duration grace) const
{
    if (!isFailing())
        return false;
    // A stopped rank says nothing more: with all others accounted for the cause is clear.
    const bool restIsStopped = std::all_of(m_records.begin(), m_records.end(), [](const RankRecord &rank) {
        return rank.isAccountedFor() || rank.stopped;
    });
    return hasDefiniteCause(m_records) || restIsStopped || now - *m_failingAt >= grace;
}

bool ActiveCommand::isCancelDue(Clock::time_point now, Clock::duration grace) const
{
    return m_cancelledAt && (isFailing() || allAccountedFor() || now - *m_cancelledAt >= grace);
}

Clock::duration ActiveCommand::silenceLimit(Clock::duration margin) const
{
    return std::chrono::duration_cast<Clock::duration>(expectedSilence(m_command)) + margin;
}

EndEvent ActiveCommand::end(EndEvent::Status status, int exitCode) const
{
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - m_startedAt);
    return EndEvent{m_command.id, status, exitCode, elapsed.count()};
}

bool ActiveCommand::isNews(const MessageEvent &message)
{
    if (std::find(m_told.begin(), m_told.end(), message.text) != m_told.end())
        return false;
    m_told.push_back(message.text);
    return true;
}

} // namespace shardscope

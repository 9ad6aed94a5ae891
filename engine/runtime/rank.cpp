// SPDX-License-Identifier: MIT
#include "engine/runtime/rank.h"

#include "engine/runtime/communicators.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/machine_measurement.h"
#include "engine/runtime/measured_run.h"

#include <clocale>
#include <new>
#include <sched.h>
#include <stdexcept>

namespace shardscope {

namespace {

constexpr int kBrokenGroup = 4;

/// c10's messages carry a back trace after the first line.
std::string firstLine(std::string_view text)
{
    return std::string(text.substr(0, text.find('\n')));
}

bool mentions(std::string_view text, std::initializer_list<std::string_view> words)
{
    for (const std::string_view word : words)
        if (text.find(word) != std::string_view::npos)
            return true;
    return false;
}

/// what() is the name of the BLAS core.
struct WrongBlas : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// LibTorch tells memory, time limits and lost peers apart in words only.
MessageEvent describeFailure(int rank, const std::exception &error)
{
    const std::string what = error.what();
    const std::string who = std::to_string(rank);
    MessageEvent message{.level = MessageEvent::Level::Error, .rank = rank, .text = {}, .remedy = {}, .detail = what};
    if (dynamic_cast<const WrongBlas *>(&error)) {
        message.text = {TextId::BlasWrong, {what}};
        message.remedy = {TextId::BlasWrongRemedy, {}};
    } else if (dynamic_cast<const std::bad_alloc *>(&error) ||
               mentions(what, {"DefaultCPUAllocator", "allocate memory"})) {
        message.text = {TextId::RankOutOfMemory, {who}};
        message.remedy = {TextId::LessMemoryRemedy, {}};
    } else if (mentions(what, {"Timed out", "timed out", "timeout", "Timeout"})) {
        message.text = {TextId::CollectiveTimedOut, {who}};
        message.remedy = {TextId::TimeoutRemedy, {}};
    } else if (mentions(what,
                        {"closed by peer", "reset by peer", "Broken pipe", "Connection refused", "Socket closed"})) {
        message.text = {TextId::PeerLost, {who}};
        message.remedy = {TextId::RunAgainRemedy, {}};
    } else {
        message.text = {TextId::RankFailed, {who, firstLine(what)}};
        message.remedy = {TextId::CrashRemedy, {}};
    }
    return message;
}

/// Prefers throughput over wake-up latency: with more ranks than cores a collective is several times faster, because a
/// rank that wakes up does not push the one off the core for which it waits.
void scheduleAsBatch()
{
    const sched_param parameters{};
    sched_setscheduler(0, SCHED_BATCH, &parameters);
}

class Rank
{
public:
    Rank(const RankContext &context, EventWriter &events)
        : m_context(context), m_events(events), m_commands(context.commandFd),
          m_place(context.rendezvousPath, context.worldSize)
    {
    }

    /// Serves commands until there are no more.
    void serve();
    /// The command that was being served when something failed.
    [[nodiscard]] const std::string &commandId() const { return m_commandId; }

private:
    void join(double timeoutSeconds);
    EndEvent answer(const RunCommand &command);
    EndEvent answer(const MeasureCommand &command);
    template <typename Work>
    void serveOne(const Work &command);
    void checkBlas();
    [[nodiscard]] RankSession session() { return {*m_groups, m_stopwatch, m_events, m_commands, m_context.threads}; }

    const RankContext &m_context;
    EventWriter &m_events;
    CommandReader m_commands;
    MeetingPlace m_place;
    Stopwatch m_stopwatch;
    std::unique_ptr<Communicators> m_groups; ///< kept between runs, with the groups of every mesh so far
    double m_timeoutSeconds = 0;
    int m_joins = 0;
    std::string m_commandId;
};

/// Gloo fixes its time limit when a group is made, so another limit means other groups; all ranks see the same
/// commands and join in the same order.
void Rank::join(double timeoutSeconds)
{
    if (m_groups && timeoutSeconds == m_timeoutSeconds)
        return;
    const auto timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeoutSeconds * 1000));
    auto next = std::make_unique<Communicators>(m_place, "join" + std::to_string(m_joins++), m_context.rank,
                                                m_context.worldSize, timeout, m_stopwatch);
    // The old groups go only when nobody can still be joining them.
    next->world().barrier();
    m_groups = std::move(next);
    m_timeoutSeconds = timeoutSeconds;
}

void Rank::serve()
{
    join(Experiment().timeoutSeconds);
    checkBlas();
    while (const auto command = m_commands.next()) {
        if (std::holds_alternative<QuitCommand>(*command))
            return;
        if (const auto *run = std::get_if<RunCommand>(&*command))
            serveOne(*run);
        else if (const auto *measure = std::get_if<MeasureCommand>(&*command))
            serveOne(*measure);
    }
}

template <typename Work>
void Rank::serveOne(const Work &command)
{
    m_commandId = command.id;
    const std::int64_t startNs = Stopwatch::rawNs();
    EndEvent end = answer(command);
    end.id = command.id;
    end.elapsedNs = Stopwatch::rawNs() - startNs;
    m_events.write(end);
    m_commandId.clear();
}

EndEvent Rank::answer(const RunCommand &command)
{
    if (const auto experiment = readExperiment(command.experiment, Unused::Allow))
        join(experiment->timeoutSeconds);
    RankSession current = session();
    return measureRun(command, current);
}

EndEvent Rank::answer(const MeasureCommand &command)
{
    RankSession current = session();
    return measureMachine(command, current);
}

void Rank::checkBlas()
{
    if (!blasIsRight())
        throw WrongBlas(libraryVersions().at("blas"));
}

void sayFailure(const MessageEvent &message, const std::string &commandId, EventWriter &events)
{
    events.add(message);
    events.add(EndEvent{.id = commandId, .status = EndEvent::Status::Failed, .exitCode = kBrokenGroup, .elapsedNs = 0});
    try {
        events.flush();
    } catch (const std::exception &) { // nobody is left to hear it
    }
}

} // namespace

int rankMain(const RankContext &context)
{
    // Gloo's failures carry the system's words, and describeFailure knows the English ones.
    std::setlocale(LC_ALL, "C");
    scheduleAsBatch();
    keepFreedMemory();
    setThreads(context.threads);
    EventWriter events(context.eventFd);
    // Left to the end of the process when something breaks: tearing down a broken group may wait for its peers.
    Rank *rank = nullptr;
    try {
        rank = new Rank(context, events);
        rank->serve();
    } catch (const std::exception &error) {
        sayFailure(describeFailure(context.rank, error), rank ? rank->commandId() : std::string(), events);
        return kBrokenGroup;
    }
    delete rank;
    return 0;
}

} // namespace shardscope

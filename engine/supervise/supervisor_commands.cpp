// SPDX-License-Identifier: MIT
// The life of one command: start, watch, end. What arrives from outside is in supervisor.cpp.
#include "engine/record/codec.h"
#include "engine/supervise/process_table.h"
#include "engine/supervise/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace shardscope {
namespace {

constexpr auto kHeartbeat = std::chrono::seconds(2);
constexpr auto kLookInterval = std::chrono::milliseconds(500);

bool lacksMemory(const Preparation &preparation)
{
    const auto *refusal = std::get_if<Refusal>(&preparation);
    return refusal && refusal->message.text.id == TextId::MemoryRefused;
}

TextId remedyOf(int error)
{
    if (error == EMFILE || error == ENFILE)
        return TextId::FileLimitRemedy;
    return error == ENOMEM ? TextId::LessMemoryRemedy : TextId::ProcessLimitRemedy;
}

const std::string &idOf(const std::variant<RunCommand, MeasureCommand> &command)
{
    return std::visit([](const auto &known) -> const std::string & { return known.id; }, command);
}

} // namespace

void Supervisor::startNext()
{
    while (!m_active && !m_queue.empty()) {
        const Startable command = std::move(m_queue.front());
        m_queue.pop_front();
        start(command);
    }
}

Preparation Supervisor::prepareAny(const Startable &command) const
{
    if (const auto *run = std::get_if<RunCommand>(&command))
        return prepare(*run, m_options, m_hello);
    return prepare(std::get<MeasureCommand>(command), m_options, m_hello);
}

void Supervisor::start(const Startable &command)
{
    Preparation preparation = prepareAny(command);
    if (m_group && lacksMemory(preparation)) {
        // Idle ranks hold memory too: whether new ones fit is known when those are gone.
        dropRanks();
        preparation = prepareAny(command);
    }
    if (const auto *refusal = std::get_if<Refusal>(&preparation))
        refuse(*refusal);
    else
        begin(std::move(std::get<PreparedCommand>(preparation)));
}

void Supervisor::begin(PreparedCommand command)
{
    const int ranks = command.ranks;
    const auto &launch = m_options.launch;
    m_active.emplace(std::move(command), launch ? std::optional(launch->rank) : std::nullopt);
    // On which hosts the ranks run is known when all have come.
    if (m_active->command().opening && !launch)
        emit(*m_active->command().opening);
    if (m_active->command().opening && m_machine && m_machine->topology())
        emit(TopologyEvent{*m_machine->topology()});
    if (m_active->command().machine && !launch)
        emitHelloOf(*m_active->command().machine);
    if (!ensureRanks(ranks))
        return;
    m_group->send(m_active->command().line);
    if (m_machine)
        m_machine->begin(Clock::now(), ranksTicks());
}

void Supervisor::tellTopology()
{
    m_machine->read();
    if (m_machine->topology() && !std::exchange(m_topologyTold, true))
        emit(TopologyEvent{*m_machine->topology()});
}

void Supervisor::emitHelloOf(Machine machine)
{
    HelloEvent hello = m_hello;
    hello.machine = std::move(machine);
    emit(hello);
}

/// The ranks that were started elsewhere tell where they run before anything else of a command.
void Supervisor::complete(const HelloEvent &fromRanks)
{
    if (!m_options.launch)
        return;
    m_joined = true;
    Machine machine = machineOfStartedRanks(m_hello.machine, fromRanks.machine);
    if (!m_active->command().opening) {
        emitHelloOf(std::move(machine));
        return;
    }
    RunEvent opening = *m_active->command().opening;
    opening.machine = std::move(machine);
    emit(opening);
}

bool Supervisor::ensureRanks(int worldSize)
{
    if (m_group && m_group->worldSize() == worldSize)
        return true;
    dropRanks();
    emit(ProgressEvent{Text{TextId::RanksStarting, {std::to_string(m_options.launch ? 1 : worldSize)}}, -1});
    m_output.flush();
    m_joined = false;
    std::vector<int> ours{m_signals.get(), m_output.fd()};
    if (m_machine)
        ours.insert(ours.end(), {m_machine->toldFd(), m_machine->askedFd()});
    m_group = std::make_unique<RankGroup>(worldSize, m_options.launch, m_options.rankMain, ours);
    if (m_group->error() == 0)
        return true;
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.text = Text{TextId::RanksNotStarted, {std::to_string(worldSize), std::strerror(m_group->error())}};
    message.remedy = Text{remedyOf(m_group->error()), {}};
    emit(message);
    dropRanks();
    finish(EndEvent::Status::Failed, kFailed);
    return false;
}

void Supervisor::refuse(const Refusal &refusal)
{
    emit(refusal.message);
    emit(EndEvent{refusal.id, EndEvent::Status::Failed, kBadArguments, 0});
}

void Supervisor::cancelAll()
{
    for (const Startable &queued : m_queue)
        emit(EndEvent{idOf(queued), EndEvent::Status::Cancelled, kCancelled, 0});
    m_queue.clear();
    cancelActive();
}

void Supervisor::cancelOne(const std::string &id)
{
    const auto waiting = [&](const Startable &queued) { return idOf(queued) == id; };
    const auto found = static_cast<std::size_t>(std::count_if(m_queue.begin(), m_queue.end(), waiting));
    const bool runs = m_active && m_active->command().id == id;
    if (found == 0 && !runs) {
        MessageEvent message;
        message.level = MessageEvent::Level::Warning;
        message.text = Text{TextId::CancelUnknown, {id}};
        emit(message);
        return;
    }
    std::erase_if(m_queue, waiting);
    for (std::size_t i = 0; i < found; ++i)
        emit(EndEvent{id, EndEvent::Status::Cancelled, kCancelled, 0});
    if (runs)
        cancelActive();
}

void Supervisor::cancelActive()
{
    if (!m_active || m_active->isCancelled())
        return;
    m_active->cancel(Clock::now());
    m_group->send(encode(Command(CancelCommand{})));
}

void Supervisor::abandon()
{
    m_interrupted = m_interrupted || m_active || !m_queue.empty();
    cancelAll();
    // Nobody will use these ranks again, so there is nothing to wait for.
    m_options.cancelGrace = std::chrono::milliseconds(0);
    m_leaving = true;
    m_readsCommands = false;
}

void Supervisor::watch()
{
    if (!m_active)
        return;
    const auto now = Clock::now();
    if (m_active->isCancelled()) {
        if (!m_active->isCancelDue(now, m_options.cancelGrace))
            return;
        if (!m_active->allEndedWell())
            dropRanks();
        finish(EndEvent::Status::Cancelled, kCancelled);
    } else if (m_active->isFailing()) {
        if (m_active->isFailureSettled(now, m_options.failureGrace))
            finishFailed();
    } else if (m_active->allAccountedFor()) {
        finishWell();
    } else {
        watchSilence(now);
        watchMachine(now);
    }
}

std::int64_t Supervisor::ranksTicks()
{
    std::int64_t ticks = 0;
    for (const RankProcess &rank : m_group->ranks())
        ticks += processFacts(rank.pid()).value_or(ProcessFacts{}).cpuTicks;
    return ticks;
}

void Supervisor::watchMachine(Clock::time_point now)
{
    if (m_active && m_machine && m_machine->isDue(now) && !m_output.full())
        m_output.append(encode(m_machine->take(now, ranksTicks()))); // no sign of life of a rank
}

void Supervisor::watchSilence(Clock::time_point now)
{
    // Ranks that wait for a slow reader are not silent.
    if (m_output.full())
        m_active->life.heard(now);
    if (now - m_lastLook >= kLookInterval) {
        m_lastLook = now;
        m_active->life.look(*m_group, now);
    }
    if (m_active->life.wordlessness(now) > m_active->command().workLimit)
        finishEndless();
    else if (m_active->life.silence(now) > m_active->silenceLimit(m_options.silenceMargin))
        m_active->fail(now);
    else if (now - m_active->lastWritten >= kHeartbeat)
        emit(m_active->progress);
}

void Supervisor::finishFailed()
{
    // The ranks' last words first: what they measured before it went wrong is kept.
    readRanks();
    MessageEvent cause = diagnose(m_active->records(), m_active->command().timeoutSeconds, m_active->command().delay);
    if (m_options.launch && !m_joined && cause.text.id == TextId::RanksSilent) {
        const StoreAddress &store = m_options.launch->store;
        cause.rank = m_options.launch->rank;
        cause.text = Text{TextId::StoreSilent, {store.host + ':' + std::to_string(store.port)}};
        cause.remedy = Text{TextId::PortRemedy, {}};
    }
    dropRanks();
    emit(cause);
    finish(EndEvent::Status::Failed, kFailed);
}

void Supervisor::finishEndless()
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(m_active->command().workLimit);
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.rank = m_active->command().ranks == 1 ? 0 : -1;
    message.text = Text{TextId::RanksSilent, {std::to_string(seconds.count())}};
    message.remedy = Text{TextId::CrashRemedy, {}};
    dropRanks();
    emit(message);
    finish(EndEvent::Status::Failed, kFailed);
}

void Supervisor::finishWell()
{
    const EndEvent merged = mergeEnds(m_active->records());
    const auto &records = m_active->records();
    const auto complaint =
        std::find_if(records.begin(), records.end(), [](const RankRecord &rank) { return rank.error.has_value(); });
    if (complaint != records.end())
        emit(*complaint->error);
    finish(merged.status, merged.exitCode);
}

void Supervisor::finish(EndEvent::Status status, int exitCode)
{
    const EndEvent end = m_active->end(status, exitCode);
    m_active.reset();
    if (m_machine)
        m_machine->rest();
    emit(end);
}

void Supervisor::dropRanks()
{
    m_group.reset();
}

} // namespace shardscope

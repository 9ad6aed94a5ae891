// SPDX-License-Identifier: MIT
#include "engine/supervise/supervisor.h"

#include "engine/record/codec.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace shardscope {
namespace {

constexpr std::size_t kLongestCommand = std::size_t{1} << 20;
constexpr int kBusyPollMs = 250;
constexpr int kUrgentPollMs = 20;

FileDescriptor makeSignalFd()
{
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
        ::sigaddset(&signals, signal);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    // A rank or a reader that has gone away is noticed by EPIPE, in ranks too.
    ::signal(SIGPIPE, SIG_IGN);
    return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

MessageEvent errorMessage(Text text, TextId remedy)
{
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.text = std::move(text);
    message.remedy = Text{remedy, {}};
    return message;
}

} // namespace

Supervisor::Supervisor(HostOptions options)
    : m_options(std::move(options)), m_output(m_options.outputFd), m_signals(makeSignalFd())
{
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Supervisor::~Supervisor() = default;

int Supervisor::serve()
{
    m_hello = m_options.hello();
    emit(m_hello);
    m_output.flush();
    if (!m_options.launch) {
        m_machine.emplace(std::vector<int>{m_signals.get(), m_output.fd(), m_options.inputFd, m_options.outputFd});
        if (m_machine->topology())
            tellTopology();
    }
    while (!(m_leaving && !m_active && m_queue.empty())) {
        startNext();
        waitForNews();
        watch();
    }
    dropRanks();
    m_output.drain(1000);
    return m_interrupted ? kCancelled : 0;
}

void Supervisor::waitForNews()
{
    m_output.flush();
    std::vector<pollfd> entries{{m_signals.get(), POLLIN, 0},
                                {m_readsCommands ? m_options.inputFd : -1, POLLIN, 0},
                                {m_output.fd(), static_cast<short>(m_output.empty() ? 0 : POLLOUT), 0},
                                {m_machine ? m_machine->toldFd() : -1, POLLIN, 0}};
    // A reader that does not keep up makes the ranks wait between two iterations, never within one.
    if (m_group && !m_output.full()) {
        for (const RankProcess &rank : m_group->ranks())
            entries.push_back({rank.eventFd(), POLLIN, 0});
    }
    if (::poll(entries.data(), entries.size(), pollTimeoutMs()) < 0)
        return;
    readRanks();
    if (entries[0].revents)
        readSignals();
    if (entries[1].revents)
        readCommands();
    if (entries[3].revents)
        tellTopology();
    m_output.flush();
    if ((entries[2].revents & (POLLERR | POLLHUP)) || m_output.broken())
        abandon();
}

int Supervisor::pollTimeoutMs() const
{
    if (!m_active)
        return m_queue.empty() ? -1 : 0;
    return m_active->isCancelled() || m_active->isFailing() ? kUrgentPollMs : kBusyPollMs;
}

void Supervisor::readCommands()
{
    const bool ended = readSome(m_options.inputFd, m_input) == ReadResult::End;
    std::size_t end = 0;
    while (m_readsCommands && (end = m_input.find('\n')) != std::string::npos) {
        const std::string line = m_input.substr(0, end);
        m_input.erase(0, end + 1);
        if (!std::exchange(m_skipsLine, false))
            takeCommandLine(line);
    }
    if (m_input.size() > kLongestCommand) {
        if (!m_skipsLine)
            refuse(Refusal{
                {}, errorMessage(Text{TextId::CommandTooLong, {std::to_string(kLongestCommand)}}, TextId::NoReason)});
        m_skipsLine = true;
        m_input.clear();
    }
    if (ended && m_readsCommands)
        abandon();
}

void Supervisor::takeCommandLine(std::string_view line)
{
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
        return;
    const auto command = decodeCommand(line);
    if (!command)
        refuse(Refusal{{}, errorMessage(command.problem(), TextId::NoReason)});
    else if (const auto *run = std::get_if<RunCommand>(&*command))
        m_queue.emplace_back(*run);
    else if (const auto *measure = std::get_if<MeasureCommand>(&*command))
        m_queue.emplace_back(*measure);
    else if (const auto *cancel = std::get_if<CancelCommand>(&*command))
        cancel->id.empty() ? cancelAll() : cancelOne(cancel->id);
    else {
        m_leaving = true;
        m_readsCommands = false;
    }
}

void Supervisor::readRanks()
{
    if (!m_group || m_output.full())
        return;
    for (std::size_t i = 0; m_group && i < m_group->ranks().size(); ++i) {
        RankProcess &process = m_group->ranks()[i];
        if (process.eventFd() >= 0 && hasInput(process.eventFd()))
            readRank(process);
    }
}

void Supervisor::readRank(RankProcess &process)
{
    process.readEvents();
    std::string_view line;
    while (process.nextLine(line))
        takeRankLine(process.rank(), line);
}

void Supervisor::takeRankLine(int rank, std::string_view line)
{
    // What comes between two commands belongs to none: the last words of ranks that were cancelled.
    if (!m_active)
        return;
    m_active->life.heard(Clock::now());
    m_rankDecoder.feed(
        line, [&](Event &&event) { takeRankEvent(rank, line, std::move(event)); },
        [&](int, const Text &problem) {
            MessageEvent message;
            message.level = MessageEvent::Level::Warning;
            message.rank = rank;
            message.text = Text{TextId::RankLineUnreadable, {std::to_string(rank), english(problem)}};
            if (m_active->isNews(message))
                emit(message);
        });
}

void Supervisor::takeRankEvent(int rank, std::string_view line, Event &&event)
{
    if (const auto *end = std::get_if<EndEvent>(&event)) {
        m_active->takeEnd(rank, *end);
        return;
    }
    if (auto *message = std::get_if<MessageEvent>(&event)) {
        // Of ranks that were started elsewhere the first of all tells what it has heard.
        if (!m_options.launch || message->rank < 0 || message->rank >= m_group->worldSize())
            message->rank = rank;
        if (message->level == MessageEvent::Level::Error)
            m_active->takeError(message->rank, std::move(*message));
        else if (m_active->isNews(*message))
            emit(*message);
        return;
    }
    if (const auto *hello = std::get_if<HelloEvent>(&event)) {
        complete(*hello);
        return;
    }
    if (std::holds_alternative<RunEvent>(event))
        return;
    if (const auto *progress = std::get_if<ProgressEvent>(&event))
        m_active->progress = *progress;
    // As it came: decoding told where it belongs, and writing it again would cost more than the ranks' own work.
    m_output.append(line);
    m_active->lastWritten = Clock::now();
}

void Supervisor::readSignals()
{
    signalfd_siginfo info{};
    while (::read(m_signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo != SIGCHLD)
            abandon();
    }
    collectChildren();
}

void Supervisor::collectChildren()
{
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0;)
        takeChild(pid, status);
}

void Supervisor::takeChild(pid_t pid, int waitStatus)
{
    if (m_machine && m_machine->takeEnd(pid))
        return; // the end of what it tells comes by itself
    RankProcess *process = m_group ? m_group->withPid(pid) : nullptr;
    if (!process)
        return; // an orphan of a rank: collected, and that is all
    const int rank = process->rank();
    if (WIFSTOPPED(waitStatus) || WIFCONTINUED(waitStatus)) {
        if (m_active)
            m_active->record(rank).stopped = WIFSTOPPED(waitStatus);
        else if (WIFSTOPPED(waitStatus))
            dropRanks(); // the next command would wait for it in vain
        return;
    }
    process->setEnded();
    // Its last words; should a process that it started hold the other end, they have no end.
    while (process->eventFd() >= 0 && hasInput(process->eventFd()))
        readRank(*process);
    if (m_active)
        m_active->takeDeath(rank, waitStatus);
    else
        dropRanks();
}

void Supervisor::emit(const Event &event)
{
    m_output.append(encode(event));
    if (m_active)
        m_active->lastWritten = Clock::now();
}

} // namespace shardscope

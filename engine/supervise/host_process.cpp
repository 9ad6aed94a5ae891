// SPDX-License-Identifier: MIT
#include "engine/supervise/host_process.h"

#include "engine/supervise/gpu_ranks.h"
#include "engine/supervise/host_launch.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace shardscope {
namespace {

constexpr int kTickMs = 200;
constexpr std::size_t kKeptErrorOutput = std::size_t{64} << 10;
constexpr auto kLeaveLimit = std::chrono::milliseconds(600); ///< for a host to leave by itself

sigset_t interruptSignals()
{
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    struct sigaction hangUp {
    };
    ::sigaction(SIGHUP, nullptr, &hangUp);
    if (hangUp.sa_handler != SIG_IGN) // nohup asks to outlive the terminal
        ::sigaddset(&signals, SIGHUP);
    return signals;
}

void sendLine(int fd, std::string_view line)
{
    while (!line.empty()) {
        const ssize_t count = ::send(fd, line.data(), line.size(), MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR)
            return; // the host is gone; its end of the stream will tell
        line.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

std::string idOf(const Command &command)
{
    if (const auto *run = std::get_if<RunCommand>(&command))
        return run->id;
    const auto *measure = std::get_if<MeasureCommand>(&command);
    return measure ? measure->id : std::string();
}

/// Of a run what its options say; others take what there is.
Backend backendOf(const Command &command)
{
    if (const auto *measure = std::get_if<MeasureCommand>(&command))
        return measure->backend;
    const auto *run = std::get_if<RunCommand>(&command);
    if (run == nullptr)
        return Backend::Auto;
    const auto asked = run->experiment.find("backend");
    for (const Backend backend : {Backend::Cpu, Backend::Cuda})
        if (asked != run->experiment.end() && asked->second == name(backend))
            return backend;
    return Backend::Auto;
}

/// With everything that it has started in its process group: a script that starts the host, say. Ranks have groups of
/// their own and go by PR_SET_PDEATHSIG.
void killGroup(pid_t leader)
{
    ::kill(-leader, SIGKILL);
}

/// Collects the child, which is killed when it has not left in time.
int waitOrKill(pid_t pid, std::chrono::milliseconds limit)
{
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline)
            killGroup(pid);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return status;
}

} // namespace

InterruptWatch::InterruptWatch()
{
    const sigset_t signals = interruptSignals();
    ::sigprocmask(SIG_BLOCK, &signals, &m_before);
    m_fd.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

InterruptWatch::~InterruptWatch()
{
    ::sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

int InterruptWatch::take()
{
    int count = 0;
    signalfd_siginfo info{};
    while (::read(m_fd.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
        ++count;
    return count;
}

HostProcess::HostProcess(HostProcessOptions options) : m_options(std::move(options)) {}

HostProcess::~HostProcess()
{
    leave();
}

void HostProcess::leave()
{
    if (!isRunning())
        return;
    m_commands.reset(); // end of file: cancel and quit
    m_events.reset();
    waitOrKill(m_pid, kLeaveLimit);
    m_pid = -1;
}

std::optional<MessageEvent> HostProcess::start(InterruptWatch *interrupts)
{
    if (m_program.empty())
        m_program = m_options.program.empty() ? hostFor(Backend::Auto) : m_options.program;
    auto launched = launchHost(m_program, m_options.word);
    if (const auto *problem = std::get_if<MessageEvent>(&launched))
        return *problem;
    auto &host = std::get<LaunchedHost>(launched);
    m_pid = host.pid;
    m_commands = std::move(host.commands);
    m_events = std::move(host.events);
    m_errorPipe = std::move(host.errors);
    m_decoder = Decoder();
    m_errors.clear(); // an earlier host's last words would be taken for this one's
    m_greeted = m_silent = false;
    m_cancelledAt.reset();
    m_incompatible.reset();
    m_unreadable.reset();
    m_badLines = 0;
    m_heardAt = Clock::now();
    while (!m_greeted) {
        if (!pump([](const Event &) {}, interrupts))
            return describeEnd();
    }
    return std::nullopt;
}

EndEvent HostProcess::run(const Command &command, const OnEvent &onEvent, InterruptWatch *interrupts)
{
    m_id = idOf(command);
    m_end.reset();
    if (const auto reason = refuseBackend(backendOf(command)); reason && m_options.program.empty())
        return refuse(*reason, onEvent);
    chooseHost(command);
    if (!isRunning()) {
        onEvent(ProgressEvent{Text{TextId::HostStarting, {}}, -1});
        if (const auto problem = start(interrupts))
            return giveUp(*problem, onEvent);
    }
    m_cancelledAt.reset();
    m_heardAt = Clock::now();
    sendLine(m_commands.get(), encode(command));
    while (!m_end) {
        if (!pump(onEvent, interrupts))
            return giveUp(describeEnd(), onEvent);
    }
    onEvent(*m_end);
    return *m_end;
}

/// Without a host: the one for CPU ranks would only say the same.
EndEvent HostProcess::refuse(const Text &reason, const OnEvent &onEvent)
{
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.text = reason;
    onEvent(message);
    const EndEvent end{.id = m_id, .status = EndEvent::Status::Failed, .exitCode = kBadArguments, .elapsedNs = 0};
    onEvent(end);
    return end;
}

void HostProcess::chooseHost(const Command &command)
{
    if (!m_options.program.empty()) {
        m_program = m_options.program;
        return;
    }
    const Backend backend = backendOf(command);
    // The host for GPUs has CPU ranks too.
    if (isRunning() && (backend == Backend::Cpu || m_program == hostFor(backend)))
        return;
    leave();
    m_program = hostFor(backend);
}

void HostProcess::cancel()
{
    if (m_cancelledAt || !isRunning())
        return;
    m_cancelledAt = Clock::now();
    sendLine(m_commands.get(), encode(Command(CancelCommand{})));
}

bool HostProcess::pump(const OnEvent &onEvent, InterruptWatch *interrupts)
{
    std::array<pollfd, 3> entries{
        {{m_events.get(), POLLIN, 0}, {m_errorPipe.get(), POLLIN, 0}, {interrupts ? interrupts->fd() : -1, POLLIN, 0}}};
    ::poll(entries.data(), entries.size(), kTickMs);
    if (entries[2].revents)
        takeInterrupts(*interrupts);
    if (entries[1].revents)
        readErrors();
    if (entries[0].revents && !readEvents(onEvent))
        return false;
    if (!isOverdue())
        return !m_incompatible && !m_unreadable;
    kill();
    return false; // whoever may still hold the stream's other end
}

bool HostProcess::readEvents(const OnEvent &onEvent)
{
    std::string bytes;
    const ReadResult result = readSome(m_events.get(), bytes);
    if (result == ReadResult::Data) {
        m_decoder.feed(
            bytes, [&](Event &&event) { takeEvent(std::move(event), onEvent); },
            [&](int, const Text &problem) { takeProblem(problem); });
    }
    return result != ReadResult::End;
}

void HostProcess::takeProblem(const Text &problem)
{
    if (problem.id == TextId::StreamNewer)
        m_incompatible = problem;
    // A library may print a line of its own; what prints many and no hello is another program.
    constexpr int kMostBadLines = 20;
    if (!m_greeted && (++m_badLines > kMostBadLines || problem.id == TextId::StreamLineTooLong))
        m_unreadable = problem;
}

void HostProcess::readErrors()
{
    if (readSome(m_errorPipe.get(), m_errors) == ReadResult::End)
        m_errorPipe.reset();
    if (m_errors.size() > kKeptErrorOutput)
        m_errors.erase(0, m_errors.size() - kKeptErrorOutput);
}

void HostProcess::takeEvent(Event &&event, const OnEvent &onEvent)
{
    m_heardAt = Clock::now(); // bytes that are no event are no sign of life
    if (const auto *hello = std::get_if<HelloEvent>(&event)) {
        m_hello = *hello;
        m_greeted = true;
    }
    if (const auto *end = std::get_if<EndEvent>(&event)) {
        if (end->id == m_id || end->id.empty())
            m_end = *end;
        return;
    }
    onEvent(event);
}

void HostProcess::takeInterrupts(InterruptWatch &interrupts)
{
    for (int count = interrupts.take(); count > 0; --count) {
        // Before the hello nothing runs that would be worth a graceful end.
        if (m_cancelledAt || !m_greeted)
            kill();
        cancel();
    }
}

bool HostProcess::isOverdue()
{
    const auto now = Clock::now();
    if (m_cancelledAt)
        return now - *m_cancelledAt > m_options.cancelLimit;
    m_silent = now - m_heardAt > (m_greeted ? m_options.silenceLimit : m_options.startLimit);
    return m_silent;
}

void HostProcess::kill()
{
    if (!m_cancelledAt && !m_silent)
        m_cancelledAt = Clock::now();
    killGroup(m_pid);
}

MessageEvent HostProcess::describeEnd()
{
    const auto silence = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - m_heardAt);
    m_commands.reset();
    m_events.reset();
    const int status = waitOrKill(m_pid, kLeaveLimit);
    m_pid = -1;
    while (m_errorPipe.isOpen() && hasInput(m_errorPipe.get()))
        readErrors();
    MessageEvent message = describeHostEnd(m_program, status, m_errors);
    if (m_incompatible) {
        message.text = Text{TextId::HostIncompatible, {english(*m_incompatible)}};
        message.remedy = Text{TextId::HostRebuildRemedy, {}};
    } else if (m_unreadable) {
        message.text = Text{TextId::HostUnreadable, {m_program, english(*m_unreadable)}};
        message.remedy = Text{TextId::HostMissingRemedy, {}};
    } else if (m_silent) {
        message.text = Text{TextId::HostSilent, {std::to_string(silence.count())}};
        message.remedy = Text{TextId::HostRestartRemedy, {}};
    }
    return message;
}

EndEvent HostProcess::giveUp(const MessageEvent &reason, const OnEvent &onEvent)
{
    const bool cancelled = m_cancelledAt.has_value();
    if (!cancelled)
        onEvent(reason);
    const EndEvent end{m_id, cancelled ? EndEvent::Status::Cancelled : EndEvent::Status::Failed,
                       cancelled ? kCancelled : kFailed, 0};
    onEvent(end);
    return end;
}

} // namespace shardscope

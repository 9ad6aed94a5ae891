// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"
#include "engine/supervise/file_descriptor.h"
#include "engine/supervise/host_choice.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace shardscope {

/// Turns this process into `rank host serve`, with the environment it needs; the host for GPUs where it can be. Returns
/// only when that failed.
[[nodiscard]] MessageEvent becomeHost();

/// SIGINT, SIGTERM and SIGHUP as something to poll: while it lives they end nothing by themselves.
class InterruptWatch
{
public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch &) = delete;
    InterruptWatch &operator=(const InterruptWatch &) = delete;

    [[nodiscard]] int fd() const { return m_fd.get(); }
    /// How often it has been asked since the last call.
    [[nodiscard]] int take();

private:
    sigset_t m_before{};
    FileDescriptor m_fd;
};

struct HostProcessOptions {
    std::string program;                           ///< empty: the one that fits each command, hostFor()
    std::string word = "serve";                    ///< "join": as one of the ranks that something else has started
    std::chrono::milliseconds startLimit{45000};   ///< until the hello: a first start after a boot reads 160 MB
    std::chrono::milliseconds silenceLimit{30000}; ///< a host at work says something every 2 s
    std::chrono::milliseconds cancelLimit{2000};   ///< from a cancel to the end; then SIGKILL
};

/// A rank host as a child process, for the command line: one command at a time, its events by callback. Never hangs: a
/// host that dies, or says nothing for too long, ends the command with a message that names cause and remedy.
class HostProcess
{
public:
    using OnEvent = std::function<void(const Event &)>;

    explicit HostProcess(HostProcessOptions options = {});
    /// Ends the host and with it its ranks.
    ~HostProcess();
    HostProcess(const HostProcess &) = delete;
    HostProcess &operator=(const HostProcess &) = delete;

    /// Starts the host and waits for its hello. Nothing when it is ready; else an error with cause and remedy.
    /// `interrupts`, here and below, is what Ctrl-C arrives by: the first cancels, the second kills.
    [[nodiscard]] std::optional<MessageEvent> start(InterruptWatch *interrupts = nullptr);
    /// Sends a run or measure command and gives its events until its EndEvent, that one included; starts the host when
    /// none runs. Whatever happens to the host, the last event is an EndEvent, and it is returned.
    EndEvent run(const Command &command, const OnEvent &onEvent, InterruptWatch *interrupts = nullptr);
    /// Cancels what runs; callable from `onEvent`.
    void cancel();

    [[nodiscard]] bool isRunning() const { return m_pid > 0; }
    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] const HelloEvent &hello() const { return m_hello; }
    /// What the host started last and its ranks wrote on stderr, the last 64 KiB.
    [[nodiscard]] const std::string &errorOutput() const { return m_errors; }

private:
    using Clock = std::chrono::steady_clock;

    /// Waits for the next news and takes it; false when the host is gone.
    bool pump(const OnEvent &onEvent, InterruptWatch *interrupts);
    bool readEvents(const OnEvent &onEvent);
    void readErrors();
    void takeProblem(const Text &problem);
    void takeEvent(Event &&event, const OnEvent &onEvent);
    void takeInterrupts(InterruptWatch &interrupts);
    [[nodiscard]] bool isOverdue();
    [[nodiscard]] MessageEvent describeEnd();
    EndEvent giveUp(const MessageEvent &reason, const OnEvent &onEvent);
    void kill();
    /// Ends the host, and with it its ranks.
    void leave();

    EndEvent refuse(const Text &reason, const OnEvent &onEvent);
    /// Ends a host that cannot serve the command, and says which one can.
    void chooseHost(const Command &command);

    HostProcessOptions m_options;
    std::string m_program; ///< that runs, or is to
    FileDescriptor m_commands;
    FileDescriptor m_events;
    FileDescriptor m_errorPipe;
    Decoder m_decoder;
    HelloEvent m_hello;
    bool m_greeted = false;
    std::optional<Text> m_incompatible;
    std::optional<Text> m_unreadable; ///< what it writes is no stream
    int m_badLines = 0;
    std::optional<EndEvent> m_end;
    std::optional<Clock::time_point> m_cancelledAt;
    Clock::time_point m_heardAt;
    std::string m_id;
    std::string m_errors;
    pid_t m_pid = -1;
    bool m_silent = false;
};

} // namespace shardscope

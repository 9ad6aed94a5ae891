// SPDX-License-Identifier: MIT
#pragma once

#include "engine/supervise/active_command.h"
#include "engine/supervise/host_options.h"
#include "engine/supervise/machine_watch.h"
#include "engine/supervise/output_queue.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

struct pollfd;

namespace shardscope {

/// `serve`: reads commands from stdin, runs them on forked ranks and writes one stream. A single-threaded poll loop, so
/// that it can be the zygote too.
///
/// Runs queue; `cancel` ends the current one at once and everything queued before it, with an id that command alone,
/// whether it runs or waits; `quit` leaves when what was asked
/// for before it is done, and reads no more; end of file, SIGTERM and SIGINT cancel and quit; so does a reader of the
/// stream that has gone away. A command ends with exactly one EndEvent.
class Supervisor
{
public:
    explicit Supervisor(HostOptions options);
    ~Supervisor();
    Supervisor(const Supervisor &) = delete;
    Supervisor &operator=(const Supervisor &) = delete;

    /// Returns the exit status of the program: 0, or 130 when it was ended in the middle of a command.
    int serve();

private:
    using Startable = std::variant<RunCommand, MeasureCommand>;

    void waitForNews();
    [[nodiscard]] int pollTimeoutMs() const;
    void readCommands();
    void takeCommandLine(std::string_view line);
    void readRanks();
    void readRank(RankProcess &process);
    void takeRankLine(int rank, std::string_view line);
    void takeRankEvent(int rank, std::string_view line, Event &&event);
    void readSignals();
    void collectChildren();
    void takeChild(pid_t pid, int waitStatus);

    void startNext();
    void complete(const HelloEvent &fromRanks);
    /// The same greeting for another machine: what a measurement is of.
    void emitHelloOf(Machine machine);
    void start(const Startable &command);
    [[nodiscard]] Preparation prepareAny(const Startable &command) const;
    void begin(PreparedCommand command);
    bool ensureRanks(int worldSize);
    void refuse(const Refusal &refusal);
    void cancelAll();
    void cancelOne(const std::string &id);
    void cancelActive();
    void abandon();
    void watch();
    void watchSilence(Clock::time_point now);
    void watchMachine(Clock::time_point now);
    [[nodiscard]] std::int64_t ranksTicks();
    void tellTopology();
    void finish(EndEvent::Status status, int exitCode);
    void finishFailed();
    void finishEndless();
    void finishWell();
    void dropRanks();

    void emit(const Event &event);

    HostOptions m_options;
    HelloEvent m_hello;
    OutputQueue m_output;
    FileDescriptor m_signals;
    std::string m_input;
    Decoder m_rankDecoder; ///< gets whole lines only, so one serves all ranks
    std::deque<Startable> m_queue;
    std::unique_ptr<RankGroup> m_group;
    std::optional<ActiveCommand> m_active;
    std::optional<MachineWatch> m_machine; ///< of ranks that were started elsewhere none: there are several machines
    bool m_joined = false;                 ///< the ranks that were started elsewhere have come
    bool m_topologyTold = false;           ///< since the hello
    Clock::time_point m_lastLook = Clock::now();
    bool m_readsCommands = true;
    bool m_skipsLine = false;   ///< up to the end of one that was too long
    bool m_leaving = false;     ///< as soon as nothing is left to do
    bool m_interrupted = false; ///< ended in the middle of a command
};

} // namespace shardscope

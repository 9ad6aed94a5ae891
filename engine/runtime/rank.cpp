// SPDX-License-Identifier: MIT
#include "engine/runtime/rank.h"

#include "engine/runtime/communicators.h"
#include "engine/runtime/cpu_device.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/machine_measurement.h"
#include "engine/runtime/measured_run.h"
#include "engine/runtime/started_ranks.h"
#include "engine/runtime/told_failure.h"

#include <clocale>
#include <map>
#include <new>
#include <sched.h>
#include <stdexcept>

namespace shardscope {

namespace {

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
    if (const auto *told = dynamic_cast<const ToldFailure *>(&error))
        return told->message;
    if (dynamic_cast<const WrongBlas *>(&error)) {
        message.text = {TextId::BlasWrong, {what}};
        message.remedy = {TextId::BlasWrongRemedy, {}};
    } else if (dynamic_cast<const std::bad_alloc *>(&error) ||
               mentions(what, {"DefaultCPUAllocator", "allocate memory", "out of memory"})) {
        message.text = {TextId::RankOutOfMemory, {who}};
        message.remedy = {TextId::LessMemoryRemedy, {}};
    } else if (mentions(what, {"Timed out", "timed out", "timeout", "Timeout"})) {
        message.text = {TextId::CollectiveTimedOut, {who}};
        message.remedy = {TextId::TimeoutRemedy, {}};
    } else if (mentions(what, {"closed by peer", "reset by peer", "remote process exited", "Broken pipe",
                               "Connection refused", "Socket closed"})) {
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
    Rank(const RankContext &context, const MakeDevice &makeDevice, EventWriter &events)
        : m_context(context), m_makeDevice(makeDevice), m_events(events), m_commands(context.commandFd)
    {
    }

    /// Serves commands until there are no more.
    void serve();
    /// What the other ranks know of a failure, where this one was started alone.
    [[nodiscard]] MessageEvent explained(const MessageEvent &failure) const;
    /// The command that was being served when something failed.
    [[nodiscard]] const std::string &commandId() const { return m_commandId; }

private:
    /// What a backend computes on, and its groups: kept between runs, with the groups of every mesh so far.
    struct Post {
        std::unique_ptr<ComputeDevice> device;
        std::unique_ptr<Communicators> groups;
        double timeoutSeconds = 0;
    };

    Post &join(Backend backend, double timeoutSeconds);
    EndEvent answer(const RunCommand &command);
    EndEvent answer(const MeasureCommand &command);
    void introduce(const Post &post, int threads);
    template <typename Work>
    void serveOne(const Work &command);
    void meet();
    [[nodiscard]] MeetingPlace &place() { return m_started ? m_started->place() : *m_filePlace; }
    void checkBlas();
    [[nodiscard]] RankSession session(Post &post)
    {
        return {*post.groups, m_events, m_commands, m_context.threads, m_started.get()};
    }

    const RankContext &m_context;
    const MakeDevice &m_makeDevice;
    EventWriter &m_events;
    CommandReader m_commands;
    std::unique_ptr<StartedRanks> m_started; ///< of ranks that were started one by one
    std::unique_ptr<MeetingPlace> m_filePlace;
    bool m_meshMade = false;
    std::map<Backend, Post> m_posts;
    int m_joins = 0;
    std::string m_commandId;
};

/// The time limit is fixed when a group is made, so another limit means other groups; all ranks see the same commands
/// and join in the same order.
Rank::Post &Rank::join(Backend backend, double timeoutSeconds)
{
    Post &post = m_posts[backend == Backend::Auto ? Backend::Cpu : backend];
    if (post.groups && timeoutSeconds == post.timeoutSeconds)
        return post;
    if (!post.device)
        post.device = m_makeDevice(backend, place());
    const auto timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeoutSeconds * 1000));
    if (m_started)
        m_started->setTimeout(timeout);
    auto next = std::make_unique<Communicators>(*post.device, "join" + std::to_string(m_joins++), m_context.rank,
                                                m_context.worldSize, timeout);
    // The old groups go only when nobody can still be joining them.
    next->world().barrier();
    m_meshMade = true;
    post.groups = std::move(next);
    post.timeoutSeconds = timeoutSeconds;
    return post;
}

void Rank::meet()
{
    if (m_context.store)
        m_started = std::make_unique<StartedRanks>(m_context, m_events);
    else
        m_filePlace = std::make_unique<MeetingPlace>(m_context.rendezvousPath, m_context.worldSize);
}

MessageEvent Rank::explained(const MessageEvent &failure) const
{
    if (!m_started)
        return failure;
    return m_started->explain(m_meshMade ? failure : m_started->explainNoMesh(failure.detail));
}

void Rank::serve()
{
    meet();
    join(Backend::Cpu, timeoutOn(Backend::Cpu));
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
    if (m_started)
        m_started->awaitAll();
    end.id = command.id;
    end.elapsedNs = Stopwatch::rawNs() - startNs;
    m_events.write(end);
    m_commandId.clear();
}

EndEvent Rank::answer(const RunCommand &command)
{
    const auto experiment = readExperiment(command.experiment, Unused::Allow);
    const Experiment known = experiment ? *experiment : Experiment();
    Post &post = join(known.backend, known.timeout());
    RankSession current = session(post);
    introduce(post, known.threads);
    return measureRun(command, current);
}

EndEvent Rank::answer(const MeasureCommand &command)
{
    Post &post = join(command.backend, timeoutOn(command.backend));
    RankSession current = session(post);
    introduce(post, 0);
    return measureMachine(command, current);
}

void Rank::introduce(const Post &post, int threads)
{
    if (m_started)
        m_started->introduce(post.device->title(threads > 0 ? threads : m_context.threads),
                             post.device->transport() == Transport::Nccl ? "nccl" : "gloo");
}

void Rank::checkBlas()
{
    if (!blasIsRight())
        throw WrongBlas(libraryVersions().at("blas"));
}

void sayFailure(const MessageEvent &message, const std::string &commandId, EventWriter &events)
{
    events.add(message);
    events.add(EndEvent{.id = commandId, .status = EndEvent::Status::Failed, .exitCode = kFailed, .elapsedNs = 0});
    try {
        events.flush();
    } catch (const std::exception &) { // nobody is left to hear it
    }
}

} // namespace

std::unique_ptr<ComputeDevice> makeCpuDevice(Backend, MeetingPlace &place)
{
    return std::make_unique<CpuDevice>(place);
}

int rankMain(const RankContext &context, const MakeDevice &makeDevice)
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
        rank = new Rank(context, makeDevice, events);
        rank->serve();
    } catch (const std::exception &error) {
        const MessageEvent failure = describeFailure(context.rank, error);
        sayFailure(rank ? rank->explained(failure) : failure, rank ? rank->commandId() : std::string(), events);
        return kFailed;
    }
    delete rank;
    return 0;
}

} // namespace shardscope

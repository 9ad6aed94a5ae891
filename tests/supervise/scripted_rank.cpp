// SPDX-License-Identifier: MIT
#include "tests/supervise/scripted_rank.h"

#include "engine/plan/experiment_options.h"
#include "engine/record/codec.h"
#include "engine/supervise/file_descriptor.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace shardscope {
namespace {

constexpr int kFaultyIteration = 2;
constexpr std::size_t kMatrixBytesPerHidden = 4096;

struct Address {
    sockaddr_un name{};
    socklen_t length = 0;
};

// An abstract socket, which needs no file; the rendezvous file tells one set of ranks from the next.
Address addressOf(const RankContext &context)
{
    struct stat file {
    };
    if (::stat(context.rendezvousPath.c_str(), &file) != 0)
        throw std::runtime_error("no rendezvous file");
    const std::string text = "shardscope-test-" + std::to_string(::getppid()) + "-" + std::to_string(file.st_ino);
    Address address;
    address.name.sun_family = AF_UNIX;
    text.copy(address.name.sun_path + 1, text.size());
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    return address;
}

class Barrier
{
public:
    explicit Barrier(const RankContext &context)
    {
        const Address address = addressOf(context);
        const auto *name = reinterpret_cast<const sockaddr *>(&address.name);
        FileDescriptor own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (context.rank > 0) {
            while (::connect(own.get(), name, address.length) != 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            m_peers.push_back(std::move(own));
            return;
        }
        if (::bind(own.get(), name, address.length) != 0 || ::listen(own.get(), context.worldSize) != 0)
            throw std::runtime_error("cannot listen");
        for (int peer = 1; peer < context.worldSize; ++peer)
            m_peers.emplace_back(::accept(own.get(), nullptr, nullptr));
        m_isRoot = true;
    }

    void wait(std::chrono::milliseconds timeout)
    {
        if (m_isRoot)
            receiveAll(timeout);
        for (const FileDescriptor &peer : m_peers)
            ::send(peer.get(), "b", 1, MSG_NOSIGNAL);
        if (!m_isRoot)
            receiveAll(timeout);
    }

private:
    void receiveAll(std::chrono::milliseconds timeout)
    {
        for (const FileDescriptor &peer : m_peers) {
            pollfd entry{peer.get(), POLLIN, 0};
            if (::poll(&entry, 1, static_cast<int>(timeout.count())) == 0)
                throw std::runtime_error("Timed out waiting " + std::to_string(timeout.count()) + "ms for recv");
            char byte = 0;
            if (::recv(peer.get(), &byte, 1, 0) != 1)
                throw std::runtime_error("Connection closed by peer");
        }
    }

    std::vector<FileDescriptor> m_peers;
    bool m_isRoot = false;
};

class ScriptedRank
{
public:
    ScriptedRank(const RankContext &context, const RankScript &script)
        : m_context(context), m_script(script), m_barrier(context)
    {
    }

    int serve()
    {
        std::string input;
        while (readSome(m_context.commandFd, input) == ReadResult::Data) {
            for (std::size_t end = 0; (end = input.find('\n')) != std::string::npos; input.erase(0, end + 1)) {
                const auto command = decodeCommand(std::string_view(input).substr(0, end));
                if (const auto *run = command ? std::get_if<RunCommand>(&*command) : nullptr; run && !runOne(*run))
                    return 4;
            }
        }
        return 0;
    }

private:
    bool runOne(const RunCommand &command)
    {
        try {
            const Experiment experiment = readExperiment(command.experiment, Unused::Allow).value();
            for (int iteration = 0; iteration < experiment.warmup + experiment.steps; ++iteration)
                iterate(experiment, iteration);
            say(CheckEvent{"Y", 1e-7, 1e-5, true});
            say(EndEvent{command.id, EndEvent::Status::Done, 0, 0});
            return true;
        } catch (const std::exception &error) {
            MessageEvent message;
            message.level = MessageEvent::Level::Error;
            message.rank = m_context.rank;
            message.text = Text{TextId::RankFailed, {std::to_string(m_context.rank), error.what()}};
            message.detail = error.what();
            say(message);
            say(EndEvent{command.id, EndEvent::Status::Failed, 4, 0});
            return false;
        }
    }

    void iterate(const Experiment &experiment, int iteration)
    {
        if (iteration == kFaultyIteration && m_script.rank == m_context.rank)
            misbehave();
        if (experiment.delay && experiment.delay->rank == m_context.rank)
            std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(experiment.delay->milliseconds));
        const std::vector<char> matrix(static_cast<std::size_t>(experiment.hidden) * kMatrixBytesPerHidden, 'x');
        m_barrier.wait(std::chrono::milliseconds(static_cast<int>(experiment.timeout() * 1000)));
        SpanEvent span;
        span.rank = m_context.rank;
        span.iteration = iteration;
        span.warmup = iteration < experiment.warmup;
        span.startNs = iteration * 1000;
        span.endNs = span.startNs + matrix.back();
        const int copies = m_script.fault == "flood" ? 1000 : 1;
        std::string lines;
        for (int copy = 0; copy < copies; ++copy)
            lines += encode(Event(span));
        writeAll(m_context.eventFd, lines);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    void misbehave()
    {
        if (m_script.fault == "throw")
            throw std::runtime_error("the matrix is upside down");
        if (m_script.fault == "leave")
            ::_exit(7);
        if (m_script.fault == "say")
            writeAll(m_context.eventFd, "{\"kind\":\"span\", oops\n");
        while (m_script.fault == "spin")
            std::atomic_signal_fence(std::memory_order_seq_cst);
    }

    void say(const Event &event) { writeAll(m_context.eventFd, encode(event)); }

    const RankContext &m_context;
    const RankScript &m_script;
    Barrier m_barrier;
};

} // namespace

RankScript readScript(const char *text)
{
    const std::string script = text ? text : "";
    const std::size_t colon = script.find(':');
    if (colon == std::string::npos)
        return {};
    return {script.substr(0, colon), std::stoi(script.substr(colon + 1))};
}

RankMain scriptedRank(RankScript script)
{
    return [script](const RankContext &context) { return ScriptedRank(context, script).serve(); };
}

} // namespace shardscope

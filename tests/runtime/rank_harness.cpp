// SPDX-License-Identifier: MIT
#include "tests/runtime/rank_harness.h"

#include "engine/plan/experiment_options.h"
#include "engine/runtime/communicators.h"
#include "engine/runtime/cpu_device.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/rank.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardscope {

namespace {

constexpr int kSilenceMs = 60'000;

std::string makeFolder()
{
    std::string path = (std::filesystem::temp_directory_path() / "shardscope-test-XXXXXX").string();
    if (!mkdtemp(path.data()))
        throw std::runtime_error("no temporary folder");
    return path;
}

struct Pipe {
    int read = -1;
    int write = -1;
};

Pipe makePipe()
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    return {ends[0], ends[1]};
}

int statusOf(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void writeAll(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count <= 0)
            return; // a rank that a test has killed
        text.remove_prefix(std::size_t(count));
    }
}

} // namespace

ForkedRanks::ForkedRanks(int ranks, std::uint64_t addressSpaceBytes) : m_folder(makeFolder())
{
    std::signal(SIGPIPE, SIG_IGN);
    for (int rank = 0; rank < ranks; ++rank)
        start(rank, ranks, addressSpaceBytes);
}

ForkedRanks::~ForkedRanks()
{
    for (const Child &child : m_ranks) {
        kill(child.pid, SIGKILL);
        statusOf(child.pid);
        close(child.commandFd);
        close(child.eventFd);
    }
    std::filesystem::remove_all(m_folder);
}

void ForkedRanks::start(int rank, int ranks, std::uint64_t addressSpaceBytes)
{
    const Pipe commands = makePipe();
    const Pipe events = makePipe();
    const pid_t pid = fork();
    if (pid == 0) {
        for (const Child &older : m_ranks) { // or their input would never end
            close(older.commandFd);
            close(older.eventFd);
        }
        close(commands.write);
        close(events.read);
        if (addressSpaceBytes > 0) {
            const rlimit limit{addressSpaceBytes, addressSpaceBytes};
            setrlimit(RLIMIT_AS, &limit);
        }
        RankContext context{rank, ranks, commands.read, events.write, m_folder + "/store"};
        _exit(rankMain(context, makeCpuDevice));
    }
    close(commands.read);
    close(events.write);
    Child child;
    child.pid = pid;
    child.commandFd = commands.write;
    child.eventFd = events.read;
    m_ranks.push_back(std::move(child));
}

void ForkedRanks::send(const Command &command)
{
    const std::string line = encode(command);
    for (const Child &child : m_ranks)
        writeAll(child.commandFd, line.ends_with('\n') ? line : line + '\n');
}

bool ForkedRanks::read(Child &child)
{
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(child.eventFd, bytes.data(), bytes.size());
    if (count <= 0)
        return false;
    child.decoder.feed(
        {bytes.data(), std::size_t(count)}, [&](Event &&event) { child.events.push_back(std::move(event)); },
        [](int line, const Text &problem) {
            throw std::runtime_error("line " + std::to_string(line) + ": " + english(problem));
        });
    return true;
}

std::vector<std::vector<Event>> ForkedRanks::untilEnd()
{
    const auto waiting = [](const Child &child) { return !child.ended && eventsOf<EndEvent>(child.events).empty(); };
    while (std::any_of(m_ranks.begin(), m_ranks.end(), waiting)) {
        std::vector<pollfd> entries;
        for (const Child &child : m_ranks)
            entries.push_back({waiting(child) ? child.eventFd : -1, POLLIN, 0});
        if (poll(entries.data(), entries.size(), kSilenceMs) <= 0)
            return {};
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (entries[i].revents != 0)
                m_ranks[i].ended = !read(m_ranks[i]);
    }
    std::vector<std::vector<Event>> all;
    for (Child &child : m_ranks)
        all.push_back(std::exchange(child.events, {}));
    return all;
}

std::vector<std::vector<Event>> ForkedRanks::run(const Experiment &experiment, double budgetSeconds)
{
    send(RunCommand{"run", allOptions(experiment), budgetSeconds});
    return untilEnd();
}

std::vector<int> ForkedRanks::leave()
{
    std::vector<int> statuses;
    for (Child &child : m_ranks) {
        close(child.commandFd);
        child.commandFd = -1;
    }
    for (const Child &child : m_ranks)
        statuses.push_back(statusOf(child.pid));
    for (const Child &child : m_ranks)
        close(child.eventFd);
    m_ranks.clear();
    return statuses;
}

Experiment smallExperiment(Scheme scheme, Phase phase, int ranks, DType dtype)
{
    Experiment experiment;
    experiment.scheme = scheme;
    experiment.phase = phase;
    experiment.mesh.setExtent(MeshAxis::Tp, ranks);
    experiment.hidden = 48;
    experiment.ffn = 96;
    experiment.batch = 2;
    experiment.sequence = 5;
    experiment.dtype = dtype;
    experiment.backend = Backend::Cpu;
    experiment.threads = 1;
    experiment.steps = 2;
    experiment.warmup = 1;
    experiment.timeoutSeconds = 20;
    return experiment;
}

std::vector<std::string> inRanks(int ranks, const std::function<void(Communicators &, const Expect &)> &body)
{
    const std::string folder = makeFolder();
    const Pipe found = makePipe();
    std::vector<pid_t> pids;
    for (int rank = 0; rank < ranks; ++rank) {
        const pid_t pid = fork();
        if (pid > 0) {
            pids.push_back(pid);
            continue;
        }
        const Expect expect = [&](bool condition, const std::string &what) {
            if (!condition)
                writeAll(found.write, "rank " + std::to_string(rank) + ": " + what + "\n");
        };
        try {
            setThreads(1);
            MeetingPlace place(folder + "/store", ranks);
            CpuDevice device(place);
            Communicators groups(device, "test", rank, ranks, std::chrono::seconds(30));
            body(groups, expect);
            groups.world().barrier(); // nobody leaves while another still talks to it
        } catch (const std::exception &error) {
            expect(false, error.what());
        }
        _exit(0);
    }
    close(found.write);
    std::string text;
    std::array<char, 4096> bytes{};
    for (ssize_t count = 0; (count = read(found.read, bytes.data(), bytes.size())) > 0;)
        text.append(bytes.data(), std::size_t(count));
    close(found.read);
    std::vector<std::string> problems;
    for (const pid_t pid : pids)
        if (const int status = statusOf(pid); status != 0)
            problems.push_back("a rank ended with " + std::to_string(status));
    std::filesystem::remove_all(folder);
    if (!text.empty())
        problems.push_back(text);
    return problems;
}

std::vector<std::string> inRanks(int ranks, const std::function<void(Communicator &, const Expect &)> &body)
{
    return inRanks(ranks, [&body](Communicators &groups, const Expect &expect) { body(groups.world(), expect); });
}

} // namespace shardscope

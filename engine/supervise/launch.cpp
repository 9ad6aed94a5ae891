// SPDX-License-Identifier: MIT
#include "engine/supervise/launch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace shardscope {
namespace {

constexpr int kTorchPort = 29500; ///< what torchrun and LibTorch take where nothing is said
constexpr int kMostWorldSize = 1 << 20;
constexpr int kMostPort = 65535;
constexpr int kMostJoinSeconds = 86400;

/// The variables by which something tells a process that it is one of several ranks.
struct Launcher {
    const char *title;
    const char *rank;
    const char *size;
    const char *localRank;
    const char *localSize;
    /// Batch systems set them for every program that they start, alone or not.
    bool countsFromTwo;
};

// mpirun within a batch job starts its helpers by srun, so that SLURM's variables count those.
constexpr std::array<Launcher, 4> kLaunchers{
    {{"torchrun or by hand", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", false},
     {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
      "OMPI_COMM_WORLD_LOCAL_SIZE", true},
     {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", true},
     {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "", true}}};

std::optional<int> wholeNumber(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// Reads numbers and remembers the first problem.
class Reader
{
public:
    explicit Reader(const Variables &variable) : m_variable(variable) {}

    [[nodiscard]] std::optional<std::string> text(const char *name) const { return m_variable(name); }

    std::optional<int> number(const char *name, int least, int most)
    {
        const auto value = *name ? m_variable(name) : std::nullopt;
        if (!value)
            return std::nullopt;
        const auto number = wholeNumber(*value);
        if (number && *number >= least && *number <= most)
            return number;
        complain({TextId::LaunchNumberBad, {name, *value, std::to_string(least), std::to_string(most)}});
        return std::nullopt;
    }

    /// A number that another one bounds.
    std::optional<int> below(const char *name, int least, int most, const std::string &bound)
    {
        const auto value = *name ? m_variable(name) : std::nullopt;
        const auto found = value ? wholeNumber(*value) : std::nullopt;
        if (!value || (found && *found >= least && *found <= most))
            return found;
        if (found)
            complain({TextId::LaunchNumberOutside, {name, *value, bound, std::to_string(least), std::to_string(most)}});
        else
            complain({TextId::LaunchNumberBad, {name, *value, std::to_string(least), std::to_string(most)}});
        return std::nullopt;
    }

    void complain(Text problem)
    {
        if (!m_problem)
            m_problem = std::move(problem);
    }
    [[nodiscard]] const std::optional<Text> &problem() const { return m_problem; }

private:
    const Variables &m_variable;
    std::optional<Text> m_problem;
};

std::string assignment(const char *name, int value)
{
    return std::string(name) + '=' + std::to_string(value);
}

/// The launcher whose variables are set; of one half of them a problem.
const Launcher *startedBy(Reader &reader)
{
    for (const Launcher &launcher : kLaunchers) {
        const bool hasRank = reader.text(launcher.rank).has_value();
        const bool hasSize = reader.text(launcher.size).has_value();
        if (launcher.countsFromTwo) {
            if (hasRank && hasSize && reader.number(launcher.size, 1, kMostWorldSize).value_or(2) > 1)
                return &launcher;
        } else if (hasRank && hasSize) {
            return &launcher;
        } else if (hasRank || hasSize) {
            const char *set = hasRank ? launcher.rank : launcher.size;
            reader.complain({TextId::LaunchHalf, {set, hasRank ? launcher.size : launcher.rank}});
            return nullptr;
        }
    }
    return nullptr;
}

/// Ranks on this host where the launcher says so; by hand nobody does.
std::optional<int> localWorldSize(Reader &reader, const Launcher &launcher, int worldSize)
{
    if (const auto size = reader.below(launcher.localSize, 1, worldSize, assignment(launcher.size, worldSize)))
        return size;
    const auto tasks = reader.text("SLURM_STEP_TASKS_PER_NODE");
    const auto node = reader.number("SLURM_NODEID", 0, kMostWorldSize);
    const int here =
        tasks && node && launcher.rank == std::string_view("SLURM_PROCID") ? tasksOfNode(*tasks, *node) : 0;
    return here > 0 ? std::optional(std::min(here, worldSize)) : std::nullopt;
}

bool isLoopback(std::string_view address)
{
    return address == "localhost" || address == "::1" || address.starts_with("127.");
}

/// MASTER_ADDR; else what else tells where rank 0 runs.
std::string masterAddress(Reader &reader, const Launcher &launcher, std::optional<int> local, int worldSize)
{
    if (const auto given = reader.text("MASTER_ADDR"))
        return *given;
    if (local == worldSize)
        return "127.0.0.1";
    for (const char *list : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
        if (const auto nodes = reader.text(list))
            return firstHost(*nodes);
    }
    reader.complain({TextId::LaunchNoMaster, {launcher.title}});
    return {};
}

/// The same number for every rank of a job, below the ports that the kernel deals out by itself.
int portOfJob(std::string_view job)
{
    constexpr int kFirst = 12000;
    constexpr unsigned kMany = 16000;
    std::uint32_t hash = 2166136261U; // FNV-1a: numbers of jobs follow each other
    for (const char c : job)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return kFirst + static_cast<int>(hash % kMany);
}

int jobPort(const Reader &reader)
{
    for (const char *name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"}) {
        if (const auto job = reader.text(name))
            return portOfJob(*job);
    }
    if (const auto job = reader.text("SLURM_JOB_ID"))
        return portOfJob(*job + '.' + reader.text("SLURM_STEP_ID").value_or(""));
    return kTorchPort;
}

StoreAddress readStore(Reader &reader, const Launcher &launcher)
{
    StoreAddress store;
    const auto own = reader.number("SHARDSCOPE_PORT", 1, kMostPort);
    const auto master = reader.number("MASTER_PORT", 1, kMostPort);
    store.port = own.value_or(master.value_or(launcher.countsFromTwo ? jobPort(reader) : kTorchPort));
    store.agentServes = !own && reader.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
    store.run = "shardscope/" + reader.text("TORCHELASTIC_RUN_ID").value_or("") + '/' +
                reader.text("TORCHELASTIC_RESTART_COUNT").value_or("");
    store.interface = reader.text("GLOO_SOCKET_IFNAME").value_or("");
    if (const auto seconds = reader.number("SHARDSCOPE_JOIN_SECONDS", 1, kMostJoinSeconds))
        store.limit = std::chrono::seconds(*seconds);
    return store;
}

} // namespace

std::optional<std::string> environmentVariable(const char *name)
{
    const char *value = std::getenv(name); // NOLINT: read before any thread exists
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

Expected<std::optional<Launch>> readLaunch(const Variables &variable)
{
    Reader reader(variable);
    const Launcher *launcher = startedBy(reader);
    if (reader.problem())
        return *reader.problem();
    if (!launcher)
        return std::optional<Launch>();
    Launch launch;
    launch.launcher = launcher->title;
    launch.worldSize = reader.number(launcher->size, 1, kMostWorldSize).value_or(1);
    launch.rank =
        reader.below(launcher->rank, 0, launch.worldSize - 1, assignment(launcher->size, launch.worldSize)).value_or(0);
    const auto local = localWorldSize(reader, *launcher, launch.worldSize);
    launch.store = readStore(reader, *launcher);
    if (launch.worldSize > 1)
        launch.store.host = masterAddress(reader, *launcher, local, launch.worldSize);
    // By hand nobody tells it: on one host all are here, on several there is usually one each.
    launch.localWorldSize = local.value_or(isLoopback(launch.store.host) ? launch.worldSize : 1);
    launch.localRank = reader
                           .below(launcher->localRank, 0, launch.localWorldSize - 1,
                                  counted(launch.localWorldSize, "rank|ranks") + " here")
                           .value_or(launch.localWorldSize == launch.worldSize ? launch.rank : 0);
    if (reader.problem())
        return *reader.problem();
    return std::optional<Launch>(launch);
}

std::string firstHost(std::string_view nodeList)
{
    const std::size_t end = nodeList.find_first_of("[,");
    std::string host(nodeList.substr(0, end));
    if (end == std::string_view::npos || nodeList[end] == ',')
        return host;
    const std::string_view range = nodeList.substr(end + 1);
    const std::size_t close = range.find(']');
    host += range.substr(0, std::min(range.find_first_of(",-]"), range.size()));
    // "rack[1-2]n[1-8]": a name may have several of them.
    if (close != std::string_view::npos && close + 1 < range.size() && range[close + 1] != ',')
        host += firstHost(range.substr(close + 1));
    return host;
}

int tasksOfNode(std::string_view tasksPerNode, int index)
{
    while (!tasksPerNode.empty()) {
        const std::string_view item = tasksPerNode.substr(0, tasksPerNode.find(','));
        const std::size_t times = item.find("(x");
        const int tasks = wholeNumber(item.substr(0, times)).value_or(0);
        int nodes = 1;
        if (times != std::string_view::npos)
            nodes = wholeNumber(item.substr(times + 2, item.size() - times - 3)).value_or(1);
        if (index < nodes)
            return tasks;
        index -= nodes;
        tasksPerNode.remove_prefix(std::min(item.size() + 1, tasksPerNode.size()));
    }
    return 0;
}

} // namespace shardscope

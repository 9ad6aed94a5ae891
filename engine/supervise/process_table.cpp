// SPDX-License-Identifier: MIT
#include "engine/supervise/process_table.h"

#include "engine/supervise/kernel_file.h"
#include "engine/supervise/tabbed_fields.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>

namespace shardscope {
namespace {

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0)
            found.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

constexpr std::string_view kRankName = "shardscope-r";

// Enough for messages and exceptions, too little for a matrix.
constexpr std::int64_t kHeadroom = 1 << 20;

std::int64_t mappedBytes(pid_t pid)
{
    const std::string statm = kernelFile("/proc/" + std::to_string(pid) + "/statm");
    return numberOf<std::int64_t>(std::string_view(statm).substr(0, statm.find(' ')), 0) * ::sysconf(_SC_PAGESIZE);
}

} // namespace

std::optional<ProcessFacts> parseProcessStat(std::string_view stat)
{
    // proc(5): pid (name) state ppid ... utime stime are fields 14 and 15, starttime is 22. The name may hold blanks
    // and parentheses, so the last ')' ends it.
    const std::size_t open = stat.find('(');
    const std::size_t close = stat.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return std::nullopt;
    const auto fields = words(stat.substr(close + 1));
    if (fields.size() < 20)
        return std::nullopt;
    ProcessFacts facts;
    facts.pid = numberOf<pid_t>(stat.substr(0, stat.find(' ')), 0);
    facts.name = stat.substr(open + 1, close - open - 1);
    facts.state = fields[0][0];
    facts.parent = numberOf<pid_t>(fields[1], 0);
    facts.cpuTicks = numberOf<std::int64_t>(fields[11], 0) + numberOf<std::int64_t>(fields[12], 0);
    facts.startTime = numberOf<std::int64_t>(fields[19], 0);
    return facts;
}

std::optional<ProcessFacts> processFacts(pid_t pid)
{
    return parseProcessStat(kernelFile("/proc/" + std::to_string(pid) + "/stat"));
}

std::vector<ProcessFacts> childrenOf(pid_t parent)
{
    std::vector<ProcessFacts> children;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const auto pid = numberOf<pid_t>(entry.path().filename().string(), 0);
        const auto facts = pid > 0 ? processFacts(pid) : std::nullopt;
        if (facts && facts->parent == parent)
            children.push_back(*facts);
    }
    return children;
}

std::vector<ProcessFacts> ranksOf(pid_t host)
{
    std::vector<ProcessFacts> ranks = childrenOf(host);
    std::erase_if(ranks, [](const ProcessFacts &child) {
        return !child.name.starts_with(kRankName) || child.name.find_first_of("0123456789") != kRankName.size();
    });
    return ranks;
}

std::string rankProcessName(int rank)
{
    return std::string(kRankName) + std::to_string(rank);
}

bool provoke(Fault fault, pid_t pid)
{
    switch (fault) {
    case Fault::Kill:
        return ::kill(pid, SIGKILL) == 0;
    case Fault::Crash:
        return ::kill(pid, SIGSEGV) == 0;
    case Fault::Stop:
        return ::kill(pid, SIGSTOP) == 0;
    case Fault::OutOfMemory: {
        const auto limit = static_cast<rlim_t>(mappedBytes(pid) + kHeadroom);
        const rlimit ceiling{limit, limit};
        return ::prlimit(pid, RLIMIT_AS, &ceiling, nullptr) == 0;
    }
    }
    return false;
}

} // namespace shardscope

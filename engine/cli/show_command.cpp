// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/output.h"
#include "engine/cli/render.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace shardscope::cli {
namespace {

std::string readFile(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    if (file)
        bytes << file.rdbuf();
    // A directory opens, but its first read fails and leaves nothing.
    if (!file || bytes.str().empty()) {
        const std::string cause = file.is_open() && file ? "it is empty" : std::strerror(errno);
        throw badArgument(path + ": cannot be read: " + cause + "; a saved run (.shardscope) is needed");
    }
    return bytes.str();
}

using Problems = std::vector<std::pair<int, Text>>;

std::string said(const Problems::value_type &problem)
{
    return "line " + std::to_string(problem.first) + ": " + english(problem.second);
}

/// A damaged file may have as many bad lines as it has lines.
void complainOf(const std::string &path, const Problems &problems)
{
    constexpr std::size_t kMost = 5;
    for (std::size_t i = 0; i < std::min(kMost, problems.size()); ++i)
        complain(path + ", " + said(problems[i]));
    if (problems.size() > kMost)
        complain(path + ": " + std::to_string(problems.size() - kMost) + " more lines that could not be read");
}

} // namespace

int show(const Arguments &arguments)
{
    const RunFile file = readRuns(readFile(arguments.file));
    if (file.runs.empty())
        throw badArgument(arguments.file + ": holds no run" +
                          (file.problems.empty() ? "" : " (" + said(file.problems.front()) + ')') +
                          "; a saved run (.shardscope) is needed");
    complainOf(arguments.file, file.problems);
    Output output(arguments.output);
    output.write(render(file.runs, arguments.format, output.console()));
    output.commit();
    return statusOf(file.runs, file.runs.size() > 1);
}

} // namespace shardscope::cli

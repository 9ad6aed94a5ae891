// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/output.h"
#include "engine/cli/render.h"

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

} // namespace

int show(const Arguments &arguments)
{
    const RunFile file = readRuns(readFile(arguments.file));
    for (const auto &[line, problem] : file.problems)
        complain(arguments.file + ", line " + std::to_string(line) + ": " + english(problem));
    if (file.runs.empty())
        throw badArgument(arguments.file + ": holds no run; a saved run (.shardscope) is needed");
    Output output(arguments.output);
    output.write(render(file.runs, arguments.format, output.console()));
    output.commit();
    return statusOf(file.runs, file.runs.size() > 1);
}

} // namespace shardscope::cli

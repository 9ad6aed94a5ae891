// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/output.h"
#include "engine/cli/recording_file.h"
#include "engine/cli/render.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

using Problems = std::vector<std::pair<int, Text>>;

std::string said(const Problems::value_type &problem)
{
    return "line " + std::to_string(problem.first) + ": " + english(problem.second);
}

bool isOtherDocument(const Text &problem)
{
    return problem.id == TextId::StreamIsDocument || problem.id == TextId::StreamIsTrace ||
           problem.id == TextId::StreamIsCsv;
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

Failure holdsNoRun(const std::string &path, const Problems &problems)
{
    // What the file is instead says more than where reading it stopped.
    if (!problems.empty() && isOtherDocument(problems.front().second))
        return badArgument(path + ": " + english(problems.front().second));
    return badArgument(path + ": holds no run" + (problems.empty() ? "" : " (" + said(problems.front()) + ')') +
                       "; a saved run (.shardscope) is needed");
}

} // namespace

int show(const Arguments &arguments)
{
    const RunFile file = readRuns(readRecording(arguments.file));
    if (file.runs.empty())
        throw holdsNoRun(arguments.file, file.problems);
    complainOf(arguments.file, file.problems);
    Output output(arguments.output);
    output.write(render(file.runs, arguments.format, output.console()));
    output.commit();
    return statusOf(file.runs, file.runs.size() > 1);
}

} // namespace shardscope::cli

// SPDX-License-Identifier: MIT
#include "engine/cli/help.h"

#include "engine/cli/console.h"
#include "engine/cli/text_table.h"

#include <unistd.h>

namespace shardscope::cli {
namespace {

constexpr std::string_view kStartedRanks = "Started as one of several ranks (torchrun, mpirun, srun, or by hand with "
                                           "RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT), "
                                           "the ranks of all these programs work together, and that of rank 0 prints. "
                                           "GLOO_SOCKET_IFNAME: the network interface "
                                           "between hosts; SHARDSCOPE_PORT: where the ranks meet; "
                                           "SHARDSCOPE_JOIN_SECONDS: how long they wait for each other [60].";

std::string valueWord(const ExperimentOption &option)
{
    switch (option.kind) {
    case ExperimentOption::Kind::Switch:
        return "on|off";
    case ExperimentOption::Kind::Integer:
    case ExperimentOption::Kind::Number:
        return "N";
    case ExperimentOption::Kind::Word:
        return "WORD";
    case ExperimentOption::Kind::Other:
        return "VALUE";
    }
    return "VALUE";
}

/// One option: name and value, what it means, the words allowed, the default.
std::string optionLine(const Console &console, const std::string &left, std::string meaning,
                       const std::vector<std::string> &values, std::string_view defaultText)
{
    constexpr int kLeft = 27;
    if (!values.empty())
        meaning += ": " + commaList(values);
    if (!defaultText.empty())
        meaning += " [" + std::string(defaultText) + "]";
    const std::size_t columns = columnsOf(left);
    const std::string gap = columns + 1 < kLeft ? std::string(kLeft - columns, ' ') : '\n' + std::string(kLeft, ' ');
    return left + gap + console.wrapped(meaning, kLeft) + '\n';
}

std::vector<std::string> formatNames(const Command &command)
{
    std::vector<std::string> names;
    for (const Format format : command.formats)
        names.emplace_back(name(format));
    return names;
}

std::string experimentHelp(const Console &console, const Command &command)
{
    std::string lines;
    for (const ExperimentOption &option : experimentOptions()) {
        if (!command.takes(option.name) || (command.everyPhase && option.name == "phase"))
            continue;
        const bool isSwitch = option.kind == ExperimentOption::Kind::Switch;
        lines += optionLine(console, "  --" + std::string(option.name) + ' ' + valueWord(option),
                            std::string(option.meaning), isSwitch ? std::vector<std::string>{} : option.values,
                            option.defaultText);
    }
    return lines;
}

std::string ownHelp(const Console &console, const Command &command)
{
    std::string lines;
    for (const OwnOption &option : command.ownOptions) {
        lines += optionLine(console, "  --" + std::string(option.name) + ' ' + std::string(option.value),
                            std::string(option.meaning), option.values, option.defaultText);
    }
    if (command.hardware) {
        lines += optionLine(console, "  --hardware NAME",
                            "a preset's name, or 'this' for this machine, measured first; "
                            "'predict --hardware list' names them",
                            {}, command.hardwareDefault);
    }
    if (command.faults)
        lines +=
            optionLine(console, "  --faults", "also provokes faults: a killed, a crashed and a stopped rank", {}, "");
    if (!command.formats.empty()) {
        lines += optionLine(console, "  --format WORD", "how the result is written", formatNames(command), "table");
        lines += optionLine(console, "  --output FILE", "instead of stdout; written whole or not at all", {}, "stdout");
    }
    lines += optionLine(console, "  --help", "this text", {}, "");
    return lines;
}

} // namespace

std::string generalHelp()
{
    const Console console = consoleOf(STDOUT_FILENO);
    std::string text = "shardscope-engine: runs a tensor-parallel layer on the ranks of this machine and shows what "
                       "travels, when and why.\n\nUsage: shardscope-engine COMMAND [OPTIONS]\n\n" +
                       console.bold("Commands") + '\n';
    TextTable table({{.title = ""}, {.title = ""}});
    for (const Command &command : commands())
        table.add({std::string(command.name), std::string(command.summary)});
    const std::string lines = table.text(console);
    text += lines.substr(lines.find('\n') + 1); // without the empty heading
    text += "\nshardscope-engine COMMAND --help explains one of them, with defaults, units and examples; --version "
            "says the version.\nExit status: 0 done and every check passed, 2 bad arguments, 3 a check failed or "
            "observed collectives differ\nfrom planned, 4 a rank or the engine failed, 130 cancelled.\n";
    return text;
}

std::string helpOf(const Command &command)
{
    const Console console = consoleOf(STDOUT_FILENO);
    const std::string file = command.file ? " FILE" : "";
    std::string text = "shardscope-engine " + std::string(command.name) + ": " + std::string(command.summary) +
                       "\n\nUsage: shardscope-engine " + std::string(command.name) + file + " [OPTIONS]\n\n" +
                       console.bold("Options") + " (default in brackets)\n";
    text += experimentHelp(console, command) + ownHelp(console, command);
    if (command.together == Together::Join)
        text += '\n' + console.wrapped(kStartedRanks, 0) + '\n';
    text += '\n' + console.bold("Examples") + '\n';
    for (const std::string_view example : command.examples)
        text += "  " + std::string(example) + '\n';
    return text;
}

} // namespace shardscope::cli

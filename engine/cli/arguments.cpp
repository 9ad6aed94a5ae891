// SPDX-License-Identifier: MIT
#include "engine/cli/arguments.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace shardscope::cli {
namespace {

constexpr std::array kFormats{Format::Table, Format::Json, Format::Jsonl, Format::Csv, Format::Trace};

Format readFormat(const Command &command, const std::string &word)
{
    std::string allowed;
    for (const Format format : command.formats) {
        if (word == name(format))
            return format;
        allowed += (allowed.empty() ? "" : ", ") + std::string(name(format));
    }
    const bool elsewhere = std::ranges::any_of(kFormats, [&](Format format) { return word == name(format); });
    throw badArgument("--format " + word + ": " +
                      (elsewhere ? "not of " + std::string(command.name) : "no such format") + "; allowed: " + allowed);
}

/// Why the first word that nobody understood is wrong.
Failure unknownWord(const Command &command, const std::string &word)
{
    if (!word.starts_with("-"))
        return badArgument("'" + word + "' is not expected here; shardscope-engine " + std::string(command.name) +
                           " --help names the options");
    const std::string option = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const std::string bare = option.substr(0, option.find('='));
    if (isFutureOption(bare))
        return badArgument(english({TextId::OptionNotInThisVersion, {bare}}));
    if (findOption(bare) != nullptr || bare == "hardware" || bare == "format" || bare == "output")
        return badArgument("--" + bare + " is not an option of " + std::string(command.name));
    return badArgument("--" + bare + ": no such option; shardscope-engine " + std::string(command.name) +
                       " --help names the options");
}

/// CLI11's own sentences name types and counts; ours name the option and what helps.
Failure translated(const CLI::ParseError &error, const CLI::App &app, const std::vector<std::string> &words)
{
    for (const CLI::Option *option : app.get_options()) {
        const std::string spelled = "--" + option->get_single_name();
        const auto times = std::ranges::count_if(
            words, [&](const std::string &word) { return word == spelled || word.starts_with(spelled + '='); });
        if (times > 1)
            return badArgument(spelled + ": given " + std::to_string(times) + " times; once is allowed");
        if (times == 1 && (words.back() == spelled || error.get_name() == "ArgumentMismatch"))
            return badArgument(spelled + ": needs a value");
    }
    return badArgument(error.what());
}

} // namespace

std::string_view name(Format format)
{
    switch (format) {
    case Format::Table:
        return "table";
    case Format::Json:
        return "json";
    case Format::Jsonl:
        return "jsonl";
    case Format::Csv:
        return "csv";
    case Format::Trace:
        return "trace";
    }
    return "";
}

bool Command::takes(std::string_view option) const
{
    return allExperimentOptions || std::ranges::find(experimentOptions, option) != experimentOptions.end();
}

Arguments readArguments(const Command &command, const std::vector<std::string> &words)
{
    Arguments arguments;
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::map<std::string, std::string> values;
    for (const ExperimentOption &option : experimentOptions()) {
        if (command.takes(option.name))
            app.add_option("--" + std::string(option.name), values[std::string(option.name)]);
    }
    std::string format;
    if (!command.formats.empty()) {
        app.add_option("--format", format);
        app.add_option("--output", arguments.output);
    }
    if (command.hardware)
        app.add_option("--hardware", arguments.hardware);
    if (command.faults)
        app.add_flag("--faults", arguments.faults);
    if (command.file)
        app.add_option("FILE", arguments.file);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 wants them backwards
    } catch (const CLI::ParseError &error) {
        throw translated(error, app, words);
    }
    if (const std::vector<std::string> left = app.remaining(); !left.empty())
        throw unknownWord(command, left.front());
    for (const auto &[option, value] : values) {
        if (app.count("--" + option) > 0)
            arguments.experiment.emplace(option, value);
    }
    if (app.get_option_no_throw("--format") != nullptr && app.count("--format") > 0)
        arguments.format = readFormat(command, format);
    if (app.get_option_no_throw("--output") != nullptr && app.count("--output") > 0 && arguments.output.empty())
        throw badArgument("--output: needs a file name");
    if (command.file && arguments.file.empty())
        throw badArgument("FILE is missing: shardscope-engine show FILE");
    return arguments;
}

} // namespace shardscope::cli

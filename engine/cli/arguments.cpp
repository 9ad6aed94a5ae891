// SPDX-License-Identifier: MIT
#include "engine/cli/arguments.h"

#include "engine/plan/option_reading.h"

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
        addToList(allowed, name(format));
    }
    const bool elsewhere = std::ranges::any_of(kFormats, [&](Format format) { return word == name(format); });
    throw badArgument("--format " + word + ": " +
                      (elsewhere ? "not of " + std::string(command.name) : "no such format") + "; allowed: " + allowed);
}

std::vector<std::string> optionNames(const Command &command)
{
    std::vector<std::string> names;
    for (const ExperimentOption &option : experimentOptions()) {
        if (command.takes(option.name))
            names.emplace_back(option.name);
    }
    for (const OwnOption &option : command.ownOptions)
        names.emplace_back(option.name);
    if (!command.formats.empty())
        names.insert(names.end(), {"format", "output"});
    if (command.hardware)
        names.emplace_back("hardware");
    if (command.faults)
        names.emplace_back("faults");
    return names;
}

/// Whether some command, not necessarily this one, has an option called so.
bool isOption(std::string_view bare)
{
    const auto has = [&](const Command &command) {
        return std::ranges::find(command.ownOptions, bare, &OwnOption::name) != command.ownOptions.end();
    };
    return findOption(bare) != nullptr || bare == "hardware" || bare == "format" || bare == "output" ||
           std::ranges::any_of(commands(), has);
}

/// Why the first word that nobody understood is wrong.
Failure unknownWord(const Command &command, const std::string &word)
{
    const std::string help = "shardscope-engine " + std::string(command.name) + " --help names the options";
    if (!word.starts_with("-"))
        return badArgument("'" + word + "' is not expected here; " + help);
    const std::string option = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    const std::string bare = option.substr(0, option.find('='));
    const std::string given = word.substr(0, word.find('='));
    const bool known = isOption(bare);
    if (known && !word.starts_with("--"))
        return badArgument(word + ": an option begins with two dashes; allowed: --" + bare);
    if (known)
        return badArgument("--" + bare + " is not an option of " + std::string(command.name));
    if (const std::string near = nearestWord(bare, optionNames(command)); !near.empty())
        return badArgument(given + ": no such option; did you mean --" + near + "?");
    return badArgument(given + ": no such option; " + help);
}

/// Whether the word is that option, its value perhaps in the same word.
bool names(const std::string &word, const std::string &option)
{
    return word == option || word.starts_with(option + '=');
}

/// CLI11 would take the next option for a value that was forgotten, and its own sentences name types and counts: ours
/// name the option and what helps.
void checkOptionWords(const CLI::App &app, const std::vector<std::string> &words)
{
    const auto end = static_cast<std::size_t>(std::ranges::find(words, "--") - words.begin());
    for (const CLI::Option *option : app.get_options()) {
        if (option->get_positional())
            continue;
        const std::string spelled = "--" + option->get_single_name();
        const bool takesValue = option->get_expected_max() > 0;
        int times = 0;
        for (std::size_t i = 0; i < end; ++i) {
            if (!names(words[i], spelled))
                continue;
            ++times;
            const bool valueInWord = words[i] != spelled;
            if (!takesValue && valueInWord)
                throw badArgument(spelled + ": takes no value");
            const bool valueFollows = i + 1 < end && !words[i + 1].starts_with("--");
            if (takesValue && (valueInWord ? words[i].size() == spelled.size() + 1 : !valueFollows))
                throw badArgument(spelled + ": needs a value");
        }
        if (times > 1)
            throw badArgument(spelled + ": given " + std::to_string(times) + " times; once is allowed");
    }
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
    std::map<std::string, std::string> ownValues;
    for (const OwnOption &option : command.ownOptions)
        app.add_option("--" + std::string(option.name), ownValues[std::string(option.name)]);
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
    checkOptionWords(app, words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 wants them backwards
    } catch (const CLI::ParseError &error) {
        throw badArgument(error.what());
    }
    std::vector<std::string> left = app.remaining();
    if (command.file)
        std::erase(left, "--"); // what stands behind it is a file, whatever it begins with
    if (!left.empty())
        throw unknownWord(command, left.front());
    const auto keepGiven = [&](const std::map<std::string, std::string> &from, OptionValues &to) {
        for (const auto &[option, value] : from) {
            if (app.count("--" + option) > 0)
                to.emplace(option, value);
        }
    };
    keepGiven(values, arguments.experiment);
    keepGiven(ownValues, arguments.own);
    if (app.get_option_no_throw("--format") != nullptr && app.count("--format") > 0)
        arguments.format = readFormat(command, format);
    if (app.get_option_no_throw("--output") != nullptr && app.count("--output") > 0 && arguments.output.empty())
        throw badArgument("--output: needs a file name");
    if (command.hardware && app.count("--hardware") > 0 && arguments.hardware.empty())
        throw badArgument("--hardware: needs a name; predict --hardware list names the presets");
    if (command.file && arguments.file.empty())
        throw badArgument("FILE is missing: shardscope-engine show FILE");
    return arguments;
}

} // namespace shardscope::cli

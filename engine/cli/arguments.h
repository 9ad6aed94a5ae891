// SPDX-License-Identifier: MIT
#pragma once

#include "engine/cli/together.h"
#include "engine/plan/experiment_options.h"
#include "engine/record/exit_code.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::cli {

enum class Format { Table, Json, Jsonl, Csv, Trace };
[[nodiscard]] std::string_view name(Format format);

/// Ends the command: one line for stderr (which, why, what is allowed or what helps) and the exit status.
struct Failure {
    ExitCode code = kFailed;
    std::string line;
};
[[nodiscard]] inline Failure badArgument(std::string line)
{
    return {kBadArguments, std::move(line)};
}

/// What was asked for, once the words are understood.
struct Arguments {
    OptionValues experiment; ///< options of experiments as given, values not read yet
    OptionValues own;        ///< the command's own options as given, values not read yet
    Format format = Format::Table;
    std::string output;   ///< empty: stdout
    std::string hardware; ///< a preset, "this" or "list"; empty when not given
    std::string file;     ///< of show
    bool faults = false;
};

/// An option of a command that is none of an experiment: parsed, explained and refused by the same entry.
struct OwnOption {
    std::string_view name{};
    std::string_view value{}; ///< what stands for the value in the help, "N"
    std::string_view meaning{};
    std::vector<std::string> values{}; ///< the words or numbers allowed; empty: many
    std::string_view defaultText{};
};

/// One subcommand: parsed, explained and started by the same entry.
struct Command {
    std::string_view name{};
    std::string_view summary{};
    /// Options of experiments that it takes; `all` of them when true.
    bool allExperimentOptions = false;
    bool everyPhase = false; ///< runs all three: --phase would say nothing and is refused
    std::vector<std::string_view> experimentOptions{};
    std::vector<OwnOption> ownOptions{};
    std::vector<Format> formats{}; ///< empty: neither --format nor --output
    bool hardware = false;
    std::string_view hardwareDefault{};
    bool faults = false;
    bool file = false;
    Together together = Together::FirstOnly;
    std::array<std::string_view, 2> examples{};
    int (*start)(const Arguments &) = nullptr;

    [[nodiscard]] bool takes(std::string_view experimentOption) const;
};

/// In the order of --help.
[[nodiscard]] const std::vector<Command> &commands();

/// Reads the words behind the subcommand's name. Throws Failure (exit 2).
[[nodiscard]] Arguments readArguments(const Command &command, const std::vector<std::string> &words);

} // namespace shardscope::cli

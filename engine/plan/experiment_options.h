// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/expected.h"
#include "engine/plan/experiment.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// One option of an experiment: the single place that knows its name, its values and where it applies. The command
/// line parses by it, the stream and JSON documents read and write by it, the window shows or hides controls by it
/// and builds "Copy as command line" from it.
struct ExperimentOption {
    std::string_view name;           ///< "gather-output"
    std::string_view meaning;        ///< one line for --help, with unit
    std::string_view defaultText;    ///< "4h", "off"
    std::vector<std::string> values; ///< the words allowed; empty for numbers
    enum class Kind { Word, Switch, Integer, Number, Other } kind = Kind::Word;
    /// Whether the scheme and phase use it.
    std::function<bool(const Experiment &)> applies;
    /// Reads a value; the problem says what is allowed.
    std::function<std::optional<Text>(Experiment &, std::string_view)> set;
    /// The value in the form that `set` reads.
    std::function<std::string(const Experiment &)> get;
};

/// All options due in this version, in the order of --help.
[[nodiscard]] const std::vector<ExperimentOption> &experimentOptions();
/// The option called `name`, without dashes; nullptr when this version has none.
[[nodiscard]] const ExperimentOption *findOption(std::string_view name);

/// Every option at its default, given what the others of `experiment` say: f = 4h, a = h/64, k = a, a layer per
/// pipeline stage, a cache as long as the sequence.
[[nodiscard]] Experiment defaultsFor(const Experiment &experiment);

/// `experiment` with what its scheme and phase do not use at its default, as the plan takes it.
[[nodiscard]] Experiment withoutUnused(const Experiment &experiment);

/// Options given by name ("hidden" -> "4096"), in any order.
using OptionValues = std::map<std::string, std::string, std::less<>>;

/// Which rules `readExperiment` applies to options that the scheme or phase does not use.
enum class Unused {
    Refuse, ///< one experiment: an error
    Allow,  ///< a point of a sweep or comparison where another point uses it: left at its default
};

/// Reads, resolves defaults (f = 4h, ranks = product of mesh) and validates.
[[nodiscard]] Expected<Experiment> readExperiment(const OptionValues &given, Unused unused = Unused::Refuse);

/// Every rule that needs more than one option: divisibility, powers of two, rank of --delay, a bug that cannot show.
/// Empty when the experiment is valid.
[[nodiscard]] std::optional<Text> validate(const Experiment &experiment);

/// The options that differ from their defaults and apply, as shell words: "--scheme column --ranks 4 ...".
[[nodiscard]] std::string commandLine(const Experiment &experiment);

/// Every option by name with its resolved value, applied or not, for JSON documents and the stream.
[[nodiscard]] OptionValues allOptions(const Experiment &experiment);

} // namespace shardscope

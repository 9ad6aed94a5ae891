// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment_options.h"
#include "engine/plan/text.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// An option at another value, or left out.
struct Change {
    std::string option;
    std::optional<std::string> value;

    bool operator==(const Change &) const = default;
};
/// What is typed together.
using Changes = std::vector<Change>;
/// Alternatives of one kind, the nearest first: of them the first that is accepted is offered.
using Row = std::vector<Changes>;

/// Why options are refused, and what may mend it.
struct Refusal {
    Text text;                              ///< complete, or without its last argument: what is allowed
    std::function<std::vector<Row>()> rows; ///< empty where the text is complete
};

inline constexpr int kMostReadings = 4000;

/// Reads a whole command line; the refusal if it is not accepted.
using Reader = std::function<std::optional<Refusal>(const OptionValues &)>;

[[nodiscard]] OptionValues changedBy(OptionValues given, const Changes &changes);

/// The text of the refusal with what may be typed instead: "--heads 8 or 20, or --ranks 2". Whatever is offered was
/// read by `reader` and accepted, all of the command line; where no single option mends it, several together are
/// offered. It is read about `readings` times at most, so that the answer comes at once even where next to nothing is
/// accepted.
[[nodiscard]] Text advised(const Refusal &refusal, const OptionValues &given, const Reader &reader,
                           int readings = kMostReadings);

/// readExperiment() without the search for what is allowed. `read` is the experiment where nothing is refused.
[[nodiscard]] std::optional<Refusal> refusalOf(const OptionValues &given, Unused unused, Experiment &read);

} // namespace shardscope

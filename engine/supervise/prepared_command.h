// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"
#include "engine/supervise/host_options.h"

#include <optional>
#include <string>
#include <variant>

namespace shardscope {

/// A command that may start: every option resolved, and found to fit into memory.
struct PreparedCommand {
    std::string id;
    int ranks = 1;
    double timeoutSeconds = timeoutOn(Backend::Cpu); ///< of one collective
    std::optional<Delay> delay;                      ///< that a rank is told to sleep
    std::chrono::duration<double> workLimit{60};     ///< ranks that are at work say something within it
    std::string line;                                ///< what the ranks read
    std::optional<RunEvent> opening;                 ///< of a run
    std::optional<Machine> machine;                  ///< of a measurement: what it is of
};

/// Why a command does not start; exit code 2.
struct Refusal {
    std::string id;
    MessageEvent message;
};

using Preparation = std::variant<PreparedCommand, Refusal>;
[[nodiscard]] Preparation prepare(const RunCommand &command, const HostOptions &options, const HelloEvent &hello);
[[nodiscard]] Preparation prepare(const MeasureCommand &command, const HostOptions &options, const HelloEvent &hello);

/// How long ranks that are well may say nothing and do nothing: in a collective, and kept back on purpose.
[[nodiscard]] std::chrono::duration<double> expectedSilence(const PreparedCommand &command);

/// The machine of a run on that many CPU ranks: devices and the note that they share cores.
[[nodiscard]] Machine machineOfRanks(const Machine &machine, int ranks, int threads);
/// The machine of ranks that were started elsewhere, by what they have told: devices, hosts, cores.
[[nodiscard]] Machine machineOfStartedRanks(const Machine &machine, const Machine &told);

} // namespace shardscope

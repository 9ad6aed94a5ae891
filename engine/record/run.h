// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/record/event.h"

#include <optional>
#include <vector>

namespace shardscope {

/// Everything known of one run: measured here, replayed from a file or simulated. Views never ask which, except to
/// label it.
struct Run {
    std::string id;
    Source source = Source::Measured;
    std::string startedAt;
    std::string hardware; ///< preset's name, of a prediction
    int starts = 0;       ///< RunEvent::starts
    double startNs = 0;   ///< RunEvent::startNs
    std::string engineVersion;
    Machine machine;
    Plan plan;                    ///< built again from the experiment
    std::vector<SpanEvent> spans; ///< per rank and iteration in time order, as they came
    std::vector<HopEvent> hops;
    /// Of a prediction: by rank, the one whose spans and hops are its own too, because both do the same at the same
    /// times. Empty: every rank has its own.
    std::vector<int> standIns;
    std::vector<IterationEvent> iterations;
    std::vector<BaselineEvent> baselines;
    std::vector<CarriedEvent> carried; ///< by steps
    std::vector<CheckEvent> checks;
    std::optional<MemoryEvent> memory;
    std::optional<Topology> topology; ///< of the machine that ran it; of a prediction and in older files none
    std::vector<MessageEvent> messages;
    std::optional<EndEvent> end;
    int rejected = 0; ///< impossible records (end before start, unknown step or rank): counted, not kept

    [[nodiscard]] const Experiment &experiment() const { return plan.experiment; }
    /// The rank whose spans and hops are those of `rank`.
    [[nodiscard]] int standIn(int rank) const
    {
        return standIns.empty() ? rank : standIns[static_cast<std::size_t>(rank)];
    }
    /// The ranks that have spans and hops of their own, ascending.
    [[nodiscard]] std::vector<int> recordedRanks() const;
    /// Spans and hops of every rank, those that another stands in for included, in the order in which they are kept.
    [[nodiscard]] std::vector<SpanEvent> spansOfEveryRank() const;
    [[nodiscard]] std::vector<HopEvent> hopsOfEveryRank() const;
    /// What a file or a picture has room for: every rank up to kMostRanksInRun, beyond them the recorded ones.
    [[nodiscard]] std::vector<int> shownRanks() const;
    /// Spans and hops of those.
    [[nodiscard]] std::vector<SpanEvent> shownSpans() const;
    [[nodiscard]] std::vector<HopEvent> shownHops() const;
    /// How many ranks do what `rank` does, itself included.
    [[nodiscard]] int alike(int rank) const;
    /// Timed iterations of which every rank's record has arrived.
    [[nodiscard]] int completeIterations() const;
    /// Nothing ran. A prediction that was saved and opened again is Recorded, and still names its preset.
    [[nodiscard]] bool isPrediction() const { return source == Source::Predicted || !hardware.empty(); }

    /// Takes one event of this run.
    void append(const Event &event);
};

/// Starts a run from its first event. `hello` gives machine and versions. The problem names an experiment that this
/// version cannot build.
[[nodiscard]] Expected<Run> beginRun(const RunEvent &event, const HelloEvent *hello);

/// The events of a run, in stream order: saving is writing them with encode().
[[nodiscard]] std::vector<Event> toEvents(const Run &run);

/// Reads all runs of a `.shardscope` file; `recorded` marks them Recorded. Problems are listed, what is whole is kept.
struct RunFile {
    std::vector<Run> runs;
    std::vector<std::pair<int, Text>> problems; ///< line, what is wrong
};
[[nodiscard]] RunFile readRuns(std::string_view bytes);
[[nodiscard]] std::string writeRuns(const std::vector<Run> &runs);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/cli/headline.h"
#include "engine/cli/host_session.h"
#include "engine/cli/launcher.h"
#include "engine/cli/run_source.h"
#include "engine/plan/run_limits.h"
#include "engine/simulate/simulate.h"
#include "engine/supervise/host_choice.h"
#include "engine/supervise/machine_facts.h"

#include <algorithm>

namespace shardscope::cli {
namespace {

/// Of ranks on GPUs their host knows what is free there, and says so before it starts any.
void refuseForHostMemory(const Experiment &experiment)
{
    const auto problem =
        refuseForMemory(estimatedBytesPerRank(experiment), ranksHere(experiment.ranks()), availableMemoryBytes());
    if (problem && !runsOnGpus(experiment.backend))
        throw badArgument(headline(experiment) + ": " + english(*problem) + "; " +
                          english({TextId::LessMemoryRemedy, {}}));
}

class MeasuredRuns : public RunSource
{
public:
    void admit(const Experiment &experiment) override
    {
        ++m_admitted;
        requireStartedRanks(experiment.ranks());
        if (const auto problem = runLimitProblem(experiment))
            throw badArgument(english(*problem));
        if (const auto problem = refuseForThreads(experiment.threads, allowedCores()))
            throw badArgument(english(*problem));
        refuseForHostMemory(experiment);
    }

    Run run(const Experiment &experiment) override
    {
        m_session.setPosition(m_started, m_admitted);
        const std::string id = std::to_string(++m_started);
        std::optional<Run> run;
        std::optional<Text> foreign;
        const RunCommand command{id, allOptions(withStartedThreads(experiment)), 0};
        m_session.run(command, headline(experiment), [&](const Event &event) {
            if (const auto *opening = std::get_if<RunEvent>(&event)) {
                Expected<Run> begun = beginRun(*opening, &m_session.host().hello());
                if (begun)
                    run = std::move(begun.value());
                else
                    foreign = begun.problem();
            } else if (run) {
                run->append(event);
            }
        });
        if (foreign)
            throw Failure{kFailed, "the rank host runs another experiment: " + english(*foreign)};
        if (!run)
            throw Failure{kFailed, "the rank host ended without a run; build both programs from the same version"};
        return std::move(*run);
    }

    /// The same on a rank whose results another one prints: only how it ended is known here.
    int follow(const Experiment &experiment)
    {
        const RunCommand command{std::to_string(++m_started), allOptions(withStartedThreads(experiment)), 0};
        return m_session.run(command, headline(experiment), [](const Event &) {}).exitCode;
    }

private:
    HostSession m_session{hostForRanks()};
    int m_admitted = 0;
    int m_started = 0;
};

} // namespace

std::unique_ptr<RunSource> measuredRuns()
{
    return std::make_unique<MeasuredRuns>();
}

int followRuns(const std::vector<Experiment> &points)
{
    MeasuredRuns runs;
    for (const Experiment &point : points)
        runs.admit(point);
    int status = kDone;
    for (const Experiment &point : points)
        status = std::max(status, runs.follow(point));
    return status;
}

} // namespace shardscope::cli

// SPDX-License-Identifier: MIT
#include "engine/cli/headline.h"
#include "engine/cli/host_session.h"
#include "engine/cli/launcher.h"
#include "engine/cli/run_source.h"
#include "engine/simulate/simulate.h"
#include "engine/supervise/machine_facts.h"

namespace shardscope::cli {
namespace {

class MeasuredRuns : public RunSource
{
public:
    void admit(const Experiment &experiment) override
    {
        ++m_admitted;
        if (const auto problem = refuseForThreads(experiment.threads, allowedCores()))
            throw badArgument(english(*problem));
        const auto problem =
            refuseForMemory(estimatedBytesPerRank(experiment), experiment.ranks(), availableMemoryBytes());
        if (problem) {
            throw badArgument(headline(experiment) + ": " + english(*problem) + "; " +
                              english({TextId::LessMemoryRemedy, {}}));
        }
    }

    Run run(const Experiment &experiment) override
    {
        m_session.setPosition(m_started, m_admitted);
        const std::string id = std::to_string(++m_started);
        std::optional<Run> run;
        std::optional<Text> foreign;
        m_session.run(RunCommand{id, allOptions(experiment), 0}, headline(experiment), [&](const Event &event) {
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

private:
    HostSession m_session;
    int m_admitted = 0;
    int m_started = 0;
};

} // namespace

std::unique_ptr<RunSource> measuredRuns()
{
    refuseLaunchers();
    return std::make_unique<MeasuredRuns>();
}

} // namespace shardscope::cli

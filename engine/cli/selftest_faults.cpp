// SPDX-License-Identifier: MIT
#include "engine/cli/arguments.h"
#include "engine/cli/points.h"
#include "engine/cli/selftest.h"
#include "engine/cli/units.h"
#include "engine/supervise/process_table.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unistd.h>

namespace shardscope::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct FaultCase {
    std::string title;
    Fault fault = Fault::Kill;
};

/// Long enough to be hit in the middle, with collectives that give up after one second.
Experiment longRun(Backend backend)
{
    return readPoint({{"backend", std::string(name(backend))},
                      {"ranks", "3"},
                      {"hidden", "192"},
                      {"sequence", "16"},
                      {"steps", "100000"},
                      {"warmup", "0"},
                      {"timeout", "1"}});
}

bool stillThere(const std::vector<ProcessFacts> &before)
{
    return std::ranges::any_of(before, [](const ProcessFacts &rank) {
        const auto now = processFacts(rank.pid);
        return now && now->startTime == rank.startTime && now->state != 'Z';
    });
}

/// The faults as they come in real life: from outside, while ranks are at work.
class FaultRun
{
public:
    FaultRun(HostSession &session, Backend backend, Fault fault)
        : m_session(session), m_backend(backend), m_fault(fault)
    {
    }

    /// The line that the fault ended with; empty when the run ended well.
    std::string play()
    {
        const std::string label = "selftest, faults";
        try {
            m_session.run(RunCommand{"fault", allOptions(longRun(m_backend)), 0}, label,
                          [this](const Event &event) { onEvent(event); });
        } catch (const Failure &failure) {
            if (failure.code == kCancelled)
                throw;
            m_code = failure.code;
            return failure.line;
        }
        return {};
    }

    [[nodiscard]] bool struck() const { return m_struckAt.has_value(); }
    [[nodiscard]] int code() const { return m_code; }
    [[nodiscard]] const std::vector<ProcessFacts> &ranks() const { return m_ranks; }
    [[nodiscard]] double secondsSinceStrike() const
    {
        return std::chrono::duration<double>(Clock::now() - m_struckAt.value_or(Clock::now())).count();
    }

private:
    void onEvent(const Event &event)
    {
        // The first span says that the ranks have found each other and compute.
        if (struck() || std::get_if<SpanEvent>(&event) == nullptr)
            return;
        m_ranks = ranksOf(m_session.host().pid());
        const auto victim = std::ranges::find(m_ranks, rankProcessName(1), &ProcessFacts::name);
        if (victim == m_ranks.end())
            return;
        m_struckAt = Clock::now();
        provoke(m_fault, victim->pid);
    }

    HostSession &m_session;
    Backend m_backend;
    Fault m_fault;
    std::vector<ProcessFacts> m_ranks;
    std::optional<Clock::time_point> m_struckAt;
    int m_code = 0;
};

bool goneWithin(const std::vector<ProcessFacts> &ranks, std::chrono::milliseconds limit)
{
    const auto deadline = Clock::now() + limit;
    while (stillThere(ranks)) {
        if (Clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

bool nextRunWorks(HostSession &session, Backend backend)
{
    const Experiment small = readPoint(
        {{"backend", std::string(name(backend))}, {"ranks", "3"}, {"hidden", "48"}, {"ffn", "96"}, {"steps", "1"}});
    try {
        session.run(RunCommand{"after", allOptions(small), 0}, "selftest, after the fault", [](const Event &) {});
    } catch (const Failure &failure) {
        if (failure.code == kCancelled)
            throw;
        return false;
    }
    return true;
}

} // namespace

bool provokeFaults(HostSession &session, Backend backend, std::string &report)
{
    const std::vector<FaultCase> faults{
        {"a rank is killed", Fault::Kill}, {"a rank crashes", Fault::Crash}, {"a rank hangs", Fault::Stop}};
    const Console console = consoleOf(STDOUT_FILENO);
    TextTable table({{.title = "fault"}, {.title = "noticed after", .right = true}, {.title = ""}, {.title = "said"}});
    bool good = true;
    session.setPosition(0, 1);
    for (const FaultCase &fault : faults) {
        FaultRun run(session, backend, fault.fault);
        const std::string said = run.play();
        const double seconds = run.secondsSinceStrike();
        const bool told = run.struck() && run.code() == kFailed && said.find("rank 1") != std::string::npos;
        const bool clean = goneWithin(run.ranks(), std::chrono::seconds(2));
        const bool passed = told && clean && nextRunWorks(session, backend);
        good = good && passed;
        table.add(
            {fault.title, durationText(seconds * 1e9), passed ? console.good("passed") : console.bad("FAILED"), said});
    }
    report = table.text(console, 0);
    return good;
}

} // namespace shardscope::cli

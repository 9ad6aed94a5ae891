// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/launcher.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/selftest.h"
#include "engine/cli/units.h"
#include "engine/record/statistics.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace shardscope::cli {
namespace {

/// What became of the cases of one line of the table.
struct Tally {
    int passed = 0;
    int total = 0;
    double worst = 0; ///< largest error over its limit
};

/// A rank that fails spoils its own run; where so many do, there is no machine to test on.
constexpr int kMostCrashes = 20;

class Selftest
{
public:
    explicit Selftest(HostSession &session) : m_session(session) {}

    /// On a rank whose results another one judges: the same cases in the same order.
    int follow(const std::vector<SelftestCase> &cases)
    {
        for (const SelftestCase &one : cases) {
            if (m_missing.contains(one.experiment.dtype))
                continue;
            try {
                m_session.run(commandFor(one.experiment), {}, [](const Event &) {});
            } catch (const Failure &failure) {
                if (failure.code != kBadArguments)
                    throw;
                m_missing.emplace(one.experiment.dtype, failure.line); // every rank says so
            }
        }
        return kDone;
    }

    void play(const std::vector<SelftestCase> &cases)
    {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            m_session.setPosition(static_cast<int>(i), static_cast<int>(cases.size()));
            const DType dtype = cases[i].experiment.dtype;
            if (!m_missing.contains(dtype))
                play(cases[i]);
        }
    }

    [[nodiscard]] bool allPassed() const { return m_complaints.empty(); }

    [[nodiscard]] std::string report(const Console &console) const
    {
        TextTable table({{.title = "scheme"},
                         {.title = "runs", .right = true},
                         {.title = "largest error of its limit", .importance = 5},
                         {.title = ""}});
        for (const std::string &variant : m_order) {
            const Tally &tally = m_tallies.at(variant);
            const bool good = tally.passed == tally.total;
            table.add(
                {variant, std::to_string(tally.total),
                 tally.worst > 0 ? console.bar(tally.worst, 16) + ' ' + percentText(tally.worst) : "-",
                 good ? console.good("passed") : console.bad(std::to_string(tally.total - tally.passed) + " FAILED")});
        }
        std::string text = table.text(console, 0);
        for (const auto &[dtype, reason] : m_missing)
            text += std::string(name(dtype)) + " left out: " + reason + '\n';
        for (const std::string &complaint : m_complaints)
            text += console.bad(complaint) + '\n';
        return text;
    }

    [[nodiscard]] int runs() const { return m_runs; }

private:
    void play(const SelftestCase &one)
    {
        try {
            judge(one, runOne(one.experiment));
        } catch (const Failure &failure) {
            // A dtype that the machine lacks is refused as an argument; that is no failure of a scheme. Every machine
            // has f32 and f64, so a refusal of theirs has another cause, and nothing would have been tested.
            const bool mayLack = one.experiment.dtype == DType::BF16 || one.experiment.dtype == DType::F16;
            if (failure.code == kBadArguments && mayLack)
                m_missing.emplace(one.experiment.dtype, failure.line);
            else if (failure.code == kFailed && !isJoined() && ++m_crashes < kMostCrashes)
                count(one, false, 0, ": " + failure.line);
            else
                throw;
        }
    }

    RunCommand commandFor(const Experiment &experiment)
    {
        // Nobody reads the times: the baselines that explain them are repeated as little as can be.
        constexpr double kBudgetSeconds = 1e-6;
        return {std::to_string(++m_runs), allOptions(withStartedThreads(experiment)), kBudgetSeconds};
    }

    Run runOne(const Experiment &experiment)
    {
        std::optional<Run> run;
        const std::string label = "selftest, " + std::string(name(experiment.scheme));
        m_session.run(commandFor(experiment), label, [&](const Event &event) {
            if (const auto *opening = std::get_if<RunEvent>(&event)) {
                if (Expected<Run> begun = beginRun(*opening, &m_session.host().hello()))
                    run = std::move(begun.value());
            } else if (run) {
                run->append(event);
            }
        });
        if (!run)
            throw Failure{kFailed, "the rank host ended without a run; build both programs from the same version"};
        return std::move(*run);
    }

    void judge(const SelftestCase &one, const Run &run)
    {
        const RunSummary summary = summarize(run);
        const bool sound = summary.checksPassed && !run.checks.empty();
        const bool good = summary.observedAsPlanned && sound != one.mustFail;
        double worst = 0;
        for (const CheckEvent &check : run.checks) {
            if (!one.mustFail && check.limit > 0)
                worst = std::max(worst, check.relativeError / check.limit);
        }
        count(one, good, worst, good ? "" : why(run, summary));
    }

    void count(const SelftestCase &one, bool good, double worst, const std::string &why)
    {
        if (!m_tallies.contains(one.variant))
            m_order.push_back(one.variant);
        Tally &tally = m_tallies[one.variant];
        ++tally.total;
        tally.passed += good ? 1 : 0;
        tally.worst = std::max(tally.worst, worst);
        if (!good)
            m_complaints.push_back("FAILED: shardscope-engine run " + commandLine(one.experiment) + why);
    }

    static std::string why(const Run &run, const RunSummary &summary)
    {
        if (!summary.observedAsPlanned)
            return ": the collectives that ran differ from the plan";
        for (const CheckEvent &check : run.checks) {
            if (!check.passed)
                return ": " + check.name + " is off by " + scientificText(check.relativeError);
        }
        return run.checks.empty() ? ": nothing was checked" : ": the bug was not caught";
    }

    HostSession &m_session;
    std::vector<std::string> m_order;
    std::map<std::string, Tally> m_tallies;
    std::map<DType, std::string> m_missing; ///< with the reason
    std::vector<std::string> m_complaints;
    int m_runs = 0;
    int m_crashes = 0;
};

/// How many ranks the cases shall have; nothing: each its own. Throws Failure (exit 2).
std::optional<int> askedRanks(const Arguments &arguments, const Experiment &asked)
{
    if (arguments.faults && startedRanks())
        throw badArgument("--faults: kills ranks, and these were started elsewhere; allowed: selftest --faults alone");
    if (!arguments.experiment.contains("ranks"))
        return startedRanks();
    requireStartedRanks(asked.ranks());
    return asked.ranks();
}

/// All cases, or those of as many ranks as were started or asked for, on the backend that was. Throws Failure (exit 2).
std::vector<SelftestCase> possibleCases(const Arguments &arguments, const Experiment &asked)
{
    std::vector<SelftestCase> cases = selftestCases();
    std::set<int> possible;
    for (SelftestCase &one : cases) {
        one.experiment.backend = asked.backend;
        possible.insert(one.experiment.ranks());
    }
    const std::optional<int> ranks = askedRanks(arguments, asked);
    if (!ranks)
        return cases;
    std::erase_if(cases, [&](const SelftestCase &one) { return one.experiment.ranks() != *ranks; });
    if (cases.empty()) {
        std::string list;
        for (const int one : possible)
            addToList(list, std::to_string(one));
        throw badArgument(counted(*ranks, "rank|ranks") + ": selftest has no case for them; allowed: " + list);
    }
    return cases;
}

} // namespace

int selftest(const Arguments &arguments)
{
    const auto begin = std::chrono::steady_clock::now();
    const Experiment asked = readOptionsAlone(arguments.experiment);
    const std::vector<SelftestCase> cases = possibleCases(arguments, asked);
    if (follows()) {
        HostSession session(hostForRanks());
        return Selftest(session).follow(cases);
    }
    Output output("");
    HostSession session(hostForRanks());
    Selftest test(session);
    test.play(cases);
    output.writeText(test.report(output.console()));
    bool good = test.allPassed();
    if (arguments.faults) {
        std::string report;
        good = provokeFaults(session, asked.backend, report) && good;
        output.write('\n' + report);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    output.write('\n' + counted(test.runs(), "run|runs") + " against an unsharded float64 reference, " +
                 durationText(took.count()) + ": " + (good ? "all passed" : "NOT all passed") + '\n');
    return good ? kDone : kCheckFailed;
}

} // namespace shardscope::cli

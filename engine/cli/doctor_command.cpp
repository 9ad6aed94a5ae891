// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/host_session.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/system_checks.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace shardscope::cli {
namespace {

using Json = nlohmann::ordered_json;
using State = Finding::State;

std::string_view word(State state)
{
    switch (state) {
    case State::Good:
        return "good";
    case State::Note:
        return "note";
    case State::Problem:
        return "problem";
    }
    return "";
}

std::string table(const std::vector<Finding> &findings, const Console &console)
{
    std::string text;
    TextTable table({{.title = ""}, {.title = "what"}, {.title = "found"}});
    for (const Finding &finding : findings) {
        const std::string state(word(finding.state));
        const std::string mark = finding.state == State::Good   ? console.good(state)
                                 : finding.state == State::Note ? console.warning(state)
                                                                : console.bad(state);
        table.add({mark, finding.area, finding.found});
    }
    text += table.text(console, 0);
    for (const Finding &finding : findings) {
        if (finding.state == State::Good)
            continue;
        text += '\n' + console.bold(finding.area) + ": " + console.wrapped(finding.cause, 2) + '\n';
        text += "  " + console.wrapped("remedy: " + finding.remedy, 2) + '\n';
    }
    const auto problems = std::ranges::count(findings, State::Problem, &Finding::state);
    return text + '\n' + (problems == 0 ? "no problem found" : std::to_string(problems) + " to look at") + '\n';
}

std::string document(const std::vector<Finding> &findings)
{
    Json list = Json::array();
    for (const Finding &finding : findings) {
        list.push_back({{"state", word(finding.state)},
                        {"area", finding.area},
                        {"found", finding.found},
                        {"cause", finding.cause},
                        {"remedy", finding.remedy}});
    }
    return Json{{"schema", 1}, {"findings", list}}.dump(2) + '\n';
}

std::string librariesOf(const HelloEvent &hello)
{
    std::string text;
    for (const auto &[library, version] : hello.machine.libraries)
        text += (text.empty() ? "" : ", ") + library + ' ' + version;
    return text;
}

/// A tiny run says more than any list of features.
Finding tryDType(HostSession &session, const std::string &dtype)
{
    const Experiment small = readPoint(
        {{"dtype", dtype}, {"ranks", "2"}, {"hidden", "32"}, {"sequence", "4"}, {"steps", "1"}, {"warmup", "0"}});
    Finding finding{State::Good, "dtype " + dtype, "", "", ""};
    std::string worst;
    try {
        session.run(RunCommand{dtype, allOptions(small), 0}, "doctor, " + dtype, [&](const Event &event) {
            const auto *check = std::get_if<CheckEvent>(&event);
            if (check != nullptr && !check->passed)
                worst = check->name + " is off by " + scientificText(check->relativeError);
        });
        finding.found = worst.empty() ? "2 ranks run and agree with float64" : worst;
        finding.state = worst.empty() ? State::Good : State::Problem;
        finding.cause = worst.empty() ? "" : "wrong results in this dtype";
        finding.remedy = worst.empty() ? "" : "run shardscope-engine selftest, and report what it says";
    } catch (const Failure &failure) {
        if (failure.code == kCancelled)
            throw;
        const bool lacking = failure.code == kBadArguments;
        finding.state = lacking ? State::Note : State::Problem;
        finding.found = lacking ? "not on this machine" : "does not run";
        finding.cause = failure.line;
        finding.remedy = lacking ? "choose another dtype, or a newer LibTorch" : "see the cause";
    }
    return finding;
}

} // namespace

std::vector<Finding> hostFindings()
{
    const std::string program = findRankHost();
    HostSession session;
    const auto begin = std::chrono::steady_clock::now();
    session.progress().show("starting the rank host", -1);
    const std::optional<MessageEvent> problem = session.host().start(&session.interrupts());
    session.progress().clear();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    if (problem)
        return {{State::Problem, "rank host", program, english(problem->text) + ' ' + problem->detail,
                 english(problem->remedy)}};
    const HelloEvent &hello = session.host().hello();
    std::vector<Finding> findings{
        {State::Good, "rank host", program + ", ready in " + durationText(took.count()), "", ""},
        {State::Good, "libraries", librariesOf(hello), "", ""}};
    for (const char *dtype : {"f32", "f64", "bf16", "f16"})
        findings.push_back(tryDType(session, dtype));
    return findings;
}

int doctor(const Arguments &arguments)
{
    Output output(arguments.output);
    std::vector<Finding> findings = systemFindings();
    std::ranges::copy(hostFindings(), std::back_inserter(findings));
    output.write(arguments.format == Format::Json ? document(findings) : table(findings, output.console()));
    output.commit();
    return kDone;
}

} // namespace shardscope::cli

// SPDX-License-Identifier: MIT
#include "engine/cli/commands.h"
#include "engine/cli/gpu_checks.h"
#include "engine/cli/host_session.h"
#include "engine/cli/output.h"
#include "engine/cli/points.h"
#include "engine/cli/system_checks.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/record/json_values.h"
#include "engine/supervise/host_choice.h"

#include <algorithm>
#include <chrono>

namespace shardscope::cli {
namespace {

using State = Finding::State;
using Clock = std::chrono::steady_clock;

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
    return dumped({{"schema", 1}, {"findings", list}});
}

std::string librariesOf(const HelloEvent &hello)
{
    std::string text;
    for (const auto &[library, version] : hello.machine.libraries)
        addToList(text, library + ' ' + version);
    return text;
}

/// What a tiny run in one dtype tells: it says more than any list of features. The first one starts the host too, so
/// that Ctrl-C ends the doctor then as well.
class Trial
{
public:
    Trial(HostSession &session, std::string dtype) : m_session(session), m_dtype(std::move(dtype)) {}

    /// Throws Failure when cancelled.
    Finding play()
    {
        const Experiment small = readPoint(
            {{"dtype", m_dtype}, {"ranks", "2"}, {"hidden", "32"}, {"sequence", "4"}, {"steps", "1"}, {"warmup", "0"}});
        try {
            m_session.run(RunCommand{m_dtype, allOptions(small), 0}, "doctor, " + m_dtype,
                          [this](const Event &event) { take(event); });
        } catch (const Failure &failure) {
            if (failure.code == kCancelled)
                throw;
            return failed(failure);
        }
        if (m_worst.empty())
            return {State::Good, area(), "2 ranks run and agree with float64", "", ""};
        return {State::Problem, area(), m_worst, "wrong results in this dtype",
                "run shardscope-engine selftest, and report what it says"};
    }

    /// When the host first answered; nothing when it did not.
    [[nodiscard]] const std::optional<Clock::time_point> &answeredAt() const { return m_answeredAt; }

private:
    [[nodiscard]] std::string area() const { return "dtype " + m_dtype; }

    void take(const Event &event)
    {
        if (!m_answeredAt && m_session.host().isRunning())
            m_answeredAt = Clock::now();
        if (const auto *message = std::get_if<MessageEvent>(&event))
            m_message = message->level == MessageEvent::Level::Error ? *message : m_message;
        const auto *check = std::get_if<CheckEvent>(&event);
        if (check != nullptr && !check->passed)
            m_worst = check->name + " is off by " + scientificText(check->relativeError);
    }

    [[nodiscard]] Finding failed(const Failure &failure) const
    {
        const bool lacking = failure.code == kBadArguments;
        const std::string cause = m_message ? causeOf(*m_message) : failure.line;
        const std::string remedy = m_message ? english(m_message->remedy) : "";
        const char *usual = lacking ? "choose another dtype, or a newer LibTorch" : "run again, and report the cause";
        return {lacking ? State::Note : State::Problem, area(), lacking ? "refused on this machine" : "does not run",
                cause, remedy.empty() ? usual : remedy};
    }

    HostSession &m_session;
    std::string m_dtype;
    std::optional<Clock::time_point> m_answeredAt;
    std::optional<MessageEvent> m_message;
    std::string m_worst;
};

} // namespace

std::vector<Finding> hostFindings(HostSession &session)
{
    const std::string program = hostFor(Backend::Auto);
    const Clock::time_point begin = Clock::now();
    Trial first(session, "f32");
    const Finding f32 = first.play();
    if (!first.answeredAt())
        return {{State::Problem, "rank host", program, f32.cause, f32.remedy}};
    const std::chrono::duration<double, std::nano> took = *first.answeredAt() - begin;
    std::vector<Finding> findings{
        {State::Good, "rank host", program + ", ready in " + durationText(took.count()), "", ""},
        {State::Good, "libraries", librariesOf(session.host().hello()), "", ""},
        f32};
    for (const char *dtype : {"f64", "bf16", "f16"})
        findings.push_back(Trial(session, dtype).play());
    return findings;
}

int doctor(const Arguments &arguments)
{
    Output output(arguments.output);
    HostSession session; // before all else: from here on Ctrl-C is told as such
    std::vector<Finding> findings = systemFindings();
    std::ranges::copy(gpuFindings(), std::back_inserter(findings));
    std::ranges::copy(hostFindings(session), std::back_inserter(findings));
    output.write(arguments.format == Format::Json ? document(findings) : table(findings, output.console()));
    output.commit();
    return kDone;
}

} // namespace shardscope::cli

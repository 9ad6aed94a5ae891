// SPDX-License-Identifier: MIT
#include "engine/plan/option_limits.h"
#include "engine/record/codec.h"
#include "engine/record/json_values.h"
#include "engine/record/run.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace shardscope {
namespace {

HelloEvent helloOf(const Run &run)
{
    HelloEvent hello;
    hello.engineVersion = run.engineVersion;
    hello.machine = run.machine;
    return hello;
}

RunEvent runEventOf(const Run &run)
{
    const bool everyRank = run.experiment().ranks() <= kMostRanksInRun;
    return {run.id,
            run.source,
            run.startedAt,
            run.hardware,
            allOptions(run.experiment()),
            run.machine,
            run.starts,
            run.startNs,
            everyRank ? std::vector<int>{} : run.standIns};
}

/// Moves the events of one rank's iteration from the front of `from` to `events`.
template <typename E>
void takeWhileOf(const std::vector<E> &from, std::size_t &next, int rank, int iteration, std::vector<Event> &events)
{
    while (next < from.size() && from[next].rank == rank && from[next].iteration == iteration)
        events.emplace_back(from[next++]);
}

template <typename E>
void takeRest(const std::vector<E> &from, std::size_t next, std::vector<Event> &events)
{
    events.insert(events.end(), from.begin() + static_cast<std::ptrdiff_t>(next), from.end());
}

/// Spans, hops and iterations side by side as a rank sends them, each kind in its own order: what is cut off later
/// still holds whole iterations.
void addRecords(const Run &run, std::vector<Event> &events)
{
    const std::vector<SpanEvent> spans = run.shownSpans();
    const std::vector<HopEvent> hops = run.shownHops();
    std::size_t span = 0;
    std::size_t hop = 0;
    std::size_t iteration = 0;
    while (span < spans.size()) {
        const int rank = spans[span].rank;
        const int index = spans[span].iteration;
        takeWhileOf(spans, span, rank, index, events);
        takeWhileOf(hops, hop, rank, index, events);
        takeWhileOf(run.iterations, iteration, rank, index, events);
    }
    takeRest(hops, hop, events);
    takeRest(run.iterations, iteration, events);
}

/// Puts a stream's events into runs.
class RunCollector
{
public:
    explicit RunCollector(RunFile &file) : m_file(file) {}

    void take(int line, Event &&event)
    {
        if (const auto *hello = std::get_if<HelloEvent>(&event))
            m_hello = *hello;
        else if (const auto *begin = std::get_if<RunEvent>(&event))
            start(line, *begin);
        else if (m_current)
            m_current->append(event);
        if (std::holds_alternative<EndEvent>(event))
            finish();
    }
    void finish()
    {
        if (!m_current)
            return;
        // Marked last: what is possible in a prediction is judged by its own source.
        m_current->source = Source::Recorded;
        m_file.runs.push_back(std::move(*m_current));
        m_current.reset();
    }

private:
    void start(int line, const RunEvent &begin)
    {
        finish();
        Expected<Run> run = beginRun(begin, m_hello ? &*m_hello : nullptr);
        if (run)
            m_current = std::move(run.value());
        else
            m_file.problems.emplace_back(line, run.problem());
    }

    RunFile &m_file;
    std::optional<HelloEvent> m_hello;
    std::optional<Run> m_current;
};

} // namespace

std::vector<Event> toEvents(const Run &run)
{
    std::vector<Event> events{helloOf(run), runEventOf(run)};
    if (run.topology)
        events.emplace_back(TopologyEvent{*run.topology});
    events.insert(events.end(), run.baselines.begin(), run.baselines.end());
    addRecords(run, events);
    events.insert(events.end(), run.carried.begin(), run.carried.end());
    events.insert(events.end(), run.checks.begin(), run.checks.end());
    if (run.memory)
        events.emplace_back(*run.memory);
    events.insert(events.end(), run.messages.begin(), run.messages.end());
    if (run.end)
        events.emplace_back(*run.end);
    return events;
}

std::string writeRuns(const std::vector<Run> &runs)
{
    std::string bytes;
    for (const Run &run : runs) {
        for (const Event &event : toEvents(run))
            bytes += encode(event);
    }
    return bytes;
}

namespace {

/// What Shardscope writes beside recordings, when it is that: one cause instead of a complaint about every line.
std::optional<Text> otherDocument(std::string_view bytes)
{
    const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
    bytes.remove_prefix(std::min(begin, bytes.size()));
    const std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
    if (line.find("\"traceEvents\"") != std::string_view::npos)
        return Text{TextId::StreamIsTrace, {}};
    if (line.starts_with("phase,scheme,") || line.starts_with("op,ranks,"))
        return Text{TextId::StreamIsCsv, {}};
    // Events are objects of one line, with a kind; documents are indented, or put into one line by other tools.
    const bool indented = line == "{" || line == "[";
    const bool oneLine = (line.starts_with("{") || line.starts_with("[")) &&
                         line.find("\"kind\"") == std::string_view::npos && Json::accept(line);
    if (indented || oneLine)
        return Text{TextId::StreamIsDocument, {}};
    return std::nullopt;
}

} // namespace

RunFile readRuns(std::string_view bytes)
{
    RunFile file;
    RunCollector collector(file);
    Decoder decoder;
    const auto onProblem = [&file](int line, const Text &problem) { file.problems.emplace_back(line, problem); };
    decoder.feed(
        bytes, [&](Event &&event) { collector.take(decoder.line(), std::move(event)); }, onProblem);
    decoder.finish(onProblem);
    collector.finish();
    if (const auto other = file.runs.empty() ? otherDocument(bytes) : std::nullopt)
        file.problems = {{1, *other}};
    return file;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/record/documents.h"

#include "engine/record/line_writer.h"
#include "engine/record/nested_slices.h"

#include <functional>

namespace shardscope {
namespace {

/// Nanoseconds as the microseconds of the format, exactly: "12.345".
std::string exactMicroseconds(std::int64_t nanoseconds)
{
    std::string fraction = std::to_string(nanoseconds % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    return std::to_string(nanoseconds / 1000) + '.' + fraction;
}

/// Collects the events of one trace; the caller names process and track.
class TraceWriter
{
public:
    void metadata(std::string_view what, int pid, int tid, std::string_view argument, const std::string &value)
    {
        begin();
        m_json += R"({"ph":"M","name":)" + jsonQuoted(what) + track(pid, tid) + R"(,"args":{)" + jsonQuoted(argument) +
                  ':' + value + "}}";
    }
    void slice(int pid, int tid, const TrackSlice &slice, std::string_view name, std::string_view category,
               const std::string &arguments)
    {
        begin();
        m_json += R"({"ph":"X","name":)" + jsonQuoted(name) + R"(,"cat":)" + jsonQuoted(category) + track(pid, tid) +
                  R"(,"ts":)" + exactMicroseconds(slice.startNs) + R"(,"dur":)" +
                  exactMicroseconds(slice.endNs - slice.startNs) + R"(,"args":)" + arguments + '}';
    }
    [[nodiscard]] std::string finished() { return std::move(m_json) + "\n]}\n"; }

private:
    void begin()
    {
        m_json += m_first ? "\n" : ",\n";
        m_first = false;
    }
    static std::string track(int pid, int tid)
    {
        return R"(,"pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid);
    }

    std::string m_json = R"({"displayTimeUnit":"ns","traceEvents":[)";
    bool m_first = true;
};

int trackOf(int rank, Stream stream)
{
    return rank * 2 + static_cast<int>(stream);
}

/// What ran and where its times come from: a trace is passed on without its run.
std::string title(const Run &run)
{
    const int ranks = run.experiment().ranks();
    const bool oldPrediction = run.source == Source::Recorded && !run.hardware.empty();
    return std::string(name(run.experiment().scheme)) + ", " + std::string(name(run.experiment().phase)) + ", " +
           std::to_string(ranks) + (ranks == 1 ? " rank (" : " ranks (") + std::string(name(run.source)) +
           (oldPrediction ? " prediction" : "") + (run.machine.host.empty() ? "" : ", " + run.machine.host) + ')';
}

/// Viewers sort by these indices; by name, rank 10 would come before rank 9 (perfetto#764).
void nameTracks(TraceWriter &trace, const Run &run, int pid)
{
    trace.metadata("process_name", pid, 0, "name", jsonQuoted(title(run)));
    trace.metadata("process_sort_index", pid, 0, "sort_index", std::to_string(pid));
    for (int rank = 0; rank < run.experiment().ranks(); ++rank) {
        for (const Stream stream : {Stream::Compute, Stream::Communication}) {
            const int tid = trackOf(rank, stream);
            const std::string label = "rank " + std::to_string(rank) + ' ' + std::string(name(stream));
            trace.metadata("thread_name", pid, tid, "name", jsonQuoted(label));
            trace.metadata("thread_sort_index", pid, tid, "sort_index", std::to_string(tid));
        }
    }
}

/// What stands on one track, before overlaps are settled.
struct Bar {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::string name;
    std::string category;
    std::string arguments;
};

std::string arguments(const std::function<void(LineWriter &)> &write)
{
    std::string text;
    LineWriter object(text);
    write(object);
    object.end();
    return text;
}

Bar barOf(const Run &run, const SpanEvent &span)
{
    const Step &step = run.plan.steps[static_cast<std::size_t>(span.step)];
    return {span.startNs, span.endNs, step.label, std::string(name(step.pass)), arguments([&](LineWriter &object) {
                object.required("iteration", span.iteration);
                object.optional("warmup", span.warmup);
                object.required("step", span.step);
                object.required("kind", name(step.kind));
                object.optional("op", span.op);
                object.optional("payload_bytes", span.payloadBytes);
                object.optional("sent_bytes", span.sentBytes);
                object.optional("wire_dtype", span.wireDtype);
                object.required("duration_ns", span.endNs - span.startNs);
            })};
}

Bar barOf(const HopEvent &hop)
{
    return {hop.startNs, hop.endNs, "hop " + std::to_string(hop.hop + 1), "hop", arguments([&](LineWriter &object) {
                object.required("iteration", hop.iteration);
                object.required("step", hop.step);
                object.required("sent_bytes", hop.sentBytes);
                object.required("duration_ns", hop.endNs - hop.startNs);
            })};
}

Bar barOf(const IterationEvent &iteration)
{
    const std::string suffix = iteration.warmup ? " (warm-up)" : "";
    return {iteration.startNs, iteration.endNs, "iteration " + std::to_string(iteration.iteration) + suffix,
            "iteration", arguments([&](LineWriter &object) { object.optional("warmup", iteration.warmup); })};
}

std::map<int, std::vector<Bar>> barsByTrack(const Run &run)
{
    const auto streamOf = [&run](int step) { return run.plan.steps[static_cast<std::size_t>(step)].stream; };
    std::map<int, std::vector<Bar>> tracks;
    for (const IterationEvent &iteration : run.iterations)
        tracks[trackOf(iteration.rank, Stream::Compute)].push_back(barOf(iteration));
    for (const SpanEvent &span : run.spans)
        tracks[trackOf(span.rank, streamOf(span.step))].push_back(barOf(run, span));
    for (const HopEvent &hop : run.hops)
        tracks[trackOf(hop.rank, streamOf(hop.step))].push_back(barOf(hop));
    return tracks;
}

void addTrack(TraceWriter &trace, int pid, int tid, const std::vector<Bar> &bars)
{
    std::vector<TrackSlice> slices;
    for (std::size_t i = 0; i < bars.size(); ++i)
        slices.push_back({bars[i].startNs, bars[i].endNs, i});
    for (const TrackSlice &slice : nested(std::move(slices))) {
        const Bar &bar = bars[slice.payload];
        trace.slice(pid, tid, slice, bar.name, bar.category, bar.arguments);
    }
}

} // namespace

std::string chromeTrace(const std::vector<Run> &runs)
{
    TraceWriter trace;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const int pid = static_cast<int>(i) + 1; // Perfetto gives process 0 a meaning of its own
        nameTracks(trace, runs[i], pid);
        for (const auto &[tid, bars] : barsByTrack(runs[i]))
            addTrack(trace, pid, tid, bars);
    }
    return trace.finished();
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/record/documents.h"

#include "engine/record/line_writer.h"
#include "engine/record/nested_slices.h"

#include <algorithm>
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

/// The tracks of a rank: what it computes, and its collectives, those of each mesh axis apart, because they may run at
/// the same time.
class Tracks
{
public:
    explicit Tracks(const Plan &plan) : m_plan(plan)
    {
        for (const MeshAxis axis : kMeshAxes) {
            const bool travels = std::ranges::any_of(plan.steps, [axis](const Step &step) {
                return step.stream == Stream::Communication && step.collective->axis == axis;
            });
            if (travels)
                m_axes.push_back(axis);
        }
    }

    [[nodiscard]] int perRank() const { return 1 + static_cast<int>(m_axes.size()); }
    [[nodiscard]] int compute(int rank) const { return rank * perRank(); }
    [[nodiscard]] int of(int rank, int step) const
    {
        const Step &ran = m_plan.steps[static_cast<std::size_t>(step)];
        if (ran.stream == Stream::Compute)
            return compute(rank);
        const auto axis = std::ranges::find(m_axes, ran.collective->axis);
        return compute(rank) + 1 + static_cast<int>(axis - m_axes.begin());
    }
    /// "rank 3 communication dp (tp 1, dp 1)": where there are several axes, which one, and where on them the rank is.
    [[nodiscard]] std::string title(int rank, int track) const
    {
        std::string text = "rank " + std::to_string(rank);
        text += track == 0 ? " compute" : " communication";
        if (track > 0 && m_axes.size() > 1)
            text += ' ' + std::string(axisName(m_axes[static_cast<std::size_t>(track) - 1]));
        return text + place(rank);
    }

private:
    [[nodiscard]] std::string place(int rank) const
    {
        std::string text;
        int axes = 0;
        for (const MeshAxis axis : kMeshAxes) {
            if (m_plan.mesh().extent(axis) == 1)
                continue;
            text += (axes++ == 0 ? "" : ", ") + std::string(axisName(axis)) + ' ' +
                    std::to_string(m_plan.mesh().coordinate(rank, axis));
        }
        return axes > 1 ? " (" + text + ')' : "";
    }

    const Plan &m_plan;
    std::vector<MeshAxis> m_axes;
};

/// What ran and where its times come from: a trace is passed on without its run.
std::string title(const Run &run)
{
    const int ranks = run.experiment().ranks();
    const bool oldPrediction = run.source == Source::Recorded && !run.hardware.empty();
    return std::string(name(run.experiment().scheme)) + ", " + std::string(name(run.experiment().phase)) + ", " +
           counted(ranks, "rank|ranks") + " (" + std::string(name(run.source)) + (oldPrediction ? " prediction" : "") +
           (run.machine.host.empty() ? "" : ", " + titleOf(run.machine)) + ')';
}

/// ", and 1023 ranks that do the same" of one that is written for others.
std::string standsFor(int others)
{
    return others > 0 ? ", and " + counted(others, "rank that does|ranks that do") + " the same" : "";
}

/// Viewers sort by these indices; by name, rank 10 would come before rank 9 (perfetto#764).
void nameTracks(TraceWriter &trace, const Run &run, const Tracks &tracks, int pid)
{
    trace.metadata("process_name", pid, 0, "name", jsonQuoted(title(run)));
    trace.metadata("process_sort_index", pid, 0, "sort_index", std::to_string(pid));
    const std::vector<int> shown = run.shownRanks();
    const bool forOthers = std::ssize(shown) < run.experiment().ranks();
    for (const int rank : shown) {
        const int others = forOthers ? run.alike(rank) - 1 : 0;
        for (int track = 0; track < tracks.perRank(); ++track) {
            const int tid = tracks.compute(rank) + track;
            trace.metadata("thread_name", pid, tid, "name", jsonQuoted(tracks.title(rank, track) + standsFor(others)));
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

/// Where in the model and the mesh the step belongs; what there is but one of is not said.
void writePlace(LineWriter &object, const Plan &plan, const Step &step)
{
    const Experiment &e = plan.experiment;
    if (e.layers > 1)
        object.required("layer", step.layer);
    if (e.microBatches > 1)
        object.required("micro_batch", step.microBatch);
    if (step.stage != kEveryStage)
        object.required("stage", step.stage);
    if (step.collective)
        object.required("axis", axisName(step.collective->axis));
}

Bar barOf(const Run &run, const SpanEvent &span)
{
    const Step &step = run.plan.steps[static_cast<std::size_t>(span.step)];
    return {span.startNs, span.endNs, step.label, std::string(name(step.pass)), arguments([&](LineWriter &object) {
                object.required("iteration", span.iteration);
                object.optional("warmup", span.warmup);
                object.required("step", span.step);
                object.required("kind", name(step.kind));
                writePlace(object, run.plan, step);
                object.optional("op", span.op);
                object.optional("payload_bytes", span.payloadBytes);
                object.optional("sent_bytes", span.sentBytes);
                object.optional("wire_dtype", span.wireDtype);
                object.required("duration_ns", span.endNs - span.startNs);
                object.optional("launch_ns", span.launchNs);
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

std::map<int, std::vector<Bar>> barsByTrack(const Run &run, const Tracks &tracks)
{
    std::map<int, std::vector<Bar>> bars;
    const std::vector<int> shown = run.shownRanks();
    for (const IterationEvent &iteration : run.iterations) {
        if (std::ranges::binary_search(shown, iteration.rank))
            bars[tracks.compute(iteration.rank)].push_back(barOf(iteration));
    }
    for (const SpanEvent &span : run.shownSpans())
        bars[tracks.of(span.rank, span.step)].push_back(barOf(run, span));
    for (const HopEvent &hop : run.shownHops())
        bars[tracks.of(hop.rank, hop.step)].push_back(barOf(hop));
    return bars;
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
        const Tracks tracks(runs[i].plan);
        nameTracks(trace, runs[i], tracks, pid);
        for (const auto &[tid, bars] : barsByTrack(runs[i], tracks))
            addTrack(trace, pid, tid, bars);
    }
    return trace.finished();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/timeline/sample_run.h"

#include <algorithm>

namespace shardscope {
namespace {

/// Duration of a step in microseconds for 256 tokens on one rank.
struct SampleStep {
    const char *label;
    Pass pass;
    double microseconds;
    const char *reduced; ///< tensor of an all-reduce; null: compute
};
constexpr SampleStep kSteps[] = {
    {"Z = X·W1", Pass::Forward, 9000, nullptr},     {"H = gelu(Z)", Pass::Forward, 1400, nullptr},
    {"Y = H·W2", Pass::Forward, 8800, nullptr},     {"AR Y", Pass::Forward, 700, "Y"},
    {"Y + b2", Pass::Forward, 90, nullptr},         {"dW2 = Hᵀ·dY", Pass::Backward, 8900, nullptr},
    {"dH = dY·W2ᵀ", Pass::Backward, 9100, nullptr}, {"dZ = gelu'(dH)", Pass::Backward, 1700, nullptr},
    {"dX = dZ·W1ᵀ", Pass::Backward, 9000, nullptr}, {"AR dX", Pass::Backward, 760, "dX"},
    {"dW1 = Xᵀ·dZ", Pass::Backward, 9200, nullptr},
};

/// Between 0 and 1, the same on every machine.
double noise(int a, int b, int c)
{
    const unsigned x =
        static_cast<unsigned>(a) * 2654435761u + static_cast<unsigned>(b) * 40503u + static_cast<unsigned>(c) * 97u;
    return static_cast<double>((x ^ (x >> 13)) % 1000u) / 1000.0;
}

Plan samplePlan(const SampleOptions &options)
{
    Plan plan;
    Experiment &experiment = plan.experiment;
    experiment.phase = options.phase;
    experiment.mesh.setExtent(MeshAxis::Tp, options.ranks);
    experiment.steps = options.timed;
    experiment.warmup = options.warmups;
    experiment.algorithm = options.ring ? Algorithm::Ring : Algorithm::Library;
    for (const SampleStep &sample : kSteps) {
        if (sample.pass == Pass::Backward && options.phase != Phase::Training)
            continue;
        if (sample.reduced && options.ranks == 1)
            continue;
        Step step;
        step.id = static_cast<int>(plan.steps.size());
        step.pass = sample.pass;
        step.label = sample.label;
        step.flops = static_cast<std::int64_t>(sample.microseconds * 1e5) / options.ranks;
        if (sample.reduced) {
            Collective collective;
            collective.algorithm = experiment.algorithm;
            collective.elements = experiment.tokens() * experiment.hidden;
            collective.payloadBytes = collective.elements * 4;
            collective.sentBytesPerRank = collective.payloadBytes * 2 * (options.ranks - 1) / options.ranks;
            collective.hops = options.ring ? 2 * (options.ranks - 1) : 0;
            step.kind = StepKind::Collective;
            step.stream = Stream::Communication;
            step.collective = collective;
        }
        plan.steps.push_back(step);
    }
    return plan;
}

std::int64_t microseconds(double value)
{
    return static_cast<std::int64_t>(value * 1000);
}

double durationOf(const SampleOptions &options, const Step &step, int rank, int iteration)
{
    const auto sample =
        std::find_if(std::begin(kSteps), std::end(kSteps), [&](const SampleStep &s) { return step.label == s.label; });
    const double tokens = options.phase == Phase::Decode ? 1.0 / 64 : 1;
    const double factor = options.slowdown * (iteration < options.warmups ? 3 : 1);
    if (step.collective)
        return factor * (90 + sample->microseconds * tokens * 2 * (options.ranks - 1) / options.ranks);
    // Decode reads all weights for a few tokens: not 64 times faster.
    const double work = sample->microseconds * std::max(tokens, 1.0 / 12) / options.ranks;
    return factor * (12 + work * (1 + 0.22 * noise(rank, iteration, step.id)));
}

void addHops(Run &run, const SampleOptions &options, const SpanEvent &span, std::int64_t transferStart)
{
    const int hops = 2 * (options.ranks - 1);
    for (int hop = 0; options.ring && hop < hops; ++hop) {
        HopEvent event;
        event.rank = span.rank, event.iteration = span.iteration, event.warmup = span.warmup;
        event.step = span.step, event.hop = hop;
        const std::int64_t length = (span.endNs - transferStart) / hops;
        event.startNs = hop == 0 ? span.startNs : transferStart + hop * length;
        event.endNs = transferStart + (hop + 1) * length;
        event.sentBytes = span.sentBytes / hops;
        run.append(event);
    }
}

std::int64_t addIteration(Run &run, const SampleOptions &options, int iteration, std::int64_t origin)
{
    std::vector<std::int64_t> now(static_cast<std::size_t>(options.ranks), origin);
    const bool warmup = iteration < options.warmups;
    if (options.ranks > 1 && !warmup)
        now[1] += microseconds(options.lateMilliseconds * 1000);
    for (const Step &step : run.plan.steps) {
        const std::int64_t last = *std::max_element(now.begin(), now.end());
        for (int rank = 0; rank < options.ranks; ++rank) {
            std::int64_t &at = now[static_cast<std::size_t>(rank)];
            SpanEvent span;
            span.rank = rank, span.iteration = iteration, span.warmup = warmup, span.step = step.id;
            span.startNs = at;
            span.endNs = (step.collective ? last : at) + microseconds(durationOf(options, step, rank, iteration));
            if (step.collective) {
                span.op = name(step.collective->op);
                span.payloadBytes = step.collective->payloadBytes;
                span.sentBytes = step.collective->sentBytesPerRank;
                span.wireDtype = "f32";
                addHops(run, options, span, last);
            }
            run.append(span);
            at = span.endNs + microseconds(3);
        }
    }
    for (int rank = 0; rank < options.ranks; ++rank)
        run.append(IterationEvent{rank, iteration, warmup, origin, now[static_cast<std::size_t>(rank)]});
    return *std::max_element(now.begin(), now.end());
}

} // namespace

Run sampleRun(const SampleOptions &options)
{
    Run run;
    run.id = "sample";
    run.source = options.source;
    run.startedAt = "2026-03-02T10:00:00+01:00";
    run.hardware = options.source == Source::Predicted ? "h100-8" : "";
    run.engineVersion = "0.1.0";
    run.machine.backend = "gloo";
    run.machine.host = "2 cores";
    if (options.source == Source::Measured)
        run.machine.notes = {std::to_string(options.ranks) + " ranks share 2 cores; not GPU times"};
    run.plan = samplePlan(options);
    std::int64_t origin = microseconds(50'000);
    for (int iteration = 0; iteration < options.warmups + options.timed; ++iteration)
        origin = addIteration(run, options, iteration, origin) + microseconds(200);
    return run;
}

} // namespace shardscope

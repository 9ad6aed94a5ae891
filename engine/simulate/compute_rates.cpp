// SPDX-License-Identifier: MIT
#include "engine/record/collective_kinds.h"
#include "engine/record/format.h"
#include "engine/record/timed_iterations.h"
#include "engine/simulate/kernel_work.h"
#include "engine/simulate/rate_peaks.h"
#include "engine/simulate/rate_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace shardscope {
namespace {

bool isCore(const Step &step)
{
    return step.kind == StepKind::AttentionCore || step.kind == StepKind::AttentionCoreBackward;
}

KernelWork workOf(const Step &step, DType dtype)
{
    KernelWork work{static_cast<double>(step.flops), 0};
    for (const KernelWork &kernel : kernelsOf(step, dtype))
        work.bytes += kernel.bytes;
    return work;
}

/// m, k, n of a product on the rank with the largest share.
std::array<std::int64_t, 3> sizesOf(const Plan &plan, const Step &step)
{
    if (step.kind != StepKind::MatMul)
        return {};
    const int rank = rankWithLargestShare(plan.mesh(), step.stage);
    const auto a = localShape(plan.tensor(step.inputs[0]), plan.mesh(), rank);
    const auto c = localShape(plan.tensor(step.outputs[0]), plan.mesh(), rank);
    return {c[0], a[step.transposeA ? 0 : 1], c[1]};
}

/// Seconds by the cost model (computeSeconds), and what of them goes where.
struct ModelTime {
    double latency = 0;
    double arithmetic = 0;
    double memory = 0;
    int starts = 0;
    [[nodiscard]] double whole() const { return latency + arithmetic + memory; }
};

void addModelTime(ModelTime &time, const Step &step, int count, DType dtype, const Hardware &share)
{
    const double peak = share.efficiency * share.peakFlops.at(speedStandsFor(share, dtype));
    for (const KernelWork &kernel : kernelsOf(step, dtype)) {
        const double arithmetic = kernel.flops / peak;
        const double memory = kernel.bytes / share.memoryBytesPerSecond;
        (arithmetic >= memory ? time.arithmetic : time.memory) += count * std::max(arithmetic, memory);
        time.latency += count * share.operationOverheadSeconds;
        time.starts += count;
    }
}

/// Operations of one kind, and their times: iteration x recorded rank.
struct TimedPart {
    RatePart part;
    const Step *first = nullptr;
    std::vector<int> countByRank;
    std::vector<double> ns;
};

/// Products and operations of one pass, which share a row.
using RowKey = std::tuple<RateKind, bool, Pass>;
using PartKey = std::tuple<std::string, std::int64_t, std::int64_t, std::array<std::int64_t, 3>>;

class ComputeRates
{
public:
    ComputeRates(const Run &run, const Hardware *peaks) : m_run(run), m_iterations(run), m_peaks(peaks)
    {
        if (peaks)
            m_share = shareOf(*peaks, run.experiment().ranks());
        listParts();
        addTimes();
    }

    [[nodiscard]] std::vector<RateRow> rows() const
    {
        std::vector<RateRow> rows;
        for (const auto &[key, parts] : m_rows)
            rows.push_back(rowOf(key, parts));
        return rows;
    }

private:
    [[nodiscard]] std::size_t ranks() const { return m_iterations.recordedRanks().size(); }

    void listParts()
    {
        std::map<std::pair<RowKey, PartKey>, std::size_t> known;
        m_partOfStep.assign(m_run.plan.steps.size(), -1);
        for (const Step &step : m_run.plan.steps) {
            if (step.collective || step.kind == StepKind::Pad)
                continue;
            const bool product = step.kind == StepKind::MatMul;
            const RowKey row{product ? RateKind::MatrixProducts : RateKind::MemoryBound, isCore(step), step.pass};
            const std::string label = withoutPlace(step.label);
            const auto sizes = sizesOf(m_run.plan, step);
            const auto [place, isNew] =
                known.try_emplace({row, {label, step.flops, step.memoryBytes, sizes}}, m_parts.size());
            if (isNew) {
                const KernelWork work = workOf(step, m_run.experiment().dtype);
                TimedPart &part = m_parts.emplace_back();
                part.part = {label, sizes[0], sizes[1], sizes[2], 0, work.flops, work.bytes, {}, {}};
                part.first = &step;
                part.countByRank.resize(ranks());
                m_rows[row].push_back(place->second);
            }
            m_partOfStep[static_cast<std::size_t>(step.id)] = static_cast<int>(place->second);
            TimedPart &part = m_parts[place->second];
            for (std::size_t i = 0; i < ranks(); ++i)
                part.countByRank[i] += m_run.plan.runs(step, m_iterations.recordedRanks()[i]) ? 1 : 0;
        }
    }

    void addTimes()
    {
        for (TimedPart &part : m_parts)
            part.ns.resize(ranks() * static_cast<std::size_t>(m_iterations.count()));
        for (int iteration = 0; iteration < m_iterations.count(); ++iteration) {
            for (std::size_t i = 0; i < ranks(); ++i) {
                for (const SpanEvent *span : m_iterations.spans(iteration, m_iterations.recordedRanks()[i])) {
                    const int part = m_partOfStep[static_cast<std::size_t>(span->step)];
                    if (part >= 0 && span->op.empty())
                        m_parts[static_cast<std::size_t>(part)].ns[cell(iteration, i)] +=
                            static_cast<double>(span->endNs - span->startNs);
                }
            }
        }
    }

    [[nodiscard]] std::size_t cell(int iteration, std::size_t rank) const
    {
        return static_cast<std::size_t>(iteration) * ranks() + rank;
    }

    /// The recorded rank with the most work of these, and all that have as much.
    [[nodiscard]] std::vector<std::size_t> busiest(const std::vector<std::size_t> &parts, RateKind kind) const
    {
        std::vector<double> work(ranks());
        for (const std::size_t index : parts) {
            const RatePart &part = m_parts[index].part;
            const double each = kind == RateKind::MatrixProducts ? part.flops : part.bytes;
            for (std::size_t i = 0; i < ranks(); ++i)
                work[i] += each * m_parts[index].countByRank[i];
        }
        const double most = *std::ranges::max_element(work);
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < ranks(); ++i) {
            if (work[i] >= most)
                found.push_back(i);
        }
        return found;
    }

    /// Of each timed step the slowest of these ranks, and of that the median.
    [[nodiscard]] std::optional<double> medianNs(const std::vector<std::size_t> &parts,
                                                 const std::vector<std::size_t> &of) const
    {
        std::vector<double> samples;
        for (int iteration = 0; iteration < m_iterations.count(); ++iteration) {
            double slowest = 0;
            for (const std::size_t rank : of) {
                double sum = 0;
                for (const std::size_t part : parts)
                    sum += m_parts[part].ns[cell(iteration, rank)];
                slowest = std::max(slowest, sum);
            }
            samples.push_back(slowest);
        }
        const std::optional<double> median = medianOf(std::move(samples));
        return median && *median > 0 ? median : std::nullopt;
    }

    [[nodiscard]] RateRow rowOf(const RowKey &key, const std::vector<std::size_t> &parts) const
    {
        RateRow row;
        std::tie(row.kind, row.coreAttention, row.pass) = key;
        const std::vector<std::size_t> most = busiest(parts, row.kind);
        ModelTime time;
        for (const std::size_t index : parts) {
            RatePart part = m_parts[index].part;
            part.count = m_parts[index].countByRank[most.front()];
            const std::vector<std::size_t> ranks = part.count > 0 ? most : busiest({index}, row.kind);
            if (part.count == 0)
                part.count = m_parts[index].countByRank[ranks.front()];
            else {
                row.count += part.count;
                row.flops += part.flops * part.count;
                row.bytes += part.bytes * part.count;
                if (m_share)
                    addModelTime(time, *m_parts[index].first, part.count, m_run.experiment().dtype, *m_share);
            }
            part.medianNs = medianNs({index}, ranks);
            const double work = row.kind == RateKind::MatrixProducts ? part.flops : part.bytes;
            if (part.medianNs)
                part.perSecond = work * part.count / *part.medianNs * kNsPerSecond;
            row.parts.push_back(std::move(part));
        }
        row.medianNs = medianNs(parts, most);
        if (row.medianNs)
            row.perSecond =
                (row.kind == RateKind::MatrixProducts ? row.flops : row.bytes) / *row.medianNs * kNsPerSecond;
        if (m_peaks)
            compare(row, time);
        return row;
    }

    void compare(RateRow &row, const ModelTime &time) const;
    void explain(RateRow &row, const ModelTime &time) const;
    [[nodiscard]] double reachedOf(const RateRow &row) const;

    const Run &m_run;
    TimedIterations m_iterations;
    const Hardware *m_peaks;
    std::optional<Hardware> m_share; ///< what one rank has of it
    std::vector<TimedPart> m_parts;
    std::vector<int> m_partOfStep;
    std::map<RowKey, std::vector<std::size_t>> m_rows;
};

void ComputeRates::compare(RateRow &row, const ModelTime &time) const
{
    const int ranks = m_run.experiment().ranks();
    const bool product = row.kind == RateKind::MatrixProducts;
    row.peak = product ? productPeak(*m_peaks, m_run.experiment().dtype, ranks) : memoryPeak(*m_peaks, ranks);
    setShare(row, row.count);
    if (!(time.whole() > 0))
        return;
    row.latencyNs = time.latency * kNsPerSecond;
    row.latencyShare = time.latency / time.whole();
    if (row.latencyShare >= kLatencyDominates)
        row.limit = RateLimit::Latency;
    else if (time.arithmetic >= time.memory)
        row.limit = product ? RateLimit::Peak : RateLimit::Arithmetic;
    else
        row.limit = product ? RateLimit::Memory : RateLimit::Peak;
    if (reachedOf(row) < kReached)
        row.limit = RateLimit::Unknown;
    if (row.share)
        explain(row, time);
}

/// Share of what limits it, by the model, that the row comes to; 1 where that is no rate.
double ComputeRates::reachedOf(const RateRow &row) const
{
    if (!row.medianNs || !row.share)
        return 1;
    switch (row.limit) {
    case RateLimit::Peak:
        return *row.share;
    case RateLimit::Memory:
        return row.bytes / *row.medianNs * kNsPerSecond / memoryPeak(*m_peaks, m_run.experiment().ranks()).perSecond;
    case RateLimit::Arithmetic:
        return row.flops / *row.medianNs * kNsPerSecond /
               productPeak(*m_peaks, m_run.experiment().dtype, m_run.experiment().ranks()).perSecond;
    case RateLimit::Latency:
    case RateLimit::Unknown:
        break;
    }
    return 1;
}

void ComputeRates::explain(RateRow &row, const ModelTime &time) const
{
    const int ranks = m_run.experiment().ranks();
    const DType dtype = m_run.experiment().dtype;
    if (*row.share > 1) {
        row.note = Text{row.kind == RateKind::MemoryBound          ? TextId::RateOverCache
                        : row.peak->origin == PeakOrigin::Measured ? TextId::RateOverMeasured
                                                                   : TextId::RateOverPeak,
                        {}};
        return;
    }
    if (row.limit == RateLimit::Latency) {
        const double each = time.latency / std::max(1, time.starts) * kNsPerSecond;
        row.note =
            Text{TextId::RateStarts, {std::to_string(time.starts), formatTime(each), formatPercent(row.latencyShare)}};
    } else if (row.limit == RateLimit::Memory) {
        const double moved = row.bytes / *row.medianNs * kNsPerSecond;
        const RatePeak memory = memoryPeak(*m_peaks, ranks);
        row.note = Text{TextId::RateMemory,
                        {formatNumber(row.flops / row.bytes), formatNumber(ridgeOf(*m_peaks, dtype)),
                         formatByteRate(moved), formatPercent(moved / memory.perSecond)}};
    } else if (row.limit == RateLimit::Arithmetic) {
        const double done = row.flops / *row.medianNs * kNsPerSecond;
        const RatePeak product = productPeak(*m_peaks, dtype, ranks);
        row.note = Text{TextId::RateArithmetic, {formatFlopRate(done), formatPercent(done / product.perSecond)}};
    }
}

} // namespace

std::vector<RateRow> computeRates(const Run &run, const Hardware *peaks)
{
    return ComputeRates(run, peaks).rows();
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/record/collective_kinds.h"
#include "engine/record/format.h"
#include "engine/simulate/rate_peaks.h"
#include "engine/simulate/rate_rows.h"
#include "engine/simulate/simulate.h"

namespace shardscope {
namespace {

constexpr int kRanksOfSwitch = 5; ///< LinkCost::inSwitch

/// Of those that have one.
std::optional<double> meanTransferNs(const CollectiveKind &kind)
{
    double sum = 0;
    int count = 0;
    for (const CollectiveSummary *each : kind) {
        sum += each->transferNs.value_or(0);
        count += each->transferNs ? 1 : 0;
    }
    return count > 0 && sum > 0 ? std::optional(sum / count) : std::nullopt;
}

/// Bytes that an element has on the wire, as the communicator said or the plan says.
int wireBytesPerElement(const CollectiveSummary &summary, const Collective &planned)
{
    for (const DType dtype : {DType::F32, DType::F64, DType::BF16, DType::F16, DType::I64, DType::I8}) {
        if (summary.wireDtype == name(dtype))
            return bytesOf(dtype);
    }
    return bytesOf(planned.wireDtype);
}

/// More than a ring's link can carry, an all-reduce in the switch does. Where the library does not tell how it ran, it
/// may have been there.
bool maybeInSwitch(const CollectiveSummary &summary, const Run &run)
{
    if (!summary.algorithm.empty())
        return summary.algorithm.starts_with("NVLS");
    return run.plan.transport == Transport::Nccl && summary.op == name(CollectiveOp::AllReduce) &&
           summary.groupSize >= kRanksOfSwitch;
}

void explainCollective(RateRow &row, const CollectiveSummary &summary, const Run &run)
{
    if (*row.share > 1) {
        if (maybeInSwitch(summary, run))
            row.note = Text{TextId::RateOverSwitch, {formatNumber(row.busFactor)}};
        else
            row.note =
                Text{row.peak->origin == PeakOrigin::Measured ? TextId::RateOverMeasured : TextId::RateOverPeak, {}};
    } else if (row.limit == RateLimit::Latency) {
        row.note = Text{TextId::RateLatency, {formatTime(row.latencyNs), formatPercent(row.latencyShare)}};
    }
}

void compareCollective(RateRow &row, const CollectiveSummary &summary, const Run &run, const Hardware &peaks)
{
    const Step &step = run.plan.steps[static_cast<std::size_t>(summary.step)];
    row.peak = linkPeak(run, step, peaks);
    setShare(row, 1 + step.collective->hops);
    const Hardware share = shareOf(peaks, run.experiment().ranks());
    const GroupSpan group = widestSpan(run.plan, step, share);
    const double whole = collectiveSeconds(*step.collective, group, share);
    if (!(whole > 0) || !row.perSecond)
        return;
    const double latency = latencySeconds(*step.collective, group, share);
    row.latencyNs = latency * kNsPerSecond;
    row.latencyShare = latency / whole;
    if (row.latencyShare >= kLatencyDominates)
        row.limit = RateLimit::Latency;
    else
        row.limit = row.share && *row.share < kReached ? RateLimit::Unknown : RateLimit::Peak;
    if (row.share)
        explainCollective(row, summary, run);
}

RateRow collectiveRow(const Run &run, const CollectiveKind &kind, const Hardware *peaks)
{
    const CollectiveSummary &summary = *kind.front();
    const Step &step = run.plan.steps[static_cast<std::size_t>(summary.step)];
    RateRow row;
    row.kind = RateKind::Collective;
    row.pass = summary.pass;
    row.op = summary.op;
    row.tensor = tensorsOf(kind);
    row.axis = summary.axis;
    row.groupSize = summary.groupSize;
    row.count = countPerRank(run.plan, kind, &CollectiveSummary::plannedCount);
    row.payloadBytes = static_cast<double>(step.collective->elements) * wireBytesPerElement(summary, *step.collective);
    row.sentBytesPerRank = static_cast<double>(summary.sentBytesPerRank);
    row.bytes = row.sentBytesPerRank * row.count;
    row.busFactor = busFactor(summary.op, summary.groupSize).value_or(1);
    row.medianNs = meanTransferNs(kind);
    if (step.collective->op == CollectiveOp::SendRecv)
        row.note = Text{TextId::RateNoTransfer, {}};
    if (row.medianNs)
        row.perSecond = row.payloadBytes * row.busFactor / *row.medianNs * kNsPerSecond;
    if (peaks)
        compareCollective(row, summary, run, *peaks);
    return row;
}
} // namespace

std::vector<RateRow> collectiveRates(const Run &run, const RunSummary &summary, const Hardware *peaks)
{
    std::vector<RateRow> rows;
    for (const CollectiveKind &kind : kindsOf(summary.collectives))
        rows.push_back(collectiveRow(run, kind, peaks));
    return rows;
}

} // namespace shardscope

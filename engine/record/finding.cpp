// SPDX-License-Identifier: MIT
#include "engine/record/comparison.h"

#include "engine/record/finding_rules.h"
#include "engine/record/format.h"
#include "engine/record/step_speed.h"

#include <algorithm>

namespace shardscope {
namespace {

/// More time than that much of what the bytes explain wants a cause.
constexpr double kOutOfProportion = 1.25;

enum class Cause { NoTimes, Unnamed, Latency, Waiting };

/// One sentence per cause.
struct Sentences {
    TextId noTimes;
    TextId timed;
    TextId latency;
    TextId waiting;

    [[nodiscard]] TextId of(Cause cause) const
    {
        switch (cause) {
        case Cause::NoTimes:
            return noTimes;
        case Cause::Unnamed:
            return timed;
        case Cause::Latency:
            return latency;
        case Cause::Waiting:
            return waiting;
        }
        return noTimes;
    }
};

constexpr Sentences kEqual{TextId::FindingEqual, TextId::FindingEqualTimed, TextId::FindingEqualLatency,
                           TextId::FindingEqualWaiting};
constexpr Sentences kRatio{TextId::FindingRatio, TextId::FindingRatioTimed, TextId::FindingRatioLatency,
                           TextId::FindingRatioWaiting};
/// Where the optimizer communicates, too: ratios leave it out, so the sentence says so.
constexpr Sentences kApart{TextId::FindingApart, TextId::FindingApartTimed, TextId::FindingApartLatency,
                           TextId::FindingApartWaiting};
constexpr Sentences kToken{TextId::FindingToken, TextId::FindingTokenTimed, TextId::FindingTokenLatency,
                           TextId::FindingTokenWaiting};

/// What the findings read: the phases of one comparison, any of which may be missing.
class Phases
{
public:
    explicit Phases(const PhaseComparison &comparison) : m_comparison(comparison) {}

    [[nodiscard]] bool has(Phase phase) const { return m_comparison.phases.count(phase) > 0; }
    [[nodiscard]] const RunSummary &summary(Phase phase) const { return m_comparison.phases.at(phase); }
    [[nodiscard]] const PassSummary &sums(Phase phase) const { return summary(phase).withoutOptimizer; }
    [[nodiscard]] bool silent(Phase phase) const { return !has(phase) || sums(phase).collectives == 0; }
    /// ZeRO's parameters, and the gradients that sequence parallelism adds up once a step.
    [[nodiscard]] bool optimizerCommunicates() const
    {
        return summary(Phase::Training).passes[static_cast<std::size_t>(Pass::Optimizer)].collectives > 0;
    }
    [[nodiscard]] bool oneRank() const { return m_comparison.experiments.begin()->second.ranks() == 1; }
    [[nodiscard]] double perToken(Phase phase, std::int64_t value) const
    {
        return static_cast<double>(value) / static_cast<double>(m_comparison.experiments.at(phase).globalTokens());
    }
    [[nodiscard]] const Ratios &decodePerToken() const { return m_comparison.decodeToTrainingPerToken; }
    [[nodiscard]] const Ratios &trainingToPrefill() const { return m_comparison.trainingToPrefill; }

    /// Why decode's communication takes the time it takes.
    [[nodiscard]] Cause causeOfDecode() const
    {
        const Ratios &ratios = decodePerToken();
        if (!ratios.communicationTime || !ratios.sentBytes)
            return Cause::NoTimes;
        if (variesTooMuch())
            return Cause::NoTimes;
        const PassSummary &decode = sums(Phase::Decode);
        if (*ratios.communicationTime <= kOutOfProportion * *ratios.sentBytes)
            return Cause::Unnamed;
        if (decode.waitNs && *decode.waitNs > kWaitingShare * *decode.communicationNs)
            return Cause::Waiting;
        return paysLatency() ? Cause::Latency : Cause::Unnamed;
    }
    void addCause(Cause cause, std::vector<std::string> &args) const
    {
        if (cause == Cause::NoTimes)
            return;
        const PassSummary &decode = sums(Phase::Decode);
        args.push_back(formatRatio(*decodePerToken().communicationTime));
        if (cause == Cause::Waiting)
            args.push_back(formatPercent(*decode.waitNs / *decode.communicationNs));
        if (cause != Cause::Latency)
            return;
        for (const Phase phase : {Phase::Decode, Phase::Prefill}) {
            args.push_back(formatBinaryBytes(largestPayload(summary(phase))));
            args.push_back(formatRate(*achievedGBs(summary(phase))));
        }
    }

private:
    /// Time in communication per token: decode's and training's differ less than they vary.
    [[nodiscard]] bool variesTooMuch() const
    {
        const auto each = [&](Phase phase) {
            const Distribution time = summary(phase).stepCommunication.value_or(Distribution{});
            const auto tokens = static_cast<double>(m_comparison.experiments.at(phase).globalTokens());
            return Distribution{time.median / tokens, time.p10 / tokens, time.p90 / tokens, time.samples};
        };
        return differLessThanTheyVary(each(Phase::Decode), each(Phase::Training));
    }
    [[nodiscard]] bool paysLatency() const
    {
        if (!has(Phase::Prefill) || largestPayload(summary(Phase::Decode)) >= largestPayload(summary(Phase::Prefill)))
            return false;
        const auto decode = achievedGBs(summary(Phase::Decode));
        const auto prefill = achievedGBs(summary(Phase::Prefill));
        return decode && prefill && *decode < kLatencyShare * *prefill;
    }

    const PhaseComparison &m_comparison;
};

Text oneRank(const Phases &phases)
{
    std::vector<std::string> times;
    for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
        if (phases.has(phase) && phases.summary(phase).stepElapsed)
            times.push_back(formatTime(phases.summary(phase).stepElapsed->median));
    }
    if (times.size() < 3)
        return {TextId::FindingOneRank, {}};
    return {TextId::FindingOneRankTimed, times};
}

Text onlyTraining(const Phases &phases)
{
    const RunSummary &training = phases.summary(Phase::Training);
    const auto calls = [&](Pass pass) {
        return std::to_string(training.passes[static_cast<std::size_t>(pass)].collectives);
    };
    const bool updates = phases.optimizerCommunicates();
    std::vector<std::string> args{calls(Pass::Forward), calls(Pass::Backward)};
    if (updates)
        args.push_back(calls(Pass::Optimizer));
    args.push_back(formatBinaryBytes(training.step.sentBytesPerRank));
    const auto time = training.step.communicationNs;
    if (!time || !training.stepElapsed || !(training.stepElapsed->median > 0))
        return {updates ? TextId::FindingOnlyTrainingUpdate : TextId::FindingOnlyTraining, args};
    args.push_back(formatTime(*time));
    args.push_back(formatPercent(*time / training.stepElapsed->median));
    return {updates ? TextId::FindingOnlyTrainingUpdateTimed : TextId::FindingOnlyTrainingTimed, args};
}

Text perStep(const Phases &phases)
{
    if (phases.silent(Phase::Prefill))
        return phases.silent(Phase::Training) ? Text{TextId::FindingNoCollectives, {}} : onlyTraining(phases);
    const Ratios &ratios = phases.trainingToPrefill();
    const bool apart = phases.optimizerCommunicates();
    const bool equal = ratios.collectives == 1.0 && ratios.sentBytes == 1.0 && !apart;
    const PassSummary &prefill = phases.sums(Phase::Prefill);
    std::vector<std::string> args;
    if (equal)
        args = {std::to_string(prefill.collectives), formatBinaryBytes(prefill.sentBytesPerRank)};
    else
        args = {formatRatio(ratios.collectives.value_or(0)), formatRatio(ratios.sentBytes.value_or(0))};
    const Cause cause = phases.silent(Phase::Decode) ? Cause::NoTimes : phases.causeOfDecode();
    phases.addCause(cause, args);
    return {(equal ? kEqual : apart ? kApart : kRatio).of(cause), args};
}

Text perTokenFinding(const Phases &phases)
{
    if (phases.silent(Phase::Training))
        return {TextId::FindingNoCollectives, {}};
    if (phases.silent(Phase::Decode)) {
        const double bytes = phases.perToken(Phase::Training, phases.summary(Phase::Training).step.sentBytesPerRank);
        return {TextId::FindingTokenOnlyTraining, {formatBinaryBytes(static_cast<std::int64_t>(bytes))}};
    }
    const Ratios &ratios = phases.decodePerToken();
    std::vector<std::string> args{formatRatio(ratios.collectives.value_or(0)),
                                  formatRatio(ratios.sentBytes.value_or(0))};
    const Cause cause = phases.causeOfDecode();
    phases.addCause(cause, args);
    return {kToken.of(cause), args};
}

} // namespace

std::int64_t largestPayload(const RunSummary &summary)
{
    std::int64_t largest = 0;
    for (const CollectiveSummary &collective : summary.collectives)
        largest = std::max(largest, collective.payloadBytes);
    return largest;
}

std::optional<double> achievedGBs(const RunSummary &summary)
{
    double bytes = 0;
    double nanoseconds = 0;
    for (const CollectiveSummary &collective : summary.collectives) {
        if (!collective.transferNs)
            continue;
        bytes += static_cast<double>(collective.payloadBytes) * collective.count;
        nanoseconds += *collective.transferNs;
    }
    return nanoseconds > 0 ? std::optional(bytes / nanoseconds) : std::nullopt;
}

Text findingOf(const PhaseComparison &comparison, bool perToken)
{
    const Phases phases(comparison);
    const Phase other = perToken ? Phase::Decode : Phase::Prefill;
    if (!phases.has(Phase::Training) || !phases.has(other))
        return {};
    if (phases.oneRank())
        return oneRank(phases);
    return perToken ? perTokenFinding(phases) : perStep(phases);
}

} // namespace shardscope

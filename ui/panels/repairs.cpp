// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/repairs.h"

#include "engine/plan/option_limits.h"
#include "engine/plan/option_uses.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace shardscope {

namespace {

std::int64_t nearestMultiple(std::int64_t value, std::int64_t of)
{
    return std::max(of, (value + of / 2) / of * of);
}

/// The number nearest to `wanted`, on a logarithmic scale, of those up to `most` that `allowed` accepts; 0: none.
std::int64_t nearestAllowed(std::int64_t wanted, std::int64_t most, const std::function<bool(std::int64_t)> &allowed)
{
    constexpr std::int64_t kFarthest = 1'000'000; // no more heads than that
    std::int64_t best = 0;
    double distance = 0;
    for (std::int64_t each = 1; each <= std::min(most, kFarthest); ++each) {
        if (!allowed(each))
            continue;
        const double far = std::abs(std::log(static_cast<double>(each) / static_cast<double>(wanted)));
        if (best == 0 || far < distance) {
            best = each;
            distance = far;
        }
    }
    return best;
}

/// What h must be a multiple of: all rules at once, or one repair would break what another one mended.
std::int64_t hiddenUnit(const Experiment &e)
{
    const std::int64_t n = e.extent(MeshAxis::Tp);
    std::int64_t unit = e.pair != Pair::ColumnRow || option_uses::attention(e) ? n : 1;
    if (e.scheme == Scheme::BugUnshardedHeads)
        unit = n * n; // it cuts each head as well
    return e.zeroStage() > 0 ? std::lcm(unit, std::int64_t{e.extent(MeshAxis::Dp)}) : unit;
}

QString setHidden(Experiment &e, std::int64_t multipleOf = 1)
{
    const bool followed = e.ffn == 4 * e.hidden;
    e.hidden = nearestMultiple(e.hidden, std::lcm(multipleOf, hiddenUnit(e)));
    if (followed)
        e.ffn = 4 * e.hidden;
    return tr("h was set to %1").arg(e.hidden);
}

QString setFfn(Experiment &e, std::int64_t ranks)
{
    // Where f is 4h it is h that the user sees and moves.
    if (e.ffn == 4 * e.hidden)
        return setHidden(e, ranks / std::gcd(ranks, std::int64_t{4}));
    e.ffn = nearestMultiple(e.ffn, ranks);
    return tr("f was set to %1").arg(e.ffn);
}

bool kvHeadsFit(const Experiment &e, std::int64_t k)
{
    const std::int64_t n = e.extent(MeshAxis::Tp);
    const bool shared = k % n == 0 || n % k == 0;
    if (e.heads % k != 0 || !shared)
        return false;
    if (e.scheme == Scheme::BugUnreducedKv)
        return k < n;
    const bool needsOwn = e.scheme == Scheme::BugUnshardedHeads || e.pair == Pair::RowRow;
    return !needsOwn || k % n == 0;
}

/// Whole query heads on each rank, and key and value heads shared out or replicated.
QString setHeads(Experiment &e)
{
    const std::int64_t n = e.extent(MeshAxis::Tp);
    const std::int64_t slices = e.scheme == Scheme::BugUnshardedHeads ? n : 1;
    QStringList changes;
    if (e.hidden % hiddenUnit(e) != 0)
        changes << setHidden(e);
    const std::int64_t heads = nearestAllowed(e.heads, e.hidden / slices, [&](std::int64_t a) {
        return a % n == 0 && e.hidden % a == 0 && e.hidden / a % slices == 0;
    });
    if (heads != 0 && heads != e.heads) {
        e.heads = heads;
        changes << tr("heads were set to %1").arg(heads);
    }
    const std::int64_t k = nearestAllowed(e.kvHeads, e.heads, [&](std::int64_t each) { return kvHeadsFit(e, each); });
    if (k != 0 && k != e.kvHeads) {
        e.kvHeads = k;
        changes << tr("KV heads were set to %1").arg(k);
    }
    return changes.join(QStringLiteral(", "));
}

/// A size that an axis, or two, share: `problem` names the option, the axis and how many ranks it has.
QString setShared(Experiment &e, const Text &problem)
{
    const std::string &option = problem.args.at(0);
    const std::int64_t n = std::max<std::int64_t>(1, QString::fromStdString(problem.args.at(3)).toInt());
    if (option == "heads")
        return setHeads(e);
    if (option == "hidden")
        return setHidden(e, n);
    if (option == "ffn")
        return setFfn(e, n);
    if (option == "vocabulary") {
        e.vocabulary = nearestMultiple(e.vocabulary, n);
        return tr("V was set to %1").arg(e.vocabulary);
    }
    if (option == "sequence") {
        e.sequence = nearestMultiple(e.sequence, n);
        return tr("s was set to %1").arg(e.sequence);
    }
    return {};
}

QString setLayers(Experiment &e)
{
    const std::int64_t stages = e.extent(MeshAxis::Pp);
    e.layers =
        std::min(nearestMultiple(e.layers, stages), std::max<std::int64_t>(1, kMostLayersInRun / stages) * stages);
    return tr("the number of layers was set to %1").arg(e.layers);
}

QString setRanks(Experiment &e, const Mesh &mesh, const QString &words)
{
    e.mesh = mesh;
    return words.arg(e.ranks());
}

QString setBias(Experiment &e, bool on)
{
    e.bias = on;
    return on ? tr("the bias was switched on") : tr("the bias was switched off");
}

QString setSmaller(Experiment &e)
{
    if (e.microBatches > 1) {
        e.microBatches = 1;
        return tr("micro-batches were set to 1");
    }
    std::int64_t &size = e.batch > 1 ? e.batch : e.sequence;
    const bool batch = &size == &e.batch;
    if (size <= 1)
        return {};
    size /= 2;
    return (batch ? tr("b was set to %1") : tr("s was set to %1")).arg(size);
}

} // namespace

QString repaired(Experiment &e, const Text &problem)
{
    switch (problem.id) {
    case TextId::FfnNotDivisible:
        return setFfn(e, e.extent(MeshAxis::Tp));
    case TextId::SizeNotDivisible:
        return setShared(e, problem);
    case TextId::HeadsDoNotDivideHidden:
    case TextId::KvHeadsDoNotDivideHeads:
    case TextId::KvHeadsAgainstRanks:
    case TextId::KvHeadsForPair:
    case TextId::BugNeedsSharedHeads:
    case TextId::BugNeedsDivisibleHeads:
        return setHeads(e);
    case TextId::KvColumnsNotDivisible: // what a rank has of the heads' columns is cut once more by ZeRO
        return setHidden(e, e.heads * e.extent(MeshAxis::Dp));
    case TextId::LayersNotDivisible:
        return setLayers(e);
    case TextId::PlanTooLong:
        e.microBatches = static_cast<int>(std::max<std::int64_t>(1, kMostLayerPassesInRun / e.layers));
        return tr("micro-batches were set to %1").arg(e.microBatches);
    case TextId::MeshForScheme:
        return setRanks(e, meshAlong(ownAxis(e.scheme), e.ranks()), tr("all %1 ranks are tensor parallel"));
    case TextId::BugNeedsRanks:
        return setRanks(e, meshAlong(ownAxis(e.scheme), 2), tr("N was set to %1"));
    case TextId::BugNeedsBias:
        return setBias(e, true);
    case TextId::BugWithoutBias:
        return setBias(e, false);
    case TextId::BugNeedsTraining:
        e.phase = Phase::Training;
        return tr("training is shown");
    case TextId::BugNeedsInputGradient:
        e.inputGradient = true;
        return tr("the input needs a gradient now");
    case TextId::SequenceParallelNeedsPair:
    case TextId::SequenceParallelNeedsAll:
        e.sequenceParallel = SequenceParallel::Off;
        return tr("sequence parallelism was switched off");
    case TextId::WeightDTypeZero3:
        e.weightDtype = WeightDType::Same;
        return tr("weights are kept as dtype again");
    case TextId::SelectiveNeedsAttention:
        e.recompute = Recompute::None;
        return tr("recomputation was switched off");
    case TextId::OverlapNeedsAll:
        e.overlap = false;
        return tr("overlap was switched off");
    case TextId::AlgorithmHasNoSuchOp:
    case TextId::AlgorithmTreeAllReduceOnly:
    case TextId::AlgorithmNeedsPowerOfTwo:
        e.algorithm = Algorithm::Library;
        return tr("the algorithm was set to the library's");
    case TextId::DelayRankAbsent:
        e.delay.reset();
        return tr("the delay was taken off");
    case TextId::ActivationTooLarge:
        return setSmaller(e);
    default:
        return {};
    }
}

QString ruleOf(const Text &problem)
{
    const QString whole = sentence(problem);
    const auto begin = whole.startsWith(QLatin1String("--")) ? whole.indexOf(QLatin1String(": ")) : -2;
    const auto end = whole.lastIndexOf(QLatin1String("; "));
    return whole.mid(begin + 2, end < 0 ? -1 : end - begin - 2);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What the traffic page says in sentences.
#include "ui/pages/layer_words.h"
#include "ui/pages/traffic_values.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

constexpr std::size_t kMostNamed = 3; ///< more ranks are counted, not named

/// Who sends most and who least, and whether that is the same to a reader.
struct Sums {
    std::int64_t most = 0;
    std::int64_t least = 0;
    std::vector<int> mostRanks;
    std::vector<int> leastRanks;
    [[nodiscard]] bool equal() const { return bytesWords(most) == bytesWords(least); }
};

Sums sumsOf(const TrafficMatrix &matrix)
{
    Sums sums;
    sums.most = sums.least = matrix.sentBy(0);
    for (int rank = 0; rank < matrix.ranks(); ++rank) {
        sums.most = std::max(sums.most, matrix.sentBy(rank));
        sums.least = std::min(sums.least, matrix.sentBy(rank));
    }
    for (int rank = 0; rank < matrix.ranks(); ++rank) {
        if (matrix.sentBy(rank) == sums.most)
            sums.mostRanks.push_back(rank);
        if (matrix.sentBy(rank) == sums.least)
            sums.leastRanks.push_back(rank);
    }
    return sums;
}

/// "rank 0", "ranks 0 and 4", "ranks 1 to 6", "8 ranks".
QString ranksWords(const std::vector<int> &ranks)
{
    if (ranks.size() == 1)
        return tr("rank %1").arg(ranks.front());
    if (ranks.size() == 2)
        return tr("ranks %1 and %2").arg(ranks[0]).arg(ranks[1]);
    if (ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size()))
        return tr("ranks %1 to %2").arg(ranks.front()).arg(ranks.back());
    if (ranks.size() > kMostNamed)
        return tr("%1 ranks").arg(ranks.size());
    return tr("ranks %1, %2 and %3").arg(ranks[0]).arg(ranks[1]).arg(ranks[2]);
}

QString silent(const TrafficValues &values)
{
    if (values.mesh().size() == 1)
        return tr("One rank: nothing travels, for nothing is cut");
    if (values.axis)
        return tr("Nothing travels along %1 in this step").arg(axisWord(*values.axis));
    return tr("Nothing travels: what each rank computes is complete without the others");
}

/// To how many others a rank sends: "3", or "1 or 2", "1 to 3" where ranks differ.
QString partnersWords(const TrafficMatrix &matrix)
{
    int fewest = matrix.ranks();
    int most = 0;
    for (int from = 0; from < matrix.ranks(); ++from) {
        int partners = 0;
        for (int to = 0; to < matrix.ranks(); ++to)
            partners += matrix.bytes(from, to) > 0 ? 1 : 0;
        fewest = std::min(fewest, partners);
        most = std::max(most, partners);
    }
    if (fewest == most)
        return QString::number(most);
    return (most == fewest + 1 ? tr("%1 or %2") : tr("%1 to %2")).arg(fewest).arg(most);
}

/// How the traffic along one axis is said after "every rank sends so much a step".
QString equalAlong(const TrafficValues &values, const TrafficValues::Along &along, std::int64_t sum)
{
    const QString bytes = bytesWords(sum);
    const int n = values.mesh().extent(along.axis);
    const bool groups = values.mesh().size() > n;
    switch (along.shape) {
    case TrafficShape::Pair:
        return groups ? tr("Every rank sends %1 a step, all of it to its partner along %2")
                            .arg(bytes, axisWord(along.axis))
                      : tr("Each of both ranks sends the other %1 a step").arg(bytes);
    case TrafficShape::Ring:
        // Which way the library takes nobody knows; the sum is the same.
        return (values.paths.asRing ? tr("Every rank sends %1 a step; counted as a ring, all of it to the next rank")
                                    : tr("Every rank sends %1 a step, all of it to the next rank of the ring"))
            .arg(bytes);
    case TrafficShape::Everyone:
        return tr("Every rank sends %1 a step, %2 to each of the %3 others")
            .arg(bytes, bytesWords(along.matrix.largest()))
            .arg(n - 1);
    case TrafficShape::Neighbours:
    case TrafficShape::Other:
        break;
    }
    return (values.paths.asRing ? tr("Every rank sends %1 a step; counted as rings, to %2 of the %3 others")
                                : tr("Every rank sends %1 a step, to %2 of the %3 others"))
        .arg(bytes, partnersWords(along.matrix))
        .arg(n - 1);
}

/// "3 MiB along tp, 16 MiB along dp".
QString sharesAlong(const TrafficValues &values)
{
    QStringList shares;
    for (const TrafficValues::Along &along : values.axes)
        shares << tr("%1 along %2").arg(bytesWords(sumsOf(along.matrix).most), axisWord(along.axis));
    return shares.join(QStringLiteral(", "));
}

/// What makes the ranks unequal, where the plan says it.
QString cause(const TrafficValues &values)
{
    const Experiment &e = values.plan->experiment;
    if (values.axes.size() == 1 && values.axes.front().axis == MeshAxis::Pp)
        return tr("Only neighbouring stages talk: %1 send %2 a step, %3 only %4");
    if (values.paths.asChain)
        return tr("Counted as a chain through rank 0: %1 send %2 a step, %3 only %4");
    if (values.paths.ownHops && e.algorithm == Algorithm::Tree)
        return tr("A tree loads its ranks unequally: %1 send %2 a step, %3 only %4");
    return tr("Not all ranks send the same: %1 up to %2 a step, %3 only %4");
}

bool allEqualAlong(const TrafficValues &values)
{
    return std::ranges::all_of(values.axes,
                               [](const TrafficValues::Along &along) { return sumsOf(along.matrix).equal(); });
}

} // namespace

QString trafficFinding(const TrafficValues &values)
{
    if (!values.drawn)
        return tr("What travels among %1 ranks").arg(values.mesh().size());
    if (values.matrix.total() == 0)
        return silent(values);
    const Sums sums = sumsOf(values.matrix);
    if (sums.equal() && values.axes.size() == 1)
        return equalAlong(values, values.axes.front(), sums.most);
    if (sums.equal() && allEqualAlong(values))
        return tr("Every rank sends %1 a step: %2").arg(bytesWords(sums.most), sharesAlong(values));
    if (sums.equal())
        return tr("Every rank sends %1 a step").arg(bytesWords(sums.most));
    const bool allNamed =
        sums.mostRanks.size() + sums.leastRanks.size() == static_cast<std::size_t>(values.mesh().size());
    return cause(values).arg(ranksWords(sums.mostRanks), bytesWords(sums.most),
                             allNamed ? tr("the others") : ranksWords(sums.leastRanks), bytesWords(sums.least));
}

QString trafficSetting(const TrafficValues &values)
{
    const QString layer = layerWords(values.plan->experiment);
    return values.axis ? tr("%1 \u00b7 along %2 only").arg(layer, axisWord(*values.axis)) : layer;
}

QString trafficCounting(const TrafficValues &values)
{
    QStringList words;
    if (values.paths.ownHops)
        words << tr("Every hop of our own algorithm is known: who sends which bytes to whom.");
    if (values.paths.messages)
        words << tr("A message goes from the rank of one stage to the rank of the next, once.");
    if (values.paths.asRing)
        words << tr("The library's own paths are not known. Its collectives are counted as a ring, in which each rank "
                    "sends to the next one alone: 2(N-1)/N\u00b7S for an all-reduce of S bytes, (N-1)/N\u00b7S for an "
                    "all-gather or a reduce-scatter.");
    if (values.paths.asChain)
        words << tr("Reduce and broadcast are counted as a chain from rank to rank, to rank 0 or from it on: S bytes "
                    "each.");
    return words.join(QLatin1Char(' '));
}

QString trafficProof(const TrafficValues &values)
{
    switch (values.proof) {
    case TrafficValues::Proof::NotRun:
        return tr("Counted from the plan; not run, so nothing stands beside it.");
    case TrafficValues::Proof::OtherSettings:
        return tr("Counted from the plan; what was measured belongs to other settings.");
    case TrafficValues::Proof::Agrees:
        if (values.matrix.total() == 0)
            return tr("Observed, too: in %1 no rank sent a byte (%2).")
                .arg(counted(values.observedSteps, tr("%1 step|%1 steps")))
                .arg(values.observedWhere);
        return tr("Counted from the plan, and observed: in each of %1 every rank's communicators counted as "
                  "many bytes sent as its row says (%2).")
            .arg(counted(values.observedSteps, tr("%1 step|%1 steps")))
            .arg(values.observedWhere);
    case TrafficValues::Proof::Differs:
        break;
    }
    return tr("Counted from the plan, but observed otherwise: in %1 the communicators of some rank did not count "
              "as many bytes sent as its row says (%2).")
        .arg(counted(values.observedSteps, tr("%1 step|%1 steps")))
        .arg(values.observedWhere);
}

QString trafficProvenance(const TrafficValues &values)
{
    QStringList parts{tr("bytes a step, counted from the plan")};
    if (values.proof == TrafficValues::Proof::Agrees)
        parts << tr("sums of rows as observed, %1").arg(values.observedWhere);
    else if (values.proof == TrafficValues::Proof::Differs)
        parts << tr("sums of rows NOT as observed, %1").arg(values.observedWhere);
    else
        parts << tr("not measured");
    if (values.paths.asRing || values.paths.asChain)
        parts << tr("the library's collectives counted as %1")
                     .arg(!values.paths.asChain ? tr("rings")
                          : values.paths.asRing ? tr("rings and chains")
                                                : tr("chains"));
    parts << tr("MiB = 2^20 bytes");
    return parts.join(QStringLiteral(" \u00b7 "));
}

} // namespace shardscope

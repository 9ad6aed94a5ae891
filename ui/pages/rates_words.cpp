// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/record/collective_kinds.h"
#include "ui/charts/number_format.h"
#include "ui/diagram/words.h"
#include "ui/pages/layer_words.h"
#include "ui/pages/points_provenance.h"
#include "ui/pages/rates_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {

namespace {

QString joined(QStringList clauses)
{
    return clauses.join(QStringLiteral(", "));
}

QString capital(const QString &words)
{
    return words.left(1).toUpper() + words.mid(1);
}

const RateBar *longest(const RateGroup &group)
{
    const auto time = [](const RateBar &bar) {
        return bar.row.medianNs.value_or(0) * (bar.row.kind == RateKind::Collective ? bar.row.count : 1);
    };
    const auto found = std::ranges::max_element(group.bars, {}, time);
    return found == group.bars.end() ? nullptr : &*found;
}

/// Not what a data sheet promises, but the best that was seen.
bool isMeasuredPeak(const RateRow &row)
{
    return row.peak && row.peak->origin == PeakOrigin::Measured;
}

/// "the all-reduce 9 % of the link: 84 % of its time is latency".
QString collectiveClause(const RateGroup &group, bool predicted)
{
    const RateRow &row = longest(group)->row;
    const QString op = opName(row.op);
    if (!row.share)
        return tr("the %1 %2 of bus bandwidth").arg(op, rateWords(group.kind, *row.perSecond));
    const bool ports = row.peak->source.id == TextId::PeakPorts;
    const QString clause = (isMeasuredPeak(row) ? tr("the %1 %2 of the best bus bandwidth")
                            : ports             ? tr("the %1 %2 of the ports between nodes")
                                                : tr("the %1 %2 of the link"))
                               .arg(op, formatShare(*row.share));
    if (row.limit == RateLimit::Latency)
        return (predicted ? tr("%1: too small, %2 of its time is latency")
                          : tr("%1: too small, by the cost model %2 of its time is latency"))
            .arg(clause, formatShare(row.latencyShare));
    if (*row.share > 1 && row.note && row.note->id == TextId::RateOverSwitch)
        return tr("%1, because the switch adds").arg(clause);
    if (*row.share > 1 && isMeasuredPeak(row))
        return tr("%1, more than when the machine was measured").arg(clause);
    return clause;
}

QString productClause(const RateGroup &group)
{
    const RateRow &row = longest(group)->row;
    if (!group.share)
        return tr("matrix products reach %1").arg(rateWords(group.kind, *group.perSecond));
    if (*group.share > 1 && isMeasuredPeak(row))
        return tr("matrix products are faster than when the machine was measured, %1 of that")
            .arg(formatShare(*group.share));
    const QString clause = (isMeasuredPeak(row) ? tr("matrix products reach %1 of the fastest measured")
                                                : tr("matrix products reach %1 of the peak"))
                               .arg(formatShare(*group.share));
    if (row.limit == RateLimit::Memory)
        return tr("%1 because they wait for memory").arg(clause);
    if (row.limit == RateLimit::Latency)
        return tr("%1 because starting them takes longer").arg(clause);
    return clause;
}

QString memoryClause(const RateGroup &group)
{
    if (!group.share)
        return tr("memory-bound operations %1").arg(rateWords(group.kind, *group.perSecond));
    const QString clause = tr("memory-bound operations %1 of the memory bandwidth").arg(formatShare(*group.share));
    return *group.share > 1 ? tr("%1, from caches").arg(clause) : clause;
}

QString clauseOf(const RateGroup &group, bool predicted)
{
    switch (group.kind) {
    case RateKind::MatrixProducts:
        return productClause(group);
    case RateKind::MemoryBound:
        return memoryClause(group);
    case RateKind::Collective:
        break;
    }
    return collectiveClause(group, predicted);
}

QString sizesWords(const RatePart &part)
{
    return tr("2\u00b7m\u00b7n\u00b7k = 2\u00b7%1\u00b7%2\u00b7%3 = %4")
        .arg(part.rows)
        .arg(part.columns)
        .arg(part.inner)
        .arg(formatFlop(part.flops));
}

QString shareLine(const RateRow &row)
{
    if (!row.share)
        return {};
    return tr("%1 of the peak, %2").arg(formatShare(*row.share), sentence(row.peak->source));
}

QStringList collectiveLines(const RateRow &row)
{
    return {tr("bus bandwidth = S / t \u00b7 %1 = %2 / %3 \u00b7 %1")
                .arg(formatNumber(row.busFactor), formatBytes(row.payloadBytes), formatDuration(row.medianNs)),
            tr("S as it travels; t is the transfer alone, without waiting; sent per rank %1, %2 × in a step")
                .arg(formatBytes(row.sentBytesPerRank))
                .arg(row.count)};
}

} // namespace

QString shortTensors(const std::string &tensors)
{
    // First and last of a kind become the same once layer and micro-batch are left out.
    const QString words = formulaText(withoutPlace(tensors));
    const QStringList ends = words.split(QStringLiteral(" ... "));
    return ends.size() == 2 && ends[0] == ends[1] ? ends[0]
                                                  : QString(words).replace(QChar(0x2026), QStringLiteral("..."));
}

QString rateWords(RateKind kind, double perSecond)
{
    QString words = QString::fromStdString(kind == RateKind::MatrixProducts ? formatFlopRate(perSecond)
                                                                            : formatByteRate(perSecond));
    return words.replace(QLatin1Char(' '), QChar(0xa0));
}

QString partWords(const RateRow &row, const RatePart &part)
{
    QStringList words;
    words << (part.rows > 0 ? sizesWords(part) : formatFlop(part.flops));
    words << tr("%1 read and written").arg(formatBytes(part.bytes));
    words << tr("%1 × in a step, %2").arg(part.count).arg(formatDuration(part.medianNs));
    if (part.perSecond)
        words << rateWords(row.kind, *part.perSecond);
    return formulaText(part.label) + QStringLiteral(": ") + words.join(QStringLiteral("; "));
}

QString limitWords(const RateRow &row)
{
    if (row.share && *row.share > 1)
        return row.note && row.note->id == TextId::RateOverSwitch  ? tr("the switch adds")
               : row.note && row.note->id == TextId::RateOverCache ? tr("from a cache")
                                                                   : tr("see below");
    switch (row.limit) {
    case RateLimit::Latency:
        return tr("latency %1").arg(formatShare(row.latencyShare));
    case RateLimit::Memory:
        return tr("waits for memory");
    case RateLimit::Arithmetic:
        return tr("by its products");
    case RateLimit::Peak:
    case RateLimit::Unknown:
        break;
    }
    return {};
}

QString rateDetails(const RateBar &bar, const RatesValues &values)
{
    const RateRow &row = bar.row;
    QStringList lines{
        tr("%1, %2: %3").arg(capital(bar.title), pointSource(*values.run), rateWords(row.kind, *row.perSecond))};
    lines << shareLine(row);
    if (row.kind == RateKind::Collective)
        lines << collectiveLines(row);
    else
        lines << tr("%1 and %2 per rank and step in %3, of each step the slowest rank")
                     .arg(formatFlop(row.flops), formatBytes(row.bytes), formatDuration(row.medianNs));
    for (const RatePart &part : row.parts)
        lines << partWords(row, part);
    if (bar.predicted)
        lines << tr("predicted for the same machine: %1").arg(rateWords(row.kind, *bar.predicted));
    if (row.note)
        lines << capital(typeset(sentence(*row.note)));
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

QString ratesFinding(const RatesValues &values)
{
    if (values.groups.empty())
        return values.run ? tr("Nothing of this layer was timed")
                          : tr("Nothing is known of this layer\u2019s rates yet");
    QStringList clauses;
    for (const RateGroup &group : values.groups)
        clauses << clauseOf(group, values.predicted());
    return originWords(*values.run) + QStringLiteral(": ") + capital(joined(clauses));
}

QString ratesSetting(const RatesValues &values)
{
    if (!values.run)
        return {};
    return layerWords(values.run->experiment()) + tr(". Work by the plan over the time that it took, of one rank.");
}

std::vector<RatesNote> ratesNotes(const RatesValues &values)
{
    std::vector<RatesNote> notes;
    if (!values.run)
        return notes;
    if (!values.peaks)
        notes.push_back({tr("No peaks"), typeset(sentence(whyNoPeaks(*values.run))) + QLatin1Char('.')});
    for (const RateGroup &group : values.groups) {
        // Of rows with the same reason the one that takes the longest speaks.
        std::vector<const RateBar *> said;
        for (const RateBar &bar : group.bars) {
            if (!bar.row.note)
                continue;
            const auto same = std::ranges::find_if(
                said, [&](const RateBar *other) { return other->row.note->id == bar.row.note->id; });
            if (same == said.end())
                said.push_back(&bar);
            else if (bar.row.medianNs.value_or(0) > (*same)->row.medianNs.value_or(0))
                *same = &bar;
        }
        for (const RateBar *bar : said) {
            const bool products = group.kind == RateKind::MatrixProducts;
            const bool plain = group.kind == RateKind::MemoryBound && !bar->row.coreAttention;
            const QString lead = products ? tr("Matrix products, %1").arg(bar->title)
                                 : plain  ? tr("Memory-bound, %1").arg(bar->title)
                                          : capital(bar->title);
            notes.push_back({lead, capital(typeset(sentence(*bar->row.note))) + QLatin1Char('.')});
        }
    }
    QStringList sources;
    for (const RateGroup &group : values.groups) {
        for (const RateBar &bar : group.bars) {
            if (bar.row.peak)
                sources << typeset(sentence(bar.row.peak->source));
        }
    }
    sources.removeDuplicates();
    if (!sources.isEmpty())
        notes.push_back({tr("Peaks"), sources.join(QStringLiteral("; ")) + QLatin1Char('.')});
    if (values.peaks) {
        if (const auto assumed = rateAssumptions(*values.run, *values.peaks))
            notes.push_back({tr("Assumed"), typeset(sentence(*assumed)) + QLatin1Char('.')});
    }
    return notes;
}

QString ratesProvenance(const RatesValues &values)
{
    return values.run ? pointsProvenance({values.run.get()}) : tr("nothing is known yet");
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_data.h"

#include "ui/charts/number_format.h"

#include <QCoreApplication>
#include <algorithm>

namespace shardscope {
namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Comparison", text);
}

/// The sentences of one metric about two bars.
struct Wording {
    const char *ratio; ///< %1 the larger bar, %2 ratio, %3 the other
    const char *equal; ///< %1 and %2
    const char *only;  ///< %1: the other has none
    const char *nobody;
};
constexpr Wording kCollectives{QT_TRANSLATE_NOOP("Comparison", "%1 calls %2 the collectives of %3"),
                               QT_TRANSLATE_NOOP("Comparison", "%1 calls as many collectives as %2"),
                               QT_TRANSLATE_NOOP("Comparison", "Only %1 calls collectives"),
                               QT_TRANSLATE_NOOP("Comparison", "No phase calls a collective")};
constexpr Wording kBytes{QT_TRANSLATE_NOOP("Comparison", "%1 sends %2 the bytes of %3"),
                         QT_TRANSLATE_NOOP("Comparison", "%1 sends as many bytes as %2"),
                         QT_TRANSLATE_NOOP("Comparison", "Only %1 sends anything"),
                         QT_TRANSLATE_NOOP("Comparison", "No phase sends anything")};
constexpr Wording kTime{QT_TRANSLATE_NOOP("Comparison", "%1 communicates %2 as long as %3"),
                        QT_TRANSLATE_NOOP("Comparison", "%1 communicates as long as %2"),
                        QT_TRANSLATE_NOOP("Comparison", "Only %1 spends time in communication"),
                        QT_TRANSLATE_NOOP("Comparison", "No time goes into communication")};

QString lowered(QString text)
{
    return text.isEmpty() ? text : text.replace(0, 1, text.at(0).toLower());
}

QString capitalised(QString text)
{
    return text.isEmpty() ? text : text.replace(0, 1, text.at(0).toUpper());
}

/// The two rows that a chart contrasts, the larger first.
QString contrast(const ChartRow &a, const ChartRow &b, const Wording &wording)
{
    const double valueA = a.shown()->value;
    const double valueB = b.shown()->value;
    const bool swap = valueB > valueA;
    const ChartRow &larger = swap ? b : a;
    const ChartRow &smaller = swap ? a : b;
    const double high = std::max(valueA, valueB);
    const double low = std::min(valueA, valueB);
    if (!(high > 0))
        return tr(wording.nobody);
    if (!(low > 0))
        return tr(wording.only).arg(lowered(larger.label));
    const QString ratio = formatRatio(high / low);
    if (ratio == formatRatio(1.0))
        return tr(wording.equal).arg(larger.label, lowered(smaller.label));
    return tr(wording.ratio).arg(larger.label, ratio, lowered(smaller.label));
}

QString shareTitle(const ChartGroup &group)
{
    const ChartRow *largest = nullptr;
    for (const ChartRow &row : group.rows) {
        if (row.shown() && (!largest || row.shown()->value > largest->shown()->value))
            largest = &row;
    }
    if (!largest || !(largest->shown()->value > 0))
        return tr("Nothing of the time is communication");
    return tr("%1: %2 of its step is communication").arg(largest->label, formatShare(largest->shown()->value));
}

QString speedupTitle(const ChartGroup &group, int ranks)
{
    if (group.rows.size() < 2 || !group.rows[0].shown() || !group.rows[1].shown() ||
        !(group.rows[1].shown()->value > 0))
        return tr("Step time");
    const double factor = group.rows[0].shown()->value / group.rows[1].shown()->value;
    const QString same = formatRatio(1.0);
    if (formatRatio(factor) == same || formatRatio(1 / factor) == same)
        return tr("%1 ranks take as long as one").arg(ranks);
    if (factor < 1)
        return tr("%1 ranks take %2 as long as one").arg(ranks).arg(formatRatio(1 / factor));
    return tr("%1 ranks are %2 as fast as one").arg(ranks).arg(formatRatio(factor));
}

} // namespace

QString chartTitle(const ChartGroup &group, bool perToken, int ranks)
{
    if (group.metric == Metric::CommunicationShare)
        return shareTitle(group);
    if (group.metric == Metric::StepTime)
        return speedupTitle(group, ranks);
    const Wording &wording = group.metric == Metric::Collectives ? kCollectives
                             : group.metric == Metric::SentBytes ? kBytes
                                                                 : kTime;
    // Per step training stands against prefill; per token against decode.
    const std::size_t other = perToken ? 2 : 1;
    if (group.rows.size() <= other || !group.rows[0].shown() || !group.rows[other].shown())
        return group.quantity;
    const QString text = contrast(group.rows[0], group.rows[other], wording);
    return perToken ? tr("Per token: %1").arg(lowered(text)) : capitalised(text);
}

} // namespace shardscope

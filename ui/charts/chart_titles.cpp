// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_data.h"

#include "engine/record/step_speed.h"
#include "ui/charts/number_format.h"
#include "ui/translation.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace shardscope {
namespace {

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

using Value = std::optional<ChartValue> ChartRow::*;

/// What these rows can be compared by: all measured, else all predicted. A measured number against a predicted one
/// says nothing. Null: they have neither in common.
Value commonValue(std::initializer_list<const ChartRow *> rows)
{
    for (const Value value : {&ChartRow::measured, &ChartRow::predicted}) {
        if (std::all_of(rows.begin(), rows.end(), [&](const ChartRow *row) { return (row->*value).has_value(); }))
            return value;
    }
    return nullptr;
}

bool anyMeasured(const ChartGroup &group)
{
    return std::any_of(group.rows.begin(), group.rows.end(),
                       [](const ChartRow &row) { return row.measured.has_value(); });
}

/// Beside measured bars a sentence about predicted ones says that it is.
QString saidOf(const ChartGroup &group, Value value, const QString &sentence)
{
    const bool beside = value == &ChartRow::predicted && anyMeasured(group);
    return beside ? tr("Predicted: %1").arg(lowered(sentence)) : sentence;
}

/// A single value, as a prediction is, is not known to vary.
Distribution distributionOf(const ChartValue &value)
{
    const bool varies = value.p10 && value.p90;
    return {value.value, value.p10.value_or(value.value), value.p90.value_or(value.value), varies ? 2 : 1};
}

/// Another run may turn them round, so no ratio is claimed.
bool variesMoreThanItDiffers(const ChartValue &a, const ChartValue &b)
{
    return differLessThanTheyVary(distributionOf(a), distributionOf(b));
}

/// The two rows that a chart contrasts, the larger first.
QString contrast(const ChartRow &a, const ChartRow &b, Value value, const Wording &wording)
{
    const double valueA = (a.*value)->value;
    const double valueB = (b.*value)->value;
    const bool swap = valueB > valueA;
    const ChartRow &larger = swap ? b : a;
    const ChartRow &smaller = swap ? a : b;
    const double high = std::max(valueA, valueB);
    const double low = std::min(valueA, valueB);
    if (!(high > 0))
        return tr(wording.nobody);
    if (!(low > 0))
        return tr(wording.only).arg(lowered(larger.label));
    if (variesMoreThanItDiffers(*(a.*value), *(b.*value)))
        return tr("%1 and %2 differ less than they vary").arg(a.label, lowered(b.label));
    const QString ratio = formatRatio(high / low);
    if (ratio == formatRatio(1.0))
        return tr(wording.equal).arg(larger.label, lowered(smaller.label));
    return tr(wording.ratio).arg(larger.label, ratio, lowered(smaller.label));
}

QString shareTitle(const ChartGroup &group)
{
    const Value value = anyMeasured(group) ? &ChartRow::measured : &ChartRow::predicted;
    const ChartRow *largest = nullptr;
    for (const ChartRow &row : group.rows) {
        if (row.*value && (!largest || (row.*value)->value > (largest->*value)->value))
            largest = &row;
    }
    if (!largest || !((largest->*value)->value > 0))
        return tr("Nothing of the time is communication");
    return tr("%1: up to %2 of its step is communication").arg(largest->label, formatShare((largest->*value)->value));
}

QString speedupTitle(const ChartGroup &group, int ranks)
{
    const Value value = group.rows.size() < 2 ? nullptr : commonValue({&group.rows[0], &group.rows[1]});
    if (!value || !((group.rows[1].*value)->value > 0))
        return tr("Step time");
    const double factor = (group.rows[0].*value)->value / (group.rows[1].*value)->value;
    const double most = value == &ChartRow::measured ? ranks : std::numeric_limits<double>::infinity();
    const Pace pace = paceOf(distributionOf(*(group.rows[0].*value)), distributionOf(*(group.rows[1].*value)), most);
    if (pace == Pace::Unclear)
        return tr("%1 ranks and one differ less than they vary").arg(ranks);
    if (pace == Pace::Disturbed)
        return tr("%1 ranks seem %2 as fast as one, more than they can be: measure again")
            .arg(ranks)
            .arg(formatRatio(factor));
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
    const Value value = group.rows.size() <= other ? nullptr : commonValue({&group.rows[0], &group.rows[other]});
    if (!value)
        return group.quantity;
    const QString text = contrast(group.rows[0], group.rows[other], value, wording);
    return saidOf(group, value, perToken ? tr("Per token: %1").arg(lowered(text)) : capitalised(text));
}

} // namespace shardscope

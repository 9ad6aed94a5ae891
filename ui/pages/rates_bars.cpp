// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/rates_parts.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr double kNames = 172;  ///< design pixels left of the bars
constexpr double kWords = 282;  ///< and right of them
constexpr double kValue = 92;   ///< of those for the rate,
constexpr double kShare = 62;   ///< its share, and the rest for what limits it
constexpr double kHead = 22;    ///< a group's title
constexpr double kBetween = 12; ///< groups
constexpr double kBarShare = 0.62;
constexpr double kBeyond = 0.04; ///< of the bars' room, right of the peak line

class RateBars
{
public:
    RateBars(SheetWriter &writer, const RatesValues &values, const QRectF &area, double row)
        : m_writer(writer), m_values(values), m_area(area), m_row(row),
          m_bars(QPointF(area.left() + px(kNames), 0), QPointF(area.right() - px(kWords), 1))
    {
        // One axis of shares for all groups, so that their bars compare.
        for (const RateGroup &group : values.groups) {
            for (const RateBar &bar : group.bars)
                m_mostShare = std::max({m_mostShare, bar.row.share.value_or(0), predictedShare(bar)});
        }
    }

    double lay()
    {
        double y = m_area.top();
        for (const RateGroup &group : m_values.groups)
            y = layGroup(group, y) + px(kBetween);
        return y - px(kBetween);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    static double predictedShare(const RateBar &bar)
    {
        return bar.predicted && bar.row.peak ? *bar.predicted / bar.row.peak->perSecond : 0;
    }

    [[nodiscard]] double atShare(double share) const
    {
        return m_bars.left() + m_bars.width() * (1 - kBeyond) * share / m_mostShare;
    }

    /// Without peaks the longest of a group fills the room.
    [[nodiscard]] double endOf(const RateGroup &group, double perSecond, const std::optional<RatePeak> &peak) const
    {
        if (peak)
            return atShare(perSecond / peak->perSecond);
        double most = 0;
        for (const RateBar &bar : group.bars)
            most = std::max(most, *bar.row.perSecond);
        return m_bars.left() + m_bars.width() * (1 - kBeyond) * perSecond / most;
    }

    [[nodiscard]] QColor colourOf(const RateRow &row) const
    {
        if (row.kind != RateKind::Collective)
            return theme().compute(row.pass);
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::Reduce, CollectiveOp::ReduceScatter}) {
            if (row.op == name(op))
                return theme().collective(op);
        }
        return theme().collective(CollectiveOp::AllGather);
    }

    /// The title, and over the line whose peak it is.
    void layHead(const RateGroup &group, double top)
    {
        const SheetWriter::Letters title{14, 600, {}};
        const double written = m_writer.text({m_area.left(), top, m_area.width(), px(kHead)}, group.title, title);
        if (!hasPeak(group))
            return;
        const QString words = group.peak ? tr("peak %1").arg(rateWords(group.kind, *group.peak)) : tr("each its peak");
        const SheetWriter::Letters letters{12, 600, {}};
        const double width = m_writer.widthOf(words, letters) + px(2);
        const double left = std::max(atShare(1) - width / 2, m_area.left() + written + px(14));
        m_writer.text({left, top, width, px(kHead)}, words, letters);
    }

    [[nodiscard]] static bool hasPeak(const RateGroup &group)
    {
        return std::ranges::any_of(group.bars, [](const RateBar &bar) { return bar.row.peak.has_value(); });
    }

    double layGroup(const RateGroup &group, double top)
    {
        layHead(group, top);
        double y = top + px(kHead);
        const double first = y;
        for (const RateBar &bar : group.bars) {
            layBar(group, bar, y);
            y += px(m_row);
        }
        m_writer.rule({m_bars.left(), first}, {m_bars.left(), y}, theme().text3);
        if (hasPeak(group))
            m_writer.rule({atShare(1), first - px(2)}, {atShare(1), y}, theme().text, 2.2);
        if (group.leftOut == 0)
            return y;
        const QString more =
            counted(group.leftOut, tr("and %1 more that takes less time|and %1 more that take less time"));
        m_writer.text({m_bars.left(), y, m_area.right() - m_bars.left(), px(16)}, more, {12, 400, theme().text2});
        return y + px(16);
    }

    void layBox(double left, double right, double top, double height, const QColor &colour, BarOrigin origin)
    {
        const BarPaint paint = barPaint(colour, theme().surface, origin);
        m_writer.box({.rect = {left, top, std::max(1.0, right - left), height},
                      .fill = paint.fill,
                      .outline = paint.outline,
                      .line = std::max(1.0, px(1.4))});
    }

    void layBar(const RateGroup &group, const RateBar &bar, double top)
    {
        const RateRow &row = bar.row;
        const double height = px(m_row * kBarShare);
        const double y = top + (px(m_row) - height) / 2;
        const QColor colour = colourOf(row);
        const BarOrigin origin = m_values.predicted() ? BarOrigin::Predicted : BarOrigin::Measured;
        // Measured above, predicted below it, in one row.
        const double solid = bar.predicted ? height * 0.58 : height;
        layBox(m_bars.left(), endOf(group, *row.perSecond, row.peak), y, solid, colour, origin);
        if (bar.predicted)
            layBox(m_bars.left(), endOf(group, *bar.predicted, row.peak), y + solid + px(1), height - solid - px(1),
                   colour, BarOrigin::Predicted);
        m_writer.text({m_area.left(), top, m_bars.left() - m_area.left() - px(8), px(m_row)}, bar.title, {13, 500, {}},
                      Qt::AlignRight | Qt::AlignVCenter);
        layWords(group, bar, top);
        m_writer.spot({m_area.left(), top, m_area.width(), px(m_row)}, rateDetails(bar, m_values));
    }

    void layWords(const RateGroup &group, const RateBar &bar, double top)
    {
        double x = m_bars.right() + px(8);
        m_writer.text({x, top, px(kValue), px(m_row)}, rateWords(group.kind, *bar.row.perSecond), {13, 400, {}});
        x += px(kValue + 4);
        if (bar.row.share)
            m_writer.text({x, top, px(kShare), px(m_row)}, formatShare(*bar.row.share), {15, 700, {}});
        x += bar.row.share ? px(kShare) : 0;
        QString words = limitWords(bar.row);
        if (words.isEmpty() && bar.row.share)
            words = tr("of the peak");
        m_writer.text({x, top, m_area.right() - x, px(m_row)}, words, {12, 400, theme().text2});
    }

    SheetWriter &m_writer;
    const RatesValues &m_values;
    QRectF m_area;
    double m_row;
    QRectF m_bars; ///< left and right of the bars
    double m_mostShare = 1;
};

} // namespace

double layRateBars(SheetWriter &writer, const RatesValues &values, const QRectF &area, double row)
{
    return RateBars(writer, values, area, row).lay();
}

} // namespace shardscope

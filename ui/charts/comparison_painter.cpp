// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/comparison_painter.h"

#include "ui/charts/chart_style.h"
#include "ui/charts/comparison_picture.h"
#include "ui/charts/number_format.h"
#include "ui/translation.h"

#include <QPainter>
#include <algorithm>

namespace shardscope {
namespace {

/// The font, down to four fifths of its size where the words would not fit.
QFont fitted(QFont font, const QString &words, double width)
{
    const double wide = QFontMetricsF(font).horizontalAdvance(words);
    if (wide > width)
        font.setPixelSize(static_cast<int>(font.pixelSize() * std::max(0.8, width / wide)));
    return font;
}

/// Without its last clauses ("..., median") where even small letters would not fit.
QString shortened(QString words, const QFont &font, double width)
{
    while (QFontMetricsF(font).horizontalAdvance(words) * 0.8 > width && words.contains(QStringLiteral(", ")))
        words = words.section(QStringLiteral(", "), 0, -2);
    return words;
}

/// One picture being painted.
class Picture
{
public:
    Picture(QPainter &painter, const ComparisonData &data, const ComparisonLayout &layout, const Theme &theme)
        : m_painter(painter), m_data(data), m_layout(layout), m_theme(theme), m_unit(layout.unit)
    {
    }

    void paint(std::optional<ChartPlace> hovered)
    {
        m_painter.setRenderHint(QPainter::Antialiasing, false);
        for (std::size_t i = 0; i < m_layout.charts.size(); ++i) {
            if (hovered && hovered->chart == i)
                m_painter.fillRect(m_layout.charts[i].rows[hovered->row], m_theme.surface2);
            paintChart(m_data.groups[i], m_layout.charts[i]);
        }
        paintLegend();
        paintSentences();
    }

private:
    [[nodiscard]] double px(double design) const { return design * m_unit; }

    void text(const QRectF &rect, const QString &words, const QFont &font, const QColor &colour,
              int flags = Qt::AlignLeft | Qt::AlignVCenter)
    {
        m_painter.setFont(font);
        m_painter.setPen(colour);
        const QString fitting = QFontMetricsF(font).elidedText(words, Qt::ElideRight, rect.width() + 1);
        m_painter.drawText(rect.adjusted(0, 0, 1, 0), flags | Qt::TextSingleLine, fitting);
    }

    void paintChart(const ChartGroup &group, const ChartLayout &chart)
    {
        paintTitle(chart.title, group.title);
        const QString quantity = shortened(group.quantity, m_layout.textFont, chart.quantity.width());
        text(chart.quantity, quantity, fitted(m_layout.textFont, quantity, chart.quantity.width()), m_theme.text2);
        paintAxis(group, chart);
        for (std::size_t i = 0; i < group.rows.size(); ++i)
            paintRow(group, group.rows[i], chart, chart.rows[i]);
        m_painter.setPen(QPen(m_theme.text3, px(1)));
        m_painter.drawLine(chart.bars.topLeft(), chart.bars.bottomLeft());
    }

    void paintTitle(const QRectF &rect, const QString &title)
    {
        const QFont &font = m_layout.chartTitleFont;
        if (rect.height() < 1.5 * QFontMetricsF(font).height()) {
            text(rect, title, fitted(font, title, rect.width()), m_theme.text);
            return;
        }
        m_painter.setFont(fitted(font, title, 1.9 * rect.width()));
        m_painter.setPen(m_theme.text);
        m_painter.drawText(rect.adjusted(0, 0, 1, 2), Qt::AlignLeft | Qt::AlignBottom | Qt::TextWordWrap, title);
    }

    void paintAxis(const ChartGroup &group, const ChartLayout &chart)
    {
        double free = chart.ticks.left() - px(40);
        const QFontMetricsF metrics(m_layout.textFont);
        for (const ChartTick &tick : group.ticks) {
            const double x = chart.bars.left() + group.place(tick.at) * chart.bars.width();
            m_painter.setPen(QPen(m_theme.grid, px(1)));
            m_painter.drawLine(QLineF(x, chart.bars.top(), x, chart.bars.bottom()));
            const double half = metrics.horizontalAdvance(tick.text) / 2;
            if (chart.ticks.isEmpty() || x - half < free)
                continue;
            text({x - half, chart.ticks.top(), 2 * half, chart.ticks.height()}, tick.text, m_layout.textFont,
                 m_theme.text2, Qt::AlignHCenter | Qt::AlignTop);
            free = x + half + px(10);
        }
    }

    void paintRow(const ChartGroup &group, const ChartRow &row, const ChartLayout &chart, const QRectF &rect)
    {
        text({chart.labels.left(), rect.top(), chart.labels.width(), rect.height()}, row.label, m_layout.textFont,
             m_theme.text2, Qt::AlignRight | Qt::AlignVCenter);
        double end = chart.bars.left();
        const QRectF bar(chart.bars.left(), rect.center().y() - chart.barHeight / 2, chart.bars.width(),
                         chart.barHeight);
        if (row.measured)
            end = std::max(end, paintMeasured(group, row, bar));
        if (row.predicted)
            end = std::max(end, paintPredicted(group, row, bar));
        paintValue(group, row, chart, rect, end);
    }

    /// Solid; slimmer than the predicted outline, so that both are seen where they agree.
    double paintMeasured(const ChartGroup &group, const ChartRow &row, const QRectF &bar)
    {
        const BarPaint paint =
            barPaint(row.colour, m_theme.surface, m_data.stale ? BarOrigin::Stale : BarOrigin::Measured);
        const double inset = row.predicted ? bar.height() * 0.16 : 0;
        QRectF solid = bar.adjusted(0, inset, 0, -inset);
        solid.setWidth(group.place(row.measured->value) * bar.width());
        if (row.measured->value > 0)
            solid.setWidth(std::max(1.0, solid.width()));
        m_painter.fillRect(solid, paint.fill);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(paint.outline, px(1)));
        if (solid.width() > px(2))
            m_painter.drawRect(solid.adjusted(0.5, 0.5, -0.5, -0.5));
        return std::max(solid.right(), paintWhisker(group, *row.measured, bar));
    }

    double paintWhisker(const ChartGroup &group, const ChartValue &value, const QRectF &bar)
    {
        if (!value.p10 || !value.p90)
            return bar.left();
        const double left = bar.left() + group.place(*value.p10) * bar.width();
        const double right = bar.left() + group.place(*value.p90) * bar.width();
        if (right - left < px(2))
            return right;
        const double y = bar.center().y();
        const double cap = bar.height() * 0.2;
        // A light line under the dark one: the whisker is seen on any bar.
        for (const auto &[colour, width] : {std::pair(m_theme.surface, 4.0), std::pair(m_theme.text, 1.6)}) {
            m_painter.setPen(QPen(colour, px(width), Qt::SolidLine, Qt::FlatCap));
            m_painter.drawLine(QLineF(left, y, right, y));
            m_painter.drawLine(QLineF(left, y - cap, left, y + cap));
            m_painter.drawLine(QLineF(right, y - cap, right, y + cap));
        }
        return right;
    }

    double paintPredicted(const ChartGroup &group, const ChartRow &row, const QRectF &bar)
    {
        const BarPaint paint = barPaint(row.colour, m_theme.surface, BarOrigin::Predicted);
        QRectF hollow = bar;
        hollow.setWidth(group.place(row.predicted->value) * bar.width());
        if (!(row.predicted->value > 0))
            return bar.left();
        hollow.setWidth(std::max(px(2), hollow.width()));
        if (!row.measured)
            m_painter.fillRect(hollow, paint.fill);
        const double line = px(1.6);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(paint.outline, line, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        m_painter.drawRect(hollow.adjusted(line / 2, line / 2, -line / 2, -line / 2));
        return hollow.right();
    }

    /// The number behind the bar, and behind it the predicted one where it is another and there is room.
    void paintValue(const ChartGroup &group, const ChartRow &row, const ChartLayout &chart, const QRectF &rect,
                    double end)
    {
        QRectF room(end + px(7), rect.top(), chart.values.right() - end - px(7), rect.height());
        if (!row.shown()) {
            text(room, undefinedText(), m_layout.valueFont, m_theme.text3);
            return;
        }
        const QString value = valueText(group.metric, row.shown()->value);
        const bool old = row.measured && m_data.stale;
        text(room, value, m_layout.valueFont, old ? m_theme.text2 : m_theme.text);
        room.setLeft(room.left() + QFontMetricsF(m_layout.valueFont).horizontalAdvance(value) + px(8));
        if (!row.measured || !row.predicted)
            return;
        const QString prediction = valueText(group.metric, row.predicted->value);
        const QString note = tr("predicted %1").arg(prediction);
        if (prediction != value && QFontMetricsF(m_layout.textFont).horizontalAdvance(note) <= room.width())
            text(room, note, m_layout.textFont, m_theme.text2);
    }

    void paintLegend()
    {
        for (const LegendItem &item : m_layout.legendItems) {
            const QRectF swatch(item.rect.left(), item.rect.center().y() - px(5.5), px(18), px(11));
            if (item.kind == LegendItem::Kind::Whisker)
                paintWhiskerSwatch(swatch);
            else
                paintBarSwatch(swatch, item.kind);
            const QRectF words(swatch.right() + px(7), item.rect.top(), item.rect.right() - swatch.right() - px(7),
                               item.rect.height());
            text(words, item.text, m_layout.textFont,
                 item.kind == LegendItem::Kind::Stale ? m_theme.warn : m_theme.text2);
        }
    }

    void paintBarSwatch(const QRectF &swatch, LegendItem::Kind kind)
    {
        const BarOrigin origin = kind == LegendItem::Kind::Predicted ? BarOrigin::Predicted
                                 : kind == LegendItem::Kind::Stale   ? BarOrigin::Stale
                                                                     : BarOrigin::Measured;
        const BarPaint paint = barPaint(m_theme.training, m_theme.surface, origin);
        m_painter.fillRect(swatch, paint.fill);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(paint.outline, px(1.6)));
        m_painter.drawRect(swatch);
    }

    void paintWhiskerSwatch(const QRectF &swatch)
    {
        m_painter.setPen(QPen(m_theme.text, px(1.6)));
        m_painter.drawLine(QLineF(swatch.left(), swatch.center().y(), swatch.right(), swatch.center().y()));
        for (const double at : {swatch.left(), swatch.right()})
            m_painter.drawLine(QLineF(at, swatch.top() + px(2), at, swatch.bottom() - px(2)));
    }

    void paintBox(const QRectF &box)
    {
        m_painter.setRenderHint(QPainter::Antialiasing, true);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.surface2);
        m_painter.drawRoundedRect(box, px(6), px(6));
        m_painter.setRenderHint(QPainter::Antialiasing, false);
    }

    void paintSentences()
    {
        const auto wrapped = [&](const QRectF &rect, const QString &words, const QFont &font, const QColor &colour) {
            m_painter.setFont(font);
            m_painter.setPen(colour);
            m_painter.drawText(rect.adjusted(0, 0, 1, 2), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, words);
        };
        if (!m_layout.title.isEmpty())
            wrapped(m_layout.title, m_data.finding, m_layout.titleFont, m_theme.text);
        if (!m_layout.speedup.isEmpty()) {
            paintBox(m_layout.speedup);
            wrapped(m_layout.speedup.adjusted(px(18), px(18), -px(18), -px(10)), m_data.speedup, m_layout.speedupFont,
                    m_theme.text);
        }
        if (m_layout.conclusion.isEmpty())
            return;
        paintBox(m_layout.conclusion);
        const QRectF inner = m_layout.conclusion.adjusted(px(10), px(7), -px(10), -px(5));
        const QString words =
            m_data.speedup.isEmpty() ? m_data.finding : m_data.finding + QLatin1Char('\n') + m_data.speedup;
        wrapped(inner, words, m_layout.textFont, m_theme.text);
    }

    QPainter &m_painter;
    const ComparisonData &m_data;
    const ComparisonLayout &m_layout;
    const Theme &m_theme;
    double m_unit;
};

} // namespace

void paintComparisonData(QPainter &painter, const ComparisonData &data, const ComparisonLayout &layout,
                         const Theme &theme, std::optional<ChartPlace> hovered)
{
    painter.save();
    Picture(painter, data, layout, theme).paint(hovered);
    painter.restore();
}

void paintComparison(QPainter &painter, const QRectF &area, const ComparisonFrame &frame)
{
    if (!frame.theme || area.isEmpty())
        return;
    const ComparisonData data = comparisonData(frame);
    painter.fillRect(area, frame.theme->background);
    paintComparisonData(painter, data, comparisonLayout(data, area, frame.unit, frame.title), *frame.theme);
}

} // namespace shardscope

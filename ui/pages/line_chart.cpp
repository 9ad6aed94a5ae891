// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/line_chart.h"

#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/nice_step.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr double kTitle = 42; ///< up to two lines, design pixels
constexpr double kYTitle = 18;
constexpr double kBelow = 38; ///< ticks and name of the x axis
constexpr double kLeft = 62;  ///< ticks of the y axis
constexpr double kNameSize = 12.5;
constexpr double kNameLine = 16;
constexpr double kDot = 4.6;
constexpr double kMostTicks = 9; ///< of either axis

struct Range {
    double from = 0;
    double to = 1;
    bool logarithmic = true;

    [[nodiscard]] double share(double value) const
    {
        if (!logarithmic)
            return (value - from) / (to - from);
        return std::log2(std::max(value, from) / from) / std::log2(to / from);
    }
};

/// One name at the right end of a curve.
struct NamePlace {
    QString words;
    QColor colour;
    double y = 0;
};

class ChartLayout
{
public:
    ChartLayout(SheetWriter &writer, const LineChart &chart, const QRectF &area)
        : m_writer(writer), m_chart(chart), m_area(area)
    {
    }

    void lay()
    {
        const double title = m_writer.heightOf(m_chart.title, kTitleLetters, m_area.width());
        const double top = m_area.top() + std::clamp(title, px(20), px(kTitle)) + px(4);
        m_writer.paragraph({m_area.left(), m_area.top(), m_area.width(), px(kTitle)}, m_chart.title, kTitleLetters);
        findRanges();
        if (!m_any) {
            m_writer.paragraph({m_area.left(), top + px(20), m_area.width(), m_area.bottom() - top - px(20)},
                               m_chart.empty, {13, 400, theme().text2});
            return;
        }
        m_writer.text({m_area.left(), top, m_area.width(), px(kYTitle)}, m_chart.yTitle, {12, 400, theme().text2});
        m_plot = QRectF(QPointF(m_area.left() + px(kLeft), top + px(kYTitle + 8)),
                        QPointF(m_area.right() - nameWidth(), m_area.bottom() - px(kBelow)));
        layXAxis();
        layYAxis();
        layCrossings();
        for (const LineChart::Series &series : m_chart.series)
            laySeries(series);
        layNames();
    }

private:
    static constexpr double kTitleSize = 15;
    static constexpr double kCrossingLine = 18;
    static constexpr double kCrossingShare = 0.07; ///< of the height
    const SheetWriter::Letters kTitleLetters{kTitleSize, 600, {}};
    const SheetWriter::Letters kCrossingLetters{12.5, 600, {}};

    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    void findRanges()
    {
        double xFrom = 0;
        double xTo = 0;
        double yFrom = 0;
        double yTo = 0;
        for (const LineChart::Series &series : m_chart.series) {
            for (const LineChart::Point &point : series.points) {
                if (m_chart.logarithmic && !(point.y > 0))
                    continue;
                xFrom = m_any ? std::min(xFrom, point.x) : point.x;
                xTo = m_any ? std::max(xTo, point.x) : point.x;
                const double low = point.low > 0 ? std::min(point.low, point.y) : point.y;
                const double high = std::max(point.high, point.y);
                yFrom = m_any ? std::min(yFrom, low) : low;
                yTo = m_any ? std::max(yTo, high) : high;
                m_any = true;
            }
        }
        if (!m_any)
            return;
        m_x = {xFrom, std::max(xTo, 2 * xFrom), true};
        m_y = m_chart.logarithmic ? Range{yFrom / 1.25, std::max(yTo * 1.25, yFrom * 2), true}
                                  : Range{0, std::max(yTo, 1e-12) * 1.08, false};
        // The words of crossings stand below the curves.
        if (m_chart.logarithmic && !m_chart.crossings.empty())
            m_y.from /= std::pow(m_y.to / m_y.from, kCrossingShare);
    }

    [[nodiscard]] QPointF at(double x, double y) const
    {
        return {m_plot.left() + m_plot.width() * m_x.share(x), m_plot.bottom() - m_plot.height() * m_y.share(y)};
    }

    [[nodiscard]] double nameWidth() const
    {
        double width = 0;
        for (const LineChart::Series &series : m_chart.series)
            width = std::max(width, m_writer.widthOf(series.name, {kNameSize, 600, {}}));
        return width > 0 ? width + px(16) : px(12);
    }

    void layXAxis()
    {
        const double octaves = std::log2(m_x.to / m_x.from);
        const int every = std::max(1, static_cast<int>(std::ceil(octaves / (kMostTicks - 1) - 1e-9)));
        const double half = px(34);
        for (int i = 0; i <= octaves + 1e-9; i += every) {
            const double value = m_x.from * std::exp2(i);
            const QPointF foot = at(value, m_y.from);
            m_writer.rule(foot, {foot.x(), foot.y() + px(4)}, theme().text3);
            m_writer.rule({foot.x(), m_plot.top()}, foot, theme().grid);
            m_writer.text({foot.x() - half, foot.y() + px(4), 2 * half, px(16)}, shortNumber(value),
                          {12, 400, theme().text2}, Qt::AlignHCenter | Qt::AlignVCenter);
        }
        m_writer.rule(m_plot.bottomLeft(), m_plot.bottomRight(), theme().text3);
        m_writer.text({m_plot.left(), m_plot.bottom() + px(20), m_area.right() - m_plot.left(), px(17)}, m_chart.xTitle,
                      {12, 400, theme().text2});
    }

    /// "4096", "64k": whole powers of two stay readable.
    [[nodiscard]] static QString shortNumber(double value)
    {
        constexpr double kKibi = 1024;
        if (value >= kKibi * kKibi)
            return formatNumber(value / kKibi / kKibi) + QLatin1Char('M');
        return value >= 16 * kKibi ? formatNumber(value / kKibi) + QLatin1Char('k') : formatNumber(value);
    }

    void yTick(double value)
    {
        const QPointF place = at(m_x.from, value);
        if (place.y() < m_plot.top() - 1)
            return;
        m_writer.rule({m_plot.left(), place.y()}, {m_plot.right(), place.y()}, theme().grid);
        m_writer.text({m_area.left(), place.y() - px(9), px(kLeft - 7), px(18)}, m_chart.yText(value),
                      {12, 400, theme().text2}, Qt::AlignRight | Qt::AlignVCenter);
    }

    void layYAxis()
    {
        const double most = std::clamp(m_plot.height() / px(34), 2.0, kMostTicks);
        if (!m_y.logarithmic) {
            const double step = niceStep(m_y.to / most);
            for (int i = 0; i * step <= m_y.to; ++i)
                yTick(i * step);
            return;
        }
        if (m_chart.binary) {
            const double every = std::max(1.0, std::ceil(std::log2(m_y.to / m_y.from) / most));
            for (double power = std::ceil(std::log2(m_y.from)); power <= std::log2(m_y.to); power += every)
                yTick(std::exp2(power));
            return;
        }
        const double decades = std::log10(m_y.to / m_y.from);
        const std::vector<double> within = 6 * decades <= most   ? std::vector<double>{1, 1.5, 2, 3, 5, 7}
                                           : 3 * decades <= most ? std::vector<double>{1, 2, 5}
                                           : 2 * decades <= most ? std::vector<double>{1, 3}
                                                                 : std::vector<double>{1};
        for (double power = std::floor(std::log10(m_y.from)); power <= std::log10(m_y.to); ++power) {
            for (const double times : within) {
                const double value = times * std::pow(10, power);
                if (value >= m_y.from && value <= m_y.to)
                    yTick(value);
            }
        }
    }

    void layCrossings()
    {
        std::vector<LineChart::Crossing> shown;
        for (const LineChart::Crossing &crossing : m_chart.crossings) {
            if (crossing.x >= m_x.from && crossing.x <= m_x.to)
                shown.push_back(crossing);
        }
        std::vector<QRectF> words;
        for (const LineChart::Crossing &crossing : shown) {
            const QPointF place = at(crossing.x, crossing.y);
            m_writer.rule(place, {place.x(), m_plot.bottom()}, theme().text, 1.4, true);
            m_writer.sheet().dots.push_back(
                {place, px(8), DotShape::Circle, QColor(), theme().text, std::max(1.0, px(1.6))});
            // Words of the first to the left, of the last to the right: each keeps off the other's line.
            const double width = m_writer.widthOf(crossing.words, kCrossingLetters) + px(4);
            const bool last = !words.empty() && words.size() + 1 == shown.size();
            words.push_back({last ? place.x() + px(8) : place.x() - px(8) - width, m_plot.bottom() - px(24), width,
                             px(kCrossingLine)});
        }
        bool room = true;
        for (std::size_t i = 0; i < words.size(); ++i)
            room = room && words[i].left() > m_plot.left() && words[i].right() < m_area.right() &&
                   (i == 0 || !words[i].intersects(words[i - 1]));
        for (std::size_t i = 0; i < words.size(); ++i) {
            // Where curves that rise leave room.
            if (!room)
                words[i].moveTopLeft(
                    {m_plot.left() + px(6), m_plot.top() + px(kCrossingLine * static_cast<double>(i))});
            m_writer.text(words[i], shown[i].words, kCrossingLetters);
        }
    }

    [[nodiscard]] Qt::PenStyle penOf(LineChart::Origin origin) const
    {
        return origin == LineChart::Origin::Predicted ? Qt::DashLine : Qt::SolidLine;
    }

    void laySeries(const LineChart::Series &series)
    {
        const QColor colour = visibleOutline(series.colour, theme().surface);
        QPolygonF line;
        for (const LineChart::Point &point : series.points) {
            if (m_chart.logarithmic && !(point.y > 0))
                continue;
            const QPointF place = at(point.x, point.y);
            line << place;
            if (point.high > point.low && point.low > 0)
                m_writer.rule(at(point.x, point.low), at(point.x, point.high), colour, 1.8);
            if (series.origin != LineChart::Origin::Formula)
                m_writer.sheet().dots.push_back(
                    {place, px(kDot), series.shape,
                     series.origin == LineChart::Origin::Measured ? series.colour : theme().surface, colour,
                     std::max(1.0, px(1.7))});
            const double reach = px(8);
            if (!point.details.isEmpty())
                m_writer.spot({place.x() - reach, place.y() - reach, 2 * reach, 2 * reach}, point.details);
        }
        if (series.joined && line.size() > 1)
            m_writer.sheet().curves.push_back({line, colour, std::max(1.0, px(2.4)), penOf(series.origin)});
        if (!line.isEmpty() && !series.name.isEmpty())
            m_names.push_back({series.name, visibleOutline(series.colour, theme().surface, 4.5), line.last().y()});
    }

    /// At the ends of the curves, pushed apart where curves end close together.
    void layNames()
    {
        const double line = px(kNameLine);
        std::ranges::sort(m_names, {}, &NamePlace::y);
        for (std::size_t round = 0; round < 2 * m_names.size(); ++round) {
            for (std::size_t i = 0; i + 1 < m_names.size(); ++i) {
                const double lack = line - (m_names[i + 1].y - m_names[i].y);
                if (lack > 0) {
                    m_names[i].y -= lack / 2;
                    m_names[i + 1].y += lack / 2;
                }
            }
        }
        double floor = m_plot.bottom() - line / 2;
        for (std::size_t i = m_names.size(); i > 0; --i) {
            m_names[i - 1].y = std::min(m_names[i - 1].y, floor);
            floor = m_names[i - 1].y - line;
        }
        double ceiling = m_plot.top();
        for (NamePlace &name : m_names) {
            name.y = std::max(name.y, ceiling);
            ceiling = name.y + line;
            m_writer.text({m_plot.right() + px(10), name.y - line / 2, m_area.right() - m_plot.right() - px(10), line},
                          name.words, {kNameSize, 600, name.colour});
        }
    }

    SheetWriter &m_writer;
    const LineChart &m_chart;
    QRectF m_area;
    QRectF m_plot;
    Range m_x;
    Range m_y;
    bool m_any = false;
    std::vector<NamePlace> m_names;
};

} // namespace

void layLineChart(SheetWriter &writer, const LineChart &chart, const QRectF &area)
{
    ChartLayout(writer, chart, area).lay();
}

QColor curveColour(std::size_t index, const Theme &theme)
{
    const QColor colours[] = {theme.allReduce, theme.allGather, theme.reduceScatter, theme.ranks[7], theme.text2};
    return colours[index % std::size(colours)];
}

DotShape curveShape(std::size_t index)
{
    constexpr DotShape kShapes[] = {DotShape::Circle, DotShape::Square, DotShape::Diamond, DotShape::Triangle,
                                    DotShape::TriangleDown};
    return kShapes[index % std::size(kShapes)];
}

} // namespace shardscope

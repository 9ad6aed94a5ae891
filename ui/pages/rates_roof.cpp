// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/rates_parts.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr double kTitle = 22; ///< design pixels
constexpr double kYTitle = 18;
constexpr double kLeft = 84;  ///< ticks of the y axis
constexpr double kBelow = 40; ///< ticks and name of the x axis
constexpr double kLegend = 20;
constexpr double kDot = 4.4;
constexpr double kRing = 6.8;    ///< forward, seen around what lies on it
constexpr double kTogether = 11; ///< dots nearer than that share their words
constexpr qsizetype kMostNamed = 4;
constexpr qsizetype kFewNamed = 2;
constexpr std::size_t kMostDetails = 12; ///< lines of a spot
constexpr double kMostTicks = 6;
constexpr double kFewDecades = 1.8;
constexpr double kOverRoof = 0.12; ///< of the decades, and
constexpr double kLeastOverRoof = 0.05;

/// A logarithmic axis of whole decades' ticks.
struct Decades {
    double from = 1;
    double to = 10;

    [[nodiscard]] double share(double value) const { return std::log10(value / from) / std::log10(to / from); }
    void include(double value)
    {
        from = std::min(from, value);
        to = std::max(to, value);
    }
};

/// Dots upon each other, as of products of the same sizes.
struct Cluster {
    QPointF place;
    std::vector<const RoofDot *> dots;

    /// "Q, K, V and 3 more": what the products make; of one the whole formula.
    [[nodiscard]] QString words(qsizetype most) const
    {
        if (dots.size() == 1)
            return dots.front()->name;
        QStringList names;
        for (const RoofDot *dot : dots)
            names << dot->name.section(QStringLiteral(" = "), 0, 0);
        names.removeDuplicates();
        const qsizetype more = names.size() - most;
        const QString shown = names.mid(0, more > 1 ? most : names.size()).join(QStringLiteral(", "));
        return more > 1 ? tr("%1 and %2 more").arg(shown).arg(more) : shown;
    }
    [[nodiscard]] QString details() const
    {
        QStringList lines;
        for (std::size_t i = 0; i < std::min(dots.size(), kMostDetails); ++i)
            lines << dots[i]->details;
        if (dots.size() > kMostDetails)
            lines << tr("and %1 more").arg(dots.size() - kMostDetails);
        return lines.join(QLatin1Char('\n'));
    }
};

/// FLOP/s against FLOP for each byte, both logarithmic. The roof is what a rank's memory and arithmetic allow
/// (Williams, Waterman, Patterson 2009): the lesser of bandwidth times intensity and the peak.
class Roof
{
public:
    Roof(SheetWriter &writer, const RatesValues &values, const QRectF &area)
        : m_writer(writer), m_values(values), m_area(area), m_peak(values.peaks->peakFlops.at(values.peakDType)),
          m_bandwidth(values.peaks->memoryBytesPerSecond)
    {
        const double ridge = m_peak / m_bandwidth;
        m_x = {ridge / 3, ridge * 3};
        m_y = {m_peak / 3, m_peak};
        for (const RoofDot &dot : values.dots) {
            m_x.include(dot.intensity / 1.6);
            m_x.include(dot.intensity * 1.6);
            m_y.include(dot.perSecond / 2);
            m_y.include(dot.perSecond);
        }
        // The roof's words stand over it.
        m_y.to *= std::pow(10, kOverRoof * std::log10(m_y.to / m_y.from) + kLeastOverRoof);
        m_plot = QRectF(QPointF(area.left() + px(kLeft), area.top() + px(kTitle + kYTitle + kLegend + 4)),
                        QPointF(area.right() - px(10), area.bottom() - px(kBelow)));
    }

    void lay()
    {
        m_writer.text({m_area.left(), m_area.top(), m_area.width(), px(kTitle)},
                      tr("Products under the roof: work for each byte"), {14, 600, {}});
        m_writer.text({m_area.left(), m_area.top() + px(kTitle + kLegend), m_area.width(), px(kYTitle)},
                      tr("FLOP/s of a rank (log scale)"), {12, 400, theme().text2});
        layLegend(m_area.top() + px(kTitle));
        layAxes();
        findClusters();
        for (const Cluster &cluster : m_clusters)
            laySpot(cluster);
        layRoofLines();
        // What lies under others is drawn first, and larger.
        for (const bool forward : {true, false}) {
            for (const RoofDot &dot : m_values.dots) {
                if (isRing(dot) == forward)
                    drawDot(at(dot.intensity, dot.perSecond), dot);
            }
        }
        for (const Cluster &cluster : m_clusters)
            layName(cluster);
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }

    [[nodiscard]] QPointF at(double x, double y) const
    {
        return {m_plot.left() + m_plot.width() * m_x.share(x), m_plot.bottom() - m_plot.height() * m_y.share(y)};
    }

    static DotShape shapeOf(const RoofDot &dot)
    {
        if (dot.coreAttention)
            return DotShape::Diamond;
        return dot.pass == Pass::Forward ? DotShape::Circle : DotShape::Square;
    }

    static bool isRing(const RoofDot &dot) { return shapeOf(dot) == DotShape::Circle; }

    void drawDot(const QPointF &place, const RoofDot &dot)
    {
        const BarPaint paint = barPaint(theme().compute(dot.pass), theme().surface,
                                        m_values.predicted() ? BarOrigin::Predicted : BarOrigin::Measured);
        m_writer.sheet().dots.push_back(
            {place, px(isRing(dot) ? kRing : kDot), shapeOf(dot), paint.fill, paint.outline, std::max(1.0, px(1.6))});
    }

    void layLegend(double top)
    {
        double x = m_area.left();
        for (const auto &[shape, words] :
             {std::pair(DotShape::Circle, tr("forward")), std::pair(DotShape::Square, tr("backward")),
              std::pair(DotShape::Diamond, tr("core attention"))}) {
            const auto shown = std::ranges::find(m_values.dots, shape, shapeOf);
            if (shown == m_values.dots.end())
                continue;
            drawDot({x + px(kRing), top + px(kLegend) / 2}, *shown);
            x += px(2 * kRing + 5);
            x += m_writer.text({x, top, m_area.right() - x, px(kLegend)}, words, {12, 400, theme().text2}) + px(14);
        }
    }

    /// 1, 2 and 5 times powers of ten, powers alone, or some of them.
    [[nodiscard]] static std::vector<double> ticksOf(const Decades &axis)
    {
        const double decades = std::log10(axis.to / axis.from);
        const double every = std::max(1.0, std::ceil(decades / kMostTicks));
        const std::vector<double> within =
            decades < kFewDecades ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
        std::vector<double> ticks;
        for (double power = std::floor(std::log10(axis.from)); power <= std::log10(axis.to); power += every) {
            for (const double times : within) {
                const double value = times * std::pow(10, power);
                if (value >= axis.from && value <= axis.to)
                    ticks.push_back(value);
            }
        }
        return ticks;
    }

    void layAxes()
    {
        const SheetWriter::Letters letters{12, 400, theme().text2};
        for (const double value : ticksOf(m_x)) {
            const QPointF foot = at(value, m_y.from);
            m_writer.rule({foot.x(), m_plot.top()}, foot, theme().grid);
            m_writer.text({foot.x() - px(34), foot.y() + px(3), px(68), px(16)}, formatNumber(value), letters,
                          Qt::AlignHCenter | Qt::AlignVCenter);
        }
        for (const double value : ticksOf(m_y)) {
            const QPointF place = at(m_x.from, value);
            m_writer.rule(place, {m_plot.right(), place.y()}, theme().grid);
            m_writer.text({m_area.left(), place.y() - px(9), px(kLeft - 7), px(18)},
                          rateWords(RateKind::MatrixProducts, value), letters, Qt::AlignRight | Qt::AlignVCenter);
        }
        m_writer.rule(m_plot.bottomLeft(), m_plot.bottomRight(), theme().text3);
        m_writer.rule(m_plot.topLeft(), m_plot.bottomLeft(), theme().text3);
        m_writer.text({m_plot.left(), m_plot.bottom() + px(21), m_plot.width(), px(17)},
                      tr("FLOP for each byte read or written (log scale)"), letters);
    }

    /// Up along the memory's bandwidth, then flat.
    void layRoofLines()
    {
        const double ridge = m_peak / m_bandwidth;
        const double left = std::max(m_x.from, m_y.from / m_bandwidth);
        QPolygonF line;
        line << at(left, left * m_bandwidth) << at(ridge, m_peak) << at(m_x.to, m_peak);
        m_writer.sheet().curves.push_back({line, theme().text, std::max(1.0, px(2.2)), Qt::SolidLine});
        const SheetWriter::Letters letters{12, 600, {}};
        const QString peak = rateWords(RateKind::MatrixProducts, m_peak);
        const QString memory = rateWords(RateKind::MemoryBound, m_bandwidth);
        const double peakWidth = m_writer.widthOf(peak, letters) + px(2);
        const double roof = at(ridge, m_peak).y() - px(19);
        QRectF over(m_plot.right() - peakWidth, roof, peakWidth, px(16));
        if (isTaken(over))
            over.moveLeft(at(ridge, m_peak).x());
        m_taken.push_back(over);
        m_writer.text(over, peak, letters);
        // Left of the slope's upper half, where nothing can lie.
        const double x = std::sqrt(left * ridge);
        const double width = m_writer.widthOf(memory, letters) + px(2);
        const QPointF middle = at(x, x * m_bandwidth);
        const QRectF words(middle.x() - width - px(6), middle.y() - px(20), width, px(16));
        if (words.left() < m_plot.left() + px(2) || words.top() < m_plot.top())
            return;
        m_taken.push_back(words);
        m_writer.text(words, memory, letters);
    }

    void findClusters()
    {
        for (const RoofDot &dot : m_values.dots) {
            const QPointF place = at(dot.intensity, dot.perSecond);
            const auto near = std::ranges::find_if(m_clusters, [&](const Cluster &cluster) {
                const QPointF apart = cluster.place - place;
                return std::hypot(apart.x(), apart.y()) < px(kTogether) &&
                       cluster.dots.front()->coreAttention == dot.coreAttention;
            });
            if (near == m_clusters.end())
                m_clusters.push_back({place, {&dot}});
            else
                near->dots.push_back(&dot);
        }
    }

    void laySpot(const Cluster &cluster)
    {
        const double reach = px(9);
        const QRectF around(cluster.place.x() - reach, cluster.place.y() - reach, 2 * reach, 2 * reach);
        m_writer.spot(around, cluster.details());
        m_taken.push_back(around.adjusted(px(2), px(2), -px(2), -px(2)));
    }

    /// In few words where many have no room, and where there is none at all, under the mouse alone.
    void layName(const Cluster &cluster)
    {
        if (!layName(cluster, cluster.words(kMostNamed), false))
            layName(cluster, cluster.words(kFewNamed), true);
    }

    bool layName(const Cluster &cluster, const QString &name, bool anywhere)
    {
        const SheetWriter::Letters letters{12, 500, theme().text2};
        const double width = m_writer.widthOf(name, letters) + px(2);
        const double height = px(16);
        const QPointF &place = cluster.place;
        const double below = place.y() + px(10);
        std::vector<QPointF> corners{{place.x() + px(11), place.y() - height / 2},
                                     {place.x() - width / 2, below},
                                     {place.x() - px(11) - width, place.y() - height / 2}};
        if (anywhere) {
            // Never so far away that it could be another dot's.
            const double inside = std::min(place.x() - px(8), m_plot.right() - width - px(1));
            for (const double y : {below, place.y() - px(10) - height, below + height}) {
                for (const double x : {inside, place.x() - width + px(8)})
                    corners.emplace_back(x, y);
            }
        }
        for (const QPointF &corner : corners) {
            const QRectF words(corner, QSizeF(width, height));
            if (!isFree(words))
                continue;
            m_taken.push_back(words);
            m_writer.text(words, name, letters);
            return true;
        }
        return false;
    }

    [[nodiscard]] bool isTaken(const QRectF &words) const
    {
        return std::ranges::any_of(m_taken, [&](const QRectF &rect) { return rect.intersects(words); });
    }

    [[nodiscard]] bool isFree(const QRectF &words) const
    {
        const double ridge = m_peak / m_bandwidth;
        const double roof = at(ridge, m_peak).y();
        const bool underRoof = words.top() > roof + px(2) || words.bottom() < roof - px(2);
        // The slope, as far as the words reach.
        const double left = intensityAt(words.left());
        const double right = std::min(ridge, intensityAt(words.right()));
        const bool beside = left >= ridge || words.top() > at(left, left * m_bandwidth).y() + px(2) ||
                            words.bottom() < at(right, right * m_bandwidth).y() - px(2);
        return m_plot.contains(words) && underRoof && beside && !isTaken(words);
    }

    [[nodiscard]] double intensityAt(double x) const
    {
        return m_x.from * std::pow(m_x.to / m_x.from, (x - m_plot.left()) / m_plot.width());
    }

    SheetWriter &m_writer;
    const RatesValues &m_values;
    QRectF m_area;
    double m_peak;      ///< FLOP/s
    double m_bandwidth; ///< B/s
    QRectF m_plot;
    Decades m_x;
    Decades m_y;
    std::vector<Cluster> m_clusters;
    std::vector<QRectF> m_taken;
};

} // namespace

void layRoof(SheetWriter &writer, const RatesValues &values, const QRectF &area)
{
    Roof(writer, values, area).lay();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"
#include "ui/charts/number_format.h"
#include "ui/pages/gpu_card.h"
#include "ui/pages/hardware_parts.h"
#include "ui/translation.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace shardscope {

namespace {

constexpr double kLine = 19; ///< design pixels
constexpr double kBar = 14;
constexpr double kGap = 8;
constexpr double kWide = 520; ///< from here on bars and curves stand beside each other
constexpr double kColumnGap = 22;
constexpr double kCurve = 62;
constexpr double kMostCurve = 150;
constexpr double kAxis = 34; ///< the words left of a curve
constexpr int kMostGpuCurves = 8;

class Loads
{
public:
    Loads(SheetWriter &writer, const HardwareValues &values, const QRectF &room, double extra)
        : m_writer(writer), m_values(values), m_room(room)
    {
        const double curves = values.gpus() > 0 && room.width() < px(kWide) ? 2 : 1;
        m_curve = px(kCurve) + std::min(extra / curves, px(kMostCurve - kCurve));
    }

    double lay()
    {
        const QString caption = m_values.loads.empty() ? tr("How busy it is.")
                                : m_values.computing   ? tr("Now, while ranks compute.")
                                                       : tr("Last run.");
        const QString rest = m_values.loads.empty() ? tr("No run yet: load and free memory come every second of a run")
                             : m_values.computing   ? tr("A value every second")
                                                    : tr("The values are those of its last second, not of now");
        m_y = layCaption(m_writer, m_room, caption, rest) + px(4);
        if (m_values.loads.empty())
            return m_y;
        const LoadEvent &load = m_values.loads.back().load;
        const std::vector<std::function<void()>> parts = partsOf(load);
        // Beside each other where the room is wide, else one below the other.
        const bool wide = m_room.width() >= px(kWide);
        const auto columns = static_cast<double>(wide ? parts.size() : 1);
        const QRectF whole = m_room;
        const double gap = px(kColumnGap);
        const double top = m_y;
        double bottom = m_y;
        m_room.setWidth((whole.width() - (columns - 1) * gap) / columns);
        for (const std::function<void()> &part : parts) {
            part();
            bottom = std::max(bottom, m_y);
            if (!wide)
                continue;
            m_room.translate(m_room.width() + gap, 0);
            m_y = top;
        }
        return bottom;
    }

private:
    [[nodiscard]] std::vector<std::function<void()>> partsOf(const LoadEvent &load)
    {
        std::vector<std::function<void()>> parts{[this, &load] {
                                                     layCpu(load);
                                                     layOthers(load);
                                                     layMemory(load);
                                                 },
                                                 [this] { layCpuCurve(); }};
        if (const auto gpus = static_cast<int>(load.gpus.size()); gpus > 0)
            parts.emplace_back([this, gpus] { layGpuCurve(gpus); });
        return parts;
    }

    void layCpuCurve()
    {
        layCurve(tr("CPU, last %1 s: ranks solid, everything dashed").arg(kHistorySeconds), [this](QRectF frame) {
            layLine(
                frame, [](const LoadEvent &l) { return l.cpuPercent; }, secondColour(), Qt::DashLine);
            layLine(
                frame, [](const LoadEvent &l) { return l.ranksPercent; }, colour(), Qt::SolidLine);
        });
    }

    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] const Theme &theme() const { return m_writer.theme(); }
    [[nodiscard]] QColor ink() const { return m_values.computing ? theme().text : theme().text3; }
    [[nodiscard]] QColor colour() const { return m_values.computing ? theme().accent : theme().text3; }
    [[nodiscard]] QColor secondColour() const { return m_values.computing ? theme().text2 : theme().text3; }

    /// Words, `indent` pixels from the left, and what they say to a screen reader.
    void words(const QString &text, int weight = 400, double indent = 0)
    {
        const SheetWriter::Letters letters{12.5, weight, ink()};
        const double width = m_room.width() - indent;
        const double height = std::max(px(kLine), m_writer.heightOf(text, letters, width) + 1);
        const QRectF lines(m_room.left() + indent, m_y, width, height);
        m_writer.paragraph(lines, text, letters);
        m_writer.spot(lines, text);
        m_y += height;
    }

    [[nodiscard]] static QString percent(double value) { return QString::number(std::lround(value)); }

    void layCpu(const LoadEvent &load)
    {
        words(tr("CPU %1 %: ranks %2 %, everything else %3 %")
                  .arg(percent(load.cpuPercent), percent(load.ranksPercent), percent(othersPercent(load))));
        const QRectF bar(m_room.left(), m_y, m_room.width(), px(kBar));
        const double ranks = std::clamp(load.ranksPercent / 100, 0.0, 1.0) * bar.width();
        const double others = std::min(bar.width() - ranks, othersPercent(load) / 100 * bar.width());
        m_writer.box({.rect = bar, .fill = theme().surface2});
        if (ranks > 0)
            m_writer.box({.rect = {bar.left(), bar.top(), ranks, bar.height()}, .fill = colour()});
        if (others > 0)
            m_writer.box({.rect = {bar.left() + ranks, bar.top(), others, bar.height()},
                          .fill = theme().surface,
                          .hatch = Hatch::Diagonal,
                          .hatchColour = m_values.computing ? theme().warn : theme().text3,
                          .spacing = px(6)});
        m_writer.box({.rect = bar, .outline = theme().border, .line = std::max(1.0, px(1))});
        m_y = bar.bottom() + px(3);
    }

    void layOthers(const LoadEvent &load)
    {
        const double others = othersPercent(load);
        if (others < kDisturbingPercent) {
            m_y += px(kGap);
            return;
        }
        const double side = px(15);
        const QColor warn = m_values.computing ? theme().warn : theme().text3;
        m_writer.mark(SheetMark::Warning, {m_room.left(), m_y + px(1), side, side}, warn);
        const QString text = m_values.computing ? tr("Something else uses %1 %: times are disturbed")
                                                : tr("Something else used %1 %: times were disturbed");
        words(text.arg(percent(others)), 600, side + px(6));
        m_y += px(kGap);
    }

    void layMemory(const LoadEvent &load)
    {
        if (load.freeBytes <= 0)
            return;
        const std::int64_t all = m_values.topology ? memoryIn(*m_values.topology) : -1;
        const QString free = formatBytes(static_cast<double>(load.freeBytes));
        if (all < load.freeBytes) {
            words(tr("Free memory %1, without swapping").arg(free));
            m_y += px(kGap);
            return;
        }
        words(tr("Free memory %1 of %2").arg(free, formatBytes(static_cast<double>(all))));
        layMeter(m_writer, {m_room.left(), m_y, m_room.width(), px(kBar) * 0.6},
                 static_cast<double>(load.freeBytes) / static_cast<double>(all), colour());
        m_y += px(kBar * 0.6 + kGap);
    }

    void layGpuCurve(int gpus)
    {
        if (gpus > kMostGpuCurves) {
            layCurve(tr("GPUs, mean of all, last %1 s: busy").arg(kHistorySeconds),
                     [this](QRectF frame) { layLine(frame, meanBusy, colour(), Qt::SolidLine); });
            return;
        }
        layCurve(tr("GPUs, last %1 s: busy, a line each").arg(kHistorySeconds), [this, gpus](QRectF frame) {
            for (int gpu = 0; gpu < gpus; ++gpu) {
                const auto place = static_cast<std::size_t>(gpu);
                const QColor own = visibleOutline(theme().rank(gpu, gpus), theme().surface);
                layLine(
                    frame,
                    [place](const LoadEvent &l) {
                        return place < l.gpus.size() ? std::max(0, l.gpus[place].busyPercent) : 0;
                    },
                    m_values.computing ? own : theme().text3, Qt::SolidLine);
            }
        });
    }

    static double meanBusy(const LoadEvent &load)
    {
        double sum = 0;
        for (const GpuLoad &gpu : load.gpus)
            sum += std::max(0, gpu.busyPercent);
        return load.gpus.empty() ? 0 : sum / static_cast<double>(load.gpus.size());
    }

    template <typename Lines>
    void layCurve(const QString &title, Lines lines)
    {
        words(title);
        const QRectF frame(m_room.left() + px(kAxis), m_y + px(6), m_room.width() - px(kAxis), m_curve);
        m_writer.box({.rect = frame, .fill = theme().surface, .outline = theme().border, .line = std::max(1.0, px(1))});
        m_writer.rule({frame.left(), frame.center().y()}, {frame.right(), frame.center().y()}, theme().grid);
        const SheetWriter::Letters small{11, 400, theme().text3};
        const Qt::Alignment right = Qt::AlignRight | Qt::AlignVCenter;
        const double label = px(kAxis - 4);
        m_writer.text({m_room.left(), frame.top() - px(6), label, px(14)}, tr("100 %"), small, right);
        m_writer.text({m_room.left(), frame.bottom() - px(10), label, px(14)}, tr("0 %"), small, right);
        lines(frame);
        m_y = frame.bottom() + px(kGap);
    }

    /// The newest sample stands at the right edge.
    template <typename Percent>
    void layLine(const QRectF &frame, Percent percentOf, const QColor &ink, Qt::PenStyle style)
    {
        const double newest = m_values.loads.back().seconds;
        const auto point = [&](const LoadSample &sample) {
            return QPointF(frame.right() - (newest - sample.seconds) / kHistorySeconds * frame.width(),
                           frame.bottom() - std::clamp(percentOf(sample.load) / 100.0, 0.0, 1.0) * frame.height());
        };
        for (const auto &[first, end] : stretches(m_values.loads)) {
            Sheet::Curve curve;
            for (std::size_t i = first; i < end; ++i)
                curve.points << point(m_values.loads[i]);
            if (curve.points.size() == 1) {
                m_writer.sheet().dots.push_back(
                    {.centre = curve.points.front(), .radius = px(2), .fill = ink, .outline = ink});
                continue;
            }
            curve.colour = ink;
            curve.width = px(1.8);
            curve.style = style;
            m_writer.sheet().curves.push_back(curve);
        }
    }

    SheetWriter &m_writer;
    const HardwareValues &m_values;
    QRectF m_room;
    double m_curve = 0;
    double m_y = 0;
};

} // namespace

double layLoads(SheetWriter &writer, const HardwareValues &values, const QRectF &room, double extra)
{
    return Loads(writer, values, room, extra).lay();
}

} // namespace shardscope

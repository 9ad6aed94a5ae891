// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/hardware_sheet.h"

#include "ui/pages/fitted_sheet.h"
#include "ui/pages/hardware_parts.h"
#include "ui/pages/page_heading.h"
#include "ui/translation.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr QSizeF kLeast(940, 560); ///< design pixels
constexpr double kGap = 26;        ///< between the machine and what stands beside it
constexpr double kNarrow = 270;    ///< of a few paths
constexpr double kMatrixCell = 46; ///< of the paths beside the machine: label and cells
constexpr double kMatrixLabel = 50;
constexpr double kSmallestUnit = 0.3;
constexpr double kShrink = 0.985;
constexpr double kBetween = 14;
constexpr double kMostBetween = 30;
// Who gets how much of what the page has left over: at most all of it.
constexpr double kBetweenShare = 0.15;
constexpr double kCurvesShare = 0.4;
constexpr double kSourcesShare = 0.45;
constexpr double kSourcesShareInFiles = 0.85; ///< where there are no curves

/// Of GPUs of several kinds the drawing has no room for each name.
QString gpuNames(const Topology &topology)
{
    QStringList parts;
    for (std::size_t i = 0; i < topology.gpus.size();) {
        std::size_t end = i + 1;
        while (end < topology.gpus.size() && topology.gpus[end].name == topology.gpus[i].name)
            ++end;
        const QString name = QString::fromStdString(topology.gpus[i].name);
        parts << (end - i > 1 ? tr("GPU %1 to %2: %3").arg(i).arg(end - 1).arg(name)
                              : tr("GPU %1: %2").arg(i).arg(name));
        i = end;
    }
    return parts.join(QStringLiteral("; "));
}

class HardwareLayout
{
public:
    HardwareLayout(SheetWriter &writer, const HardwareValues &values, const QRectF &area, double rest)
        : m_writer(writer), m_values(values), m_area(area), m_rest(px(rest))
    {
    }

    double lay()
    {
        double y = pageHeading(m_writer, m_area, hardwareFinding(m_values), hardwareSetting(m_values)) + px(10);
        if (m_values.origin != HardwareValues::Origin::None)
            y = layMachine(y) + px(kBetween) + std::min(px(kMostBetween), m_rest * kBetweenShare);
        if (!m_values.predicted.name.empty()) {
            if (m_values.origin != HardwareValues::Origin::None) {
                m_writer.rule({m_area.left(), y}, {m_area.right(), y}, m_writer.theme().border);
                y += px(10);
            }
            y = layPredicted(m_writer, m_values, below(y),
                             m_rest * (m_values.live ? kSourcesShare : kSourcesShareInFiles));
        }
        return y - m_area.top();
    }

private:
    [[nodiscard]] double px(double design) const { return m_writer.px(design); }
    [[nodiscard]] QRectF below(double y) const { return {m_area.left(), y, m_area.width(), m_area.bottom() - y}; }

    [[nodiscard]] double besideWidth() const
    {
        const auto gpus = static_cast<int>(m_values.gpus());
        return gpus < 2 || gpus > kMostGpusInMatrix ? 0 : px(std::max(kNarrow, kMatrixLabel + kMatrixCell * gpus));
    }

    double layMachine(double top)
    {
        QStringList rest;
        rest << m_values.title << (m_values.topology ? m_values.source : m_values.whyNot);
        rest.removeAll(QString());
        double y = layCaption(m_writer, below(top), m_values.machine + QLatin1Char(':'),
                              rest.join(m_values.topology ? QStringLiteral("; ") : QStringLiteral(". ")));
        if (m_values.gpus() > 0) {
            const SheetWriter::Letters small{12.5, 400, m_writer.theme().text2};
            const QString names = gpuNames(*m_values.topology);
            const double height = m_writer.heightOf(names, small, m_area.width()) + 1;
            m_writer.paragraph({m_area.left(), y, m_area.width(), height}, names, small);
            y += height;
        }
        y += px(6);
        const double beside = besideWidth();
        const double width = m_area.width() - (beside > 0 ? beside + px(kGap) : 0);
        double drawn = layDrawing({m_area.left(), y, width, 0});
        // Without a matrix the kinds of paths are a few lines.
        if (m_values.gpus() > kMostGpusInMatrix)
            drawn = layPaths(m_writer, *m_values.topology, {m_area.left(), drawn + px(12), width, 0});
        if (m_values.live)
            drawn = layLoads(m_writer, m_values, {m_area.left(), drawn + px(12), width, 0}, m_rest * kCurvesShare);
        if (beside <= 0)
            return drawn;
        return std::max(drawn, layPaths(m_writer, *m_values.topology, {m_area.right() - beside, y, beside, 0}));
    }

    double layDrawing(const QRectF &room)
    {
        double y = room.top();
        if (m_values.topology)
            y = layTopology(m_writer, m_values, room) + px(10);
        return layRanks(m_writer, m_values, {room.left(), y, room.width(), 0});
    }

    SheetWriter &m_writer;
    const HardwareValues &m_values;
    QRectF m_area;
    double m_rest;
};

} // namespace

double layCaption(SheetWriter &writer, const QRectF &room, const QString &bold, const QString &rest)
{
    const SheetWriter::Letters letters{13.5, 400, {}};
    const QString words = rest.isEmpty() ? bold : bold + QLatin1Char(' ') + rest;
    const auto lead = static_cast<int>(bold.size());
    const double height = writer.heightOf(words, letters, room.width(), lead) + 1;
    writer.paragraph({room.left(), room.top(), room.width(), height}, words, letters, lead);
    writer.spot({room.left(), room.top(), room.width(), height}, words);
    return room.top() + height;
}

Sheet hardwareSheet(const HardwareValues &values, const QRectF &area, const Theme &theme, double unit)
{
    double fitting = fittingUnit(area, {kLeast.width(), 1}, unit);
    double height = 0;
    for (;;) {
        SheetWriter writer(theme, fitting);
        height = HardwareLayout(writer, values, area, 0).lay();
        if (height <= area.height() || fitting <= kSmallestUnit)
            break;
        // The height goes faster than the unit, for fewer lines break: half of what is wanted at a time. It is drawn
        // while ranks compute, so it may not take long.
        fitting *= std::clamp(std::sqrt(area.height() / height), 0.7, kShrink);
    }
    SheetWriter filled(theme, fitting);
    HardwareLayout(filled, values, area, std::max(0.0, area.height() - height) / fitting).lay();
    return std::move(filled.sheet());
}

PagePicture hardwarePicture(const HardwareValues &values)
{
    return pictureOf(values, hardwareSheet, hardwareFinding(values), hardwareProvenance(values), kLeast);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include "ui/timeline/timeline_plot.h"

#include <QPainter>
#include <QPicture>

namespace shardscope {
namespace {

/// QCustomPlot paints only through its own painter class, which opens a device of its own; a recorded picture carries
/// the drawing, still as vectors, into any painter and area.
QPicture recordedPlot(TimelinePlot &plot, const QSize &size)
{
    QPicture picture;
    QCPPainter recorder(&picture);
    recorder.setMode(QCPPainter::pmVectorized);
    recorder.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&recorder, size.width(), size.height());
    recorder.end();
    return picture;
}

bool isVectorDevice(const QPainter &painter)
{
    const QPaintEngine *engine = painter.paintEngine();
    return engine && engine->type() != QPaintEngine::Raster;
}

} // namespace

void paintTimeline(QPainter &painter, const QRectF &area, const TimelineFrame &frame)
{
    if (!frame.run || !frame.theme || area.isEmpty())
        return;
    TimelineStyle style{*frame.theme, frame.unit, isVectorDevice(painter)};
    // Not owned: the frame's run outlives this call.
    const std::shared_ptr<const Run> run(std::shared_ptr<const Run>(), frame.run);
    TimelinePlot plot;
    plot.setStyle(style);
    plot.setContent(timelineContent(run, frame.stale));
    plot.setView(wholeView(static_cast<double>(plot.content().data.durationNs)));
    const QSize size = area.size().toSize();
    plot.arrange(size);
    painter.save();
    painter.translate(area.topLeft());
    const QPicture picture = recordedPlot(plot, size);
    // Qt plays a picture in inches; ours is in the painter's own pixels, whatever the device's resolution.
    painter.scale(static_cast<double>(picture.logicalDpiX()) / painter.device()->logicalDpiX(),
                  static_cast<double>(picture.logicalDpiY()) / painter.device()->logicalDpiY());
    painter.drawPicture(0, 0, picture);
    painter.restore();
}

} // namespace shardscope

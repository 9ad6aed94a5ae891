// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_painter.h"

#include "ui/timeline/timeline_plot.h"

#include <QPainter>

namespace shardscope {
namespace {

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
    plot.setContent(timelineContent(run, frame.stale, frame.choice));
    plot.setBackground(QBrush(frame.theme->background));
    plot.setView(wholeView(static_cast<double>(plot.content().data.durationNs)));
    const QSize size = area.size().toSize();
    plot.arrange(size);
    painter.save();
    painter.translate(area.topLeft());
    plot.paintOn(painter, size);
    painter.restore();
}

} // namespace shardscope

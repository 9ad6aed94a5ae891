// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks are on one host, and which links leave it.
#include "ui/diagram/scene_layers.h"

#include <QPainter>

namespace shardscope {

QPen linkPen(const QColor &colour, double width, bool betweenHosts)
{
    QPen pen(colour, width);
    if (betweenHosts) {
        pen.setWidthF(1.5 * width);
        pen.setDashPattern({1.6, 1.1});
        pen.setCapStyle(Qt::FlatCap);
    }
    return pen;
}

void paintHosts(QPainter &painter, const DiagramLayout &layout, const Theme &theme)
{
    const double u = layout.metrics.u;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.text3, 1.4 * u));
    for (const HostBox &host : layout.hostBoxes)
        painter.drawRoundedRect(host.box, 10 * u, 10 * u);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace shardscope

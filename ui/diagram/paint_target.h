// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPaintEngine>
#include <QPainter>
#include <cmath>

namespace shardscope {

/// Whether a widget paints onto its own screen's pixels, so that an image kept for them serves. A picture of the window
/// comes through a scaled painter or as vectors: there a kept image would be blurred.
[[nodiscard]] inline bool paintsOnScreen(const QPainter &painter, qreal pixelRatio)
{
    const QTransform transform = painter.deviceTransform();
    const auto same = [&](qreal scale) { return std::abs(scale - pixelRatio) < 1e-6; };
    const QPaintEngine *engine = painter.paintEngine();
    return engine && engine->type() == QPaintEngine::Raster && same(transform.m11()) && same(transform.m22());
}

} // namespace shardscope

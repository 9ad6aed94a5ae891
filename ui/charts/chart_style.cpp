// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_style.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

double luminance(const QColor &colour)
{
    const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

QColor grey(const QColor &colour)
{
    const int value = qGray(colour.rgb());
    return QColor(value, value, value);
}

} // namespace

QColor mixed(const QColor &base, const QColor &over, double share)
{
    const auto channel = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return QColor(channel(base.red(), over.red()), channel(base.green(), over.green()),
                  channel(base.blue(), over.blue()));
}

double contrastRatio(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor visibleOutline(const QColor &colour, const QColor &surface, double ratio)
{
    const QColor far = luminance(surface) > 0.18 ? QColor(Qt::black) : QColor(Qt::white);
    QColor outline = colour;
    for (double share = 0.1; contrastRatio(outline, surface) < ratio && share <= 1; share += 0.1)
        outline = mixed(colour, far, share);
    return outline;
}

BarPaint barPaint(const QColor &colour, const QColor &surface, BarOrigin origin)
{
    switch (origin) {
    case BarOrigin::Predicted:
        return {mixed(surface, colour, 0.16), visibleOutline(colour, surface)};
    case BarOrigin::Stale: {
        const QColor pale = mixed(surface, grey(colour), 0.45);
        return {pale, visibleOutline(pale, surface, 2)};
    }
    case BarOrigin::Measured:
        break;
    }
    return {colour, visibleOutline(colour, surface)};
}

} // namespace shardscope

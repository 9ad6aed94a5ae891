// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

QColor hex(QRgb rgb)
{
    return QColor::fromRgb(rgb);
}

Theme makeLight()
{
    Theme t;
    t.id = QStringLiteral("light");
    t.background = hex(0xF4F6F9), t.surface = hex(0xFFFFFF), t.surface2 = hex(0xEDF1F6);
    t.border = hex(0xCBD3DE), t.grid = hex(0xE3E8EF);
    t.text = hex(0x1B2430), t.text2 = hex(0x4A5768), t.text3 = hex(0x6B778A);
    t.accent = hex(0x0B57D0), t.onAccent = hex(0xFFFFFF);
    t.ok = hex(0x146C43), t.warn = hex(0x8A5A00), t.error = hex(0xB3261E);
    t.ranks = {hex(0x0072B2), hex(0xE69F00), hex(0x56B4E9), hex(0xD55E00),
               hex(0xF0E442), hex(0x2B2F36), hex(0x009E73), hex(0xCC79A7)};
    t.forwardCompute = hex(0xB6C1CF), t.backwardCompute = hex(0x475569);
    t.allReduce = hex(0xD55E00), t.allGather = hex(0x0072B2), t.reduceScatter = hex(0x009E73);
    t.training = hex(0x0072B2), t.prefill = hex(0xE69F00), t.decode = hex(0xF4C86A);
    return t;
}

Theme makeDark()
{
    Theme t = makeLight();
    t.id = QStringLiteral("dark");
    t.background = hex(0x0E1218), t.surface = hex(0x161C25), t.surface2 = hex(0x1E2632);
    t.border = hex(0x334052), t.grid = hex(0x263140);
    t.text = hex(0xE8EDF4), t.text2 = hex(0xA7B3C4), t.text3 = hex(0x7F8CA0);
    t.accent = hex(0x7CB7FF), t.onAccent = hex(0x0B1220);
    t.ok = hex(0x6FDCA5), t.warn = hex(0xFFCC66), t.error = hex(0xFFB4AB);
    t.ranks[5] = hex(0xF5F7FA);
    t.forwardCompute = hex(0x475569), t.backwardCompute = hex(0xB6C1CF);
    t.allReduce = hex(0xFF7F3F), t.allGather = hex(0x3D9BE0), t.reduceScatter = hex(0x2BC795);
    t.training = hex(0x3D9BE0), t.prefill = hex(0xF2B134), t.decode = hex(0xF9DC9A);
    return t;
}

Theme makeProjector()
{
    Theme t = makeLight();
    t.id = QStringLiteral("projector");
    t.background = hex(0xFFFFFF), t.surface = hex(0xFFFFFF), t.surface2 = hex(0xF2F2F2);
    t.border = hex(0x8A94A3), t.grid = hex(0xD0D5DC);
    t.text = hex(0x000000), t.text2 = hex(0x1B2430), t.text3 = hex(0x4A5768);
    t.forwardCompute = hex(0x9AA7B8), t.backwardCompute = hex(0x475569);
    return t;
}

/// W3C relative luminance: contrast is judged on it, not on HSV value.
double luminance(const QColor &colour)
{
    const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(double a, double b)
{
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

} // namespace

const Theme &Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &Theme::dark()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme &Theme::projector()
{
    static const Theme theme = makeProjector();
    return theme;
}

const Theme &Theme::byId(const QString &id)
{
    if (id == dark().id)
        return dark();
    return id == projector().id ? projector() : light();
}

QColor Theme::rank(int rank, int ranks_) const
{
    if (ranks_ <= static_cast<int>(ranks.size()))
        return ranks[static_cast<std::size_t>(std::clamp(rank, 0, static_cast<int>(ranks.size()) - 1))];
    // Beyond eight hues nobody tells ranks apart: one hue, lightness runs with the rank, away from the background.
    const double share = static_cast<double>(std::clamp(rank, 0, ranks_ - 1)) / (ranks_ - 1);
    const bool onDark = luminance(surface) < 0.2;
    const double lightness = onDark ? 0.82 - 0.40 * share : 0.70 - 0.45 * share;
    return QColor::fromHslF(0.567f, onDark ? 0.70f : 0.62f, static_cast<float>(lightness));
}

QColor Theme::compute(Pass pass) const
{
    return pass == Pass::Forward || pass == Pass::Recompute ? forwardCompute : backwardCompute;
}

QColor Theme::collective(CollectiveOp op) const
{
    switch (op) {
    case CollectiveOp::AllReduce:
    case CollectiveOp::Reduce:
        return allReduce;
    case CollectiveOp::ReduceScatter:
        return reduceScatter;
    default:
        return allGather;
    }
}

QColor Theme::phase(Phase phase) const
{
    switch (phase) {
    case Phase::Training:
        return training;
    case Phase::Prefill:
        return prefill;
    case Phase::Decode:
        break;
    }
    return decode;
}

QColor Theme::textOn(const QColor &fill)
{
    static const QColor dark(0x03, 0x05, 0x08); // lighter, and fills of middle luminance would miss 4.5
    const double l = luminance(fill);
    return contrast(l, luminance(dark)) >= contrast(l, 1.0) ? dark : QColor(Qt::white);
}

QFont uiFont(double pixels, double unit, int weight)
{
    QFont font(QStringLiteral("Inter"));
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels * unit))));
    font.setWeight(static_cast<QFont::Weight>(weight));
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

} // namespace shardscope

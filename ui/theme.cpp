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
    return {
        .id = QStringLiteral("light"),
        .background = hex(0xF4F6F9),
        .surface = hex(0xFFFFFF),
        .surface2 = hex(0xEDF1F6),
        .border = hex(0xCBD3DE),
        .grid = hex(0xE3E8EF),
        .text = hex(0x1B2430),
        .text2 = hex(0x4A5768),
        .text3 = hex(0x6B778A),
        .accent = hex(0x0B57D0),
        .onAccent = hex(0xFFFFFF),
        .ok = hex(0x146C43),
        .warn = hex(0x8A5A00),
        .error = hex(0xB3261E),
        .ranks = {hex(0x0072B2), hex(0xE69F00), hex(0x56B4E9), hex(0xD55E00), hex(0xF0E442), hex(0x2B2F36),
                  hex(0x009E73), hex(0xCC79A7)},
        .forwardCompute = hex(0xB6C1CF),
        .backwardCompute = hex(0x475569),
        .allReduce = hex(0xD55E00),
        .allGather = hex(0x0072B2),
        .reduceScatter = hex(0x009E73),
        .training = hex(0x0072B2),
        .prefill = hex(0xE69F00),
        .decode = hex(0xF4C86A),
    };
}

Theme makeDark()
{
    return {
        .id = QStringLiteral("dark"),
        .background = hex(0x0E1218),
        .surface = hex(0x161C25),
        .surface2 = hex(0x1E2632),
        .border = hex(0x334052),
        .grid = hex(0x263140),
        .text = hex(0xE8EDF4),
        .text2 = hex(0xA7B3C4),
        .text3 = hex(0x7F8CA0),
        .accent = hex(0x7CB7FF),
        .onAccent = hex(0x0B1220),
        .ok = hex(0x6FDCA5),
        .warn = hex(0xFFCC66),
        .error = hex(0xFFB4AB),
        .ranks = {hex(0x0072B2), hex(0xE69F00), hex(0x56B4E9), hex(0xD55E00), hex(0xF0E442), hex(0xF5F7FA),
                  hex(0x009E73), hex(0xCC79A7)},
        .forwardCompute = hex(0x475569),
        .backwardCompute = hex(0xB6C1CF),
        .allReduce = hex(0xFF7F3F),
        .allGather = hex(0x3D9BE0),
        .reduceScatter = hex(0x2BC795),
        .training = hex(0x3D9BE0),
        .prefill = hex(0xF2B134),
        .decode = hex(0xF9DC9A),
    };
}

/// Light, with the contrast that a projector in a lit room needs.
Theme makeProjector()
{
    Theme theme = makeLight();
    theme.id = QStringLiteral("projector");
    theme.background = hex(0xFFFFFF);
    theme.surface2 = hex(0xF2F2F2);
    theme.border = hex(0x8A94A3);
    theme.grid = hex(0xD0D5DC);
    theme.text = hex(0x000000);
    theme.text2 = hex(0x1B2430);
    theme.text3 = hex(0x4A5768);
    theme.forwardCompute = hex(0x9AA7B8);
    return theme;
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

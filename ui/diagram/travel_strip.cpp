// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/number_format.h"
#include "ui/diagram/layout_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {
namespace {

/// What may travel, by the role of the tensors that collectives move.
enum class Cargo { Activations, ActivationGradients, WeightGradients, Weights, Statistics };
constexpr std::size_t kCargoCount = 5;

Cargo cargoOf(TensorRole role)
{
    switch (role) {
    case TensorRole::Weight:
    case TensorRole::Bias:
    case TensorRole::OptimizerState:
        return Cargo::Weights;
    case TensorRole::Gradient:
        return Cargo::ActivationGradients;
    case TensorRole::WeightGradient:
        return Cargo::WeightGradients;
    case TensorRole::Statistic:
        return Cargo::Statistics;
    case TensorRole::Activation:
    case TensorRole::KvCache:
        break;
    }
    return Cargo::Activations;
}

QString cargoName(Cargo cargo)
{
    switch (cargo) {
    case Cargo::Activations:
        return Words::tr("activations");
    case Cargo::ActivationGradients:
        return Words::tr("their gradients");
    case Cargo::WeightGradients:
        return Words::tr("weight gradients");
    case Cargo::Weights:
        return Words::tr("weights");
    case Cargo::Statistics:
        break;
    }
    return Words::tr("statistics");
}

struct Load {
    int messages = 0;
    std::int64_t bytes = 0;
    bool now = false;
};
using Loads = std::array<Load, kCargoCount>;

/// The share of one group's message, by elements.
std::int64_t bytesOfCargo(const Plan &plan, const Step &step, Cargo cargo)
{
    double all = 0;
    double wanted = 0;
    for (const TensorId id : step.inputs) {
        const auto elements = static_cast<double>(plan.tensor(id).elements());
        all += elements;
        wanted += cargoOf(plan.tensor(id).role) == cargo ? elements : 0;
    }
    return all > 0 ? std::llround(static_cast<double>(step.collective->payloadBytes) * wanted / all) : 0;
}

Loads loadsOf(const Plan &plan, Pass pass, int shownStep)
{
    Loads loads;
    for (const Step &step : plan.steps) {
        if (!step.collective || step.pass != pass)
            continue;
        for (std::size_t i = 0; i < kCargoCount; ++i) {
            const std::int64_t bytes = bytesOfCargo(plan, step, static_cast<Cargo>(i));
            loads[i].messages += bytes > 0;
            loads[i].bytes += bytes;
            loads[i].now |= bytes > 0 && step.id == shownStep;
        }
    }
    return loads;
}

bool everTravels(const Plan &plan, Cargo cargo)
{
    return std::ranges::any_of(
        plan.steps, [&](const Step &step) { return step.collective && bytesOfCargo(plan, step, cargo) > 0; });
}

QString chipText(Cargo cargo, const Load &load)
{
    if (load.messages == 0)
        return cargoName(cargo) + QStringLiteral(" –");
    return QStringLiteral("%1 %2× · %3")
        .arg(cargoName(cargo))
        .arg(load.messages)
        .arg(formatBytes(static_cast<double>(load.bytes)));
}

} // namespace

double layoutTravelStrip(DiagramLayout &layout, const DiagramFrame &frame, const QRectF &room)
{
    const Plan &plan = *frame.plan;
    const bool communicates =
        std::ranges::any_of(plan.steps, [](const Step &step) { return step.collective.has_value(); });
    if (!communicates)
        return 0;
    const Metrics &m = layout.metrics;
    const Pass pass = plan.steps[static_cast<std::size_t>(layout.scene.step)].pass;
    const Loads loads = loadsOf(plan, pass, layout.scene.step);
    const double pixels = std::round(m.small * 0.94);
    const double height = std::round(pixels * 1.5);
    const QString lead = Words::tr("travels in %1, payload:").arg(passName(pass));
    const double leadWidth = textSize(lead, pixels, 500).width() + 8 * m.u;
    layout.texts.push_back({{room.x(), room.y(), leadWidth, height}, lead, pixels, 500, frame.theme->text3});
    double x = room.x() + leadWidth;
    for (std::size_t i = 0; i < kCargoCount; ++i) {
        const auto cargo = static_cast<Cargo>(i);
        // The four great kinds are named even where they stay: that weights never travel is the point of TP.
        if (cargo == Cargo::Statistics && !everTravels(plan, cargo))
            continue;
        const QString text = chipText(cargo, loads[i]);
        const bool never = loads[i].messages == 0;
        const double padding = (never ? 4 : 8) * m.u;
        const double width = textSize(text, pixels, 500).width() + 2 * padding + 1;
        if (x + width > room.right())
            break;
        const QRectF box(x, room.y(), width, height);
        layout.travels.push_back({box, loads[i].now, never});
        const QColor ink = never ? frame.theme->text3 : loads[i].now ? frame.theme->onAccent : frame.theme->text;
        layout.texts.push_back({box, text, pixels, 500, ink, Qt::AlignCenter});
        x += width + 6 * m.u;
    }
    return height + 5 * m.u;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/traffic_formula.h"

#include "engine/plan/traffic.h"
#include "ui/charts/chart_details.h"
#include "ui/charts/number_format.h"
#include "ui/texts.h"

#include <QCoreApplication>
#include <QStringList>
#include <bit>
#include <cmath>

namespace shardscope {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("TrafficFormula", text);
}

/// What a rank sends per payload byte, in symbols and numbers.
struct Factor {
    QString symbols;
    QString numbers;
    double value = 1;
};

Factor factorOf(const Collective &collective, int ranks)
{
    const double n = ranks;
    const QString ringShare = QStringLiteral("(N\u22121)/N");
    const QString ringNumbers = QStringLiteral("%1/%2").arg(ranks - 1).arg(ranks);
    if (collective.op == CollectiveOp::AllReduce) {
        if (collective.algorithm == Algorithm::Tree) {
            const int levels = std::bit_width(static_cast<unsigned>(ranks - 1));
            return {QStringLiteral("\u2308log\u2082 N\u2309"), QString::number(levels), static_cast<double>(levels)};
        }
        if (collective.algorithm == Algorithm::Direct)
            return {QStringLiteral("(N\u22121)"), QString::number(ranks - 1), n - 1};
        return {QStringLiteral("2 ") + ringShare, QStringLiteral("2 · ") + ringNumbers, 2 * (n - 1) / n};
    }
    const bool shares = collective.op == CollectiveOp::AllGather || collective.op == CollectiveOp::ReduceScatter;
    // A root or a stage hands everything on as it is.
    return shares ? Factor{ringShare, ringNumbers, (n - 1) / n} : Factor{};
}

/// "2 · 3/4 · 256"; without a factor only what it would multiply.
QString product(const QString &factor, const QString &rest, int wire)
{
    const QString bytes = QStringLiteral("%1 · %2 B").arg(rest).arg(wire);
    return factor.isEmpty() ? bytes : QStringLiteral("%1 · %2").arg(factor, bytes);
}

const Step *firstCollective(const Plan &plan)
{
    for (const Pass pass : {Pass::Forward, Pass::Backward, Pass::Optimizer}) {
        for (const Step &step : plan.steps) {
            if (step.collective && step.pass == pass)
                return &step;
        }
    }
    return nullptr;
}

QString shapeSymbols(const Tensor &tensor, Phase phase)
{
    QStringList symbols;
    for (const Dim &dim : tensor.shape) {
        // Tokens are what the sliders set: b·s, in decode b.
        const bool tokens = dim.symbol == "t";
        symbols << (!tokens                  ? QString::fromStdString(dim.symbol)
                    : phase == Phase::Decode ? QStringLiteral("b")
                                             : QStringLiteral("b·s"));
    }
    return symbols.join(QStringLiteral("·"));
}

QString shapeNumbers(const Tensor &tensor)
{
    QStringList numbers;
    for (const Dim &dim : tensor.shape)
        numbers << QString::number(dim.size);
    return numbers.join(QStringLiteral(" · "));
}

/// "dWk, dbk, dWv, dbv"; of a long message the first and how many.
QString tensorNames(const Plan &plan, const Step &step)
{
    constexpr std::size_t kMostNames = 4;
    QStringList names;
    for (const TensorId id : step.inputs)
        names << QString::fromStdString(plan.tensor(id).name);
    if (step.inputs.size() <= kMostNames)
        return names.join(QStringLiteral(", "));
    return tr("%1 and %2 more").arg(names.front()).arg(names.size() - 1);
}

QString stepTraffic(const Plan &plan)
{
    const Traffic all = traffic(plan);
    const auto of = [&](Pass pass) { return all.passes[static_cast<std::size_t>(pass)].collectives; };
    const PassTraffic total = all.total();
    const QString bytes = formatBytes(static_cast<double>(total.sentBytesPerRank));
    const QString sender = ranksSendAlike(plan) ? tr("sent by each rank") : tr("sent by the busiest rank");
    if (plan.experiment.phase == Phase::Training) {
        QString passes = tr("forward %1, backward %2").arg(of(Pass::Forward)).arg(of(Pass::Backward));
        if (of(Pass::Recompute) > 0)
            passes += tr(", recompute %1").arg(of(Pass::Recompute));
        if (of(Pass::Optimizer) > 0)
            passes += tr(", optimizer %1").arg(of(Pass::Optimizer));
        return tr("A step: %1 collectives; %2 %3").arg(passes, bytes, sender);
    }
    return total.collectives == 1 ? tr("A pass: 1 collective; %1 %2").arg(bytes, sender)
                                  : tr("A pass: %1 collectives; %2 %3").arg(total.collectives).arg(bytes, sender);
}

} // namespace

TrafficFormula trafficFormula(const Plan &plan)
{
    const Step *step = firstCollective(plan);
    const int ranks = plan.experiment.ranks();
    if (!step || ranks == 1) {
        return {tr("Sent by each rank"),
                {},
                {},
                formatBytes(0),
                ranks == 1 ? tr("One rank holds everything: there is nobody to talk to.")
                           : tr("No operation needs another rank's part: no collective.")};
    }
    const Collective &collective = *step->collective;
    const Tensor &tensor = plan.tensor(step->inputs.front());
    const Factor factor = factorOf(collective, plan.groupSize(collective));
    const int wire = bytesOf(collective.wireDtype);
    TrafficFormula formula;
    formula.caption =
        (ranksSendAlike(plan) ? tr("Sent by each rank, per %1 of %2") : tr("Sent by the busiest rank, per %1 of %2"))
            .arg(opName(collective.op), tensorNames(plan, *step));
    formula.result = formatBytes(static_cast<double>(collective.sentBytesPerRank));
    formula.perStep = stepTraffic(plan);
    // Where N does not divide the elements the formula is no longer exact: then only the exact number is shown.
    const double exact = factor.value * static_cast<double>(tensor.elements()) * wire;
    if (std::abs(exact - static_cast<double>(collective.sentBytesPerRank)) < 0.5) {
        formula.formula = product(factor.symbols, shapeSymbols(tensor, plan.experiment.phase), wire);
        formula.numbers = product(factor.numbers, shapeNumbers(tensor), wire);
    }
    return formula;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/traffic_formula.h"

#include "engine/plan/sent_formula.h"
#include "engine/plan/traffic.h"
#include "ui/charts/chart_details.h"
#include "ui/charts/number_format.h"
#include "ui/texts.h"
#include "ui/translation.h"

#include <QStringList>

namespace shardscope {

namespace {

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
    return counted(total.collectives, tr("A pass: %1 collective; %2 %3|A pass: %1 collectives; %2 %3"))
        .arg(bytes, sender);
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
    TrafficFormula formula;
    formula.caption = (ranksSendAlike(plan, collective) ? tr("Sent by each rank, per %1 of %2")
                                                        : tr("Sent by the busiest rank, per %1 of %2"))
                          .arg(opName(collective.op), tensorNames(plan, *step));
    formula.result = formatBytes(static_cast<double>(collective.sentBytesPerRank));
    formula.perStep = stepTraffic(plan);
    const ByteFormula bytes = sentFormula(plan, *step);
    formula.formula = QString::fromStdString(bytes.symbols);
    formula.numbers = QString::fromStdString(bytes.numbers);
    return formula;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/forecaster.h"

namespace shardscope {

Forecaster::Forecaster(QObject *parent)
    : QObject(parent), m_answer([this](const Forecast &forecast) { Q_EMIT answered(forecast); })
{
}

void Forecaster::ask(const Predictor &predictor, const Experiment &experiment, int cores)
{
    m_answer.ask([predictor, experiment, cores] { return predictor.forecast(experiment, cores); });
}

} // namespace shardscope

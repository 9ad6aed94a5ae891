// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/forecaster.h"

#include <QtConcurrentRun>
#include <utility>

namespace shardscope {

Forecaster::Forecaster(QObject *parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
    m_begin.setSingleShot(true);
    m_begin.setInterval(0);
    connect(&m_begin, &QTimer::timeout, this, &Forecaster::begin);
    connect(&m_watcher, &QFutureWatcher<Forecast>::finished, this, &Forecaster::onFinished);
}

Forecaster::~Forecaster()
{
    m_watcher.disconnect(this);
    m_pool.waitForDone();
}

void Forecaster::ask(const Predictor &predictor, const Experiment &experiment, int cores)
{
    m_newest = Question{predictor, experiment, cores};
    m_begin.start();
}

void Forecaster::forget()
{
    m_newest.reset();
    m_wanted = false;
    m_begin.stop();
}

void Forecaster::begin()
{
    if (!m_newest || m_watcher.isRunning())
        return;
    m_wanted = true;
    m_watcher.setFuture(QtConcurrent::run(&m_pool, [question = *std::exchange(m_newest, std::nullopt)] {
        return question.predictor.forecast(question.experiment, question.cores);
    }));
}

void Forecaster::onFinished()
{
    if (m_newest)
        begin();
    else if (std::exchange(m_wanted, false))
        Q_EMIT answered(m_watcher.result());
}

} // namespace shardscope

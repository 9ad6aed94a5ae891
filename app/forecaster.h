// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/predictor.h"
#include "ui/newest_answer.h"

#include <QObject>

namespace shardscope {

/// Predicts outside the GUI thread, so that a slider never waits for a prediction; only the newest question is
/// answered.
class Forecaster : public QObject
{
    Q_OBJECT
public:
    explicit Forecaster(QObject *parent = nullptr);

    /// Begins once what is drawn now has been drawn. `predictor` is copied: later changes of it are other questions.
    void ask(const Predictor &predictor, const Experiment &experiment, int cores);
    /// Nobody waits for an answer any more.
    void forget() { m_answer.forget(); }

Q_SIGNALS:
    void answered(const shardscope::Forecast &forecast);

private:
    NewestAnswer<Forecast> m_answer;
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/predictor.h"

#include <QFutureWatcher>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <optional>

namespace shardscope {

/// Predicts outside the GUI thread, so that a slider never waits for a prediction. Only the newest question is
/// answered: one that came while another was worked on takes its place, so answers are never late, never out of order
/// and never of another experiment.
class Forecaster : public QObject
{
    Q_OBJECT
public:
    explicit Forecaster(QObject *parent = nullptr);
    /// Waits for the prediction in progress: milliseconds.
    ~Forecaster() override;

    /// Begins once what is drawn now has been drawn. `predictor` is copied: later changes of it are other questions.
    void ask(const Predictor &predictor, const Experiment &experiment, int cores);
    /// Nobody waits for an answer any more.
    void forget();

Q_SIGNALS:
    void answered(const shardscope::Forecast &forecast);

private:
    struct Question {
        Predictor predictor;
        Experiment experiment;
        int cores = 1;
    };
    void begin();
    void onFinished();

    QThreadPool m_pool; ///< its own, so that a picture being compressed is not waited for
    QFutureWatcher<Forecast> m_watcher;
    std::optional<Question> m_newest; ///< asked and not begun
    bool m_wanted = false;            ///< somebody waits for the one in progress
    QTimer m_begin;
};

} // namespace shardscope

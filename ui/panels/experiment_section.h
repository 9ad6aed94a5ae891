// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/experiment_options.h"

#include <QWidget>

namespace shardscope {

/// A part of the panel: shows the experiment, and says what the user made of it. Nothing is validated here.
class ExperimentSection : public QWidget
{
    Q_OBJECT
public:
    using QWidget::QWidget;

    void setExperiment(const Experiment &experiment)
    {
        m_experiment = experiment;
        showExperiment();
    }

Q_SIGNALS:
    /// `gesture` 0: a step of its own for undo.
    void edited(const shardscope::Experiment &wanted, int gesture);

protected:
    /// Brings the controls to m_experiment without signals.
    virtual void showExperiment() = 0;
    [[nodiscard]] const Experiment &experiment() const { return m_experiment; }
    /// Whether the option is used by the scheme and phase shown; the same table that the command line asks.
    [[nodiscard]] bool applies(std::string_view option) const
    {
        const ExperimentOption *found = findOption(option);
        return found && found->applies(m_experiment);
    }

private:
    Experiment m_experiment;
};

} // namespace shardscope

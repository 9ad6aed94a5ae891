// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/panels/experiment_section.h"
#include "ui/panels/segmented_choice.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QPushButton;
class QSpinBox;

namespace shardscope {

/// How it is run and predicted: dtype, algorithm, hardware of the prediction, repeats.
class RunSection : public ExperimentSection, public LookUser
{
    Q_OBJECT
public:
    explicit RunSection(QWidget *parent = nullptr);

    /// The machines to predict for: id and title, in order.
    void setHardware(const QVector<QPair<QString, QString>> &machines, const QString &chosen);
    void setAutoRun(bool on);
    void applyLook(const Look &look) override;

Q_SIGNALS:
    void hardwareChosen(const QString &id);
    void autoRunChanged(bool on);

protected:
    void showExperiment() override;

private:
    void fillAlgorithms();
    void buildMore();
    QSpinBox *addSpin(const QString &text, const QString &tooltip, int low, int high);
    void editDelay();

    QVector<QPair<QString, QString>> m_machines;
    SegmentedChoice *m_dtype;
    QComboBox *m_algorithm;
    QComboBox *m_hardware;
    QCheckBox *m_autoRun;
    QPushButton *m_moreButton;
    QWidget *m_more;
    QSpinBox *m_steps;
    QSpinBox *m_warmup;
    QSpinBox *m_lateRank;
    QDoubleSpinBox *m_lateMs;
};

} // namespace shardscope

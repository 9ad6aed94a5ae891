// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/panels/experiment_section.h"
#include "ui/panels/segmented_choice.h"

#include <vector>

class QCheckBox;
class QComboBox;

namespace shardscope {

/// Scheme, phase, and the switches that the two use.
class SchemeSection : public ExperimentSection, public LookUser
{
    Q_OBJECT
public:
    explicit SchemeSection(QWidget *parent = nullptr);
    void applyLook(const Look &look) override;

protected:
    void showExperiment() override;

private:
    struct Switch {
        const char *option;
        bool Experiment::*member;
        QCheckBox *box;
    };
    void addSwitch(const char *option, bool Experiment::*member, const QString &text, const QString &tooltip);

    QComboBox *m_scheme;
    SegmentedChoice *m_phase;
    SegmentedChoice *m_mlp;
    std::vector<Switch> m_switches;
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/panels/experiment_section.h"
#include "ui/panels/segmented_choice.h"

namespace shardscope {

class SchemeList;

/// Scheme and phase.
class SchemeSection : public ExperimentSection, public LookUser
{
    Q_OBJECT
public:
    explicit SchemeSection(QWidget *parent = nullptr);
    void applyLook(const Look &look) override;

protected:
    void showExperiment() override;

private:
    SchemeList *m_scheme;
    SegmentedChoice *m_phase;
};

} // namespace shardscope

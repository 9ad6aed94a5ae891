// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/panels/experiment_section.h"
#include "ui/panels/value_slider.h"

namespace shardscope {

/// N, hidden size, batch and sequence.
class SizeSection : public ExperimentSection
{
    Q_OBJECT
public:
    explicit SizeSection(QWidget *parent = nullptr);
    /// More ranks than that are predicted only.
    void setMostRanks(int ranks);

protected:
    void showExperiment() override;

private:
    void editRanks(int ranks, int gesture);

    ValueSlider *m_ranks;
    TextLabel *m_ranksNote;
    ValueSlider *m_hidden;
    ValueSlider *m_batch;
    ValueSlider *m_sequence;
};

} // namespace shardscope

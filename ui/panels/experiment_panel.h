// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "ui/look.h"
#include "ui/panels/experiment_section.h"

#include <vector>

namespace shardscope {

class FormulaCard;
class RunSection;
class SizeSection;

/// All settings of the experiment. What cannot be is snapped to something near, and a hint says why.
class ExperimentPanel : public Card
{
    Q_OBJECT
public:
    explicit ExperimentPanel(QWidget *parent = nullptr);

    void setExperiment(const Experiment &experiment);
    /// The plan whose bytes the formula card shows.
    void setPlan(const Plan &plan);
    void setMostRanks(int ranks);
    [[nodiscard]] RunSection &runSection() { return *m_run; }
    [[nodiscard]] QString hint() const { return m_hint->text(); }
    void applyLook(const Look &look) override;

Q_SIGNALS:
    /// A valid experiment that the user asked for.
    void edited(const shardscope::Experiment &experiment, int gesture);

private:
    void onEdited(const Experiment &wanted, int gesture);
    void showHint(const QString &hint);
    void settle();

    Experiment m_experiment;
    SizeSection *m_size;
    RunSection *m_run;
    std::vector<ExperimentSection *> m_sections; ///< all of them, from top to bottom
    TextLabel *m_hint;
    FormulaCard *m_formula;
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/panels/traffic_formula.h"

namespace shardscope {

/// What one rank sends, with this setting's numbers.
class FormulaCard : public QWidget, public LookUser
{
    Q_OBJECT
public:
    explicit FormulaCard(QWidget *parent = nullptr);
    void setFormula(const TrafficFormula &formula);
    void applyLook(const Look &look) override;

private:
    TextLabel *m_caption;
    TextLabel *m_formula;
    TextLabel *m_numbers;
    TextLabel *m_result;
    TextLabel *m_perStep;
};

} // namespace shardscope

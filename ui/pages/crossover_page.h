// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/crossover_values.h"
#include "ui/pages/measured_page.h"

namespace shardscope {

/// Tensor parallelism against ZeRO-3, data parallelism and a pipeline on the workbench's layer, over the tokens of a
/// step.
class CrossoverPage : public MeasuredPage
{
    Q_OBJECT
public:
    explicit CrossoverPage(QWidget *parent = nullptr);

    [[nodiscard]] std::vector<Experiment> wantedRuns() const override;

protected:
    void showInput() override;

private:
    /// Of the present layer, made once for it.
    [[nodiscard]] const std::vector<CrossoverPoints> &points() const;

    mutable std::optional<Experiment> m_pointsOf;
    mutable std::vector<CrossoverPoints> m_points;
};

} // namespace shardscope

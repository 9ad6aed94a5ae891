// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
};

} // namespace shardscope

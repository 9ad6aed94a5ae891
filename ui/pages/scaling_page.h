// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/measured_page.h"

namespace shardscope {

/// What "an all-reduce scales as O(N)" means and what it does not, of the workbench's layer.
class ScalingPage : public MeasuredPage
{
    Q_OBJECT
public:
    explicit ScalingPage(QWidget *parent = nullptr);

    [[nodiscard]] std::vector<Experiment> wantedRuns() const override;

protected:
    void showInput() override;
};

} // namespace shardscope

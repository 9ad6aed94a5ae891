// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/measured_page.h"

namespace shardscope {

/// Training, with and without recomputation, against prefill and decode of the workbench's layer.
class PhasesPage : public MeasuredPage
{
    Q_OBJECT
public:
    explicit PhasesPage(QWidget *parent = nullptr);

    [[nodiscard]] std::vector<Experiment> wantedRuns() const override;

protected:
    void showInput() override;
};

} // namespace shardscope

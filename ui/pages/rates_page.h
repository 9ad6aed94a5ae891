// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/measured_page.h"

namespace shardscope {

/// How near products, memory and collectives of the workbench's layer come to what their machine could do.
class RatesPage : public MeasuredPage
{
    Q_OBJECT
public:
    explicit RatesPage(QWidget *parent = nullptr);

    [[nodiscard]] std::vector<Experiment> wantedRuns() const override;

protected:
    void showInput() override;
};

} // namespace shardscope

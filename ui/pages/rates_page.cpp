// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/rates_page.h"

#include "ui/pages/page_controls.h"
#include "ui/pages/rates_sheet.h"

namespace shardscope {

RatesPage::RatesPage(QWidget *parent) : MeasuredPage(tr("How near to the peaks"), parent)
{
    controls().addText(
        tr("One step of the workbench's layer: work by the plan over the time that it took, of one rank, "
           "beside what its machine could do at most. A run is held against its own machine alone, a "
           "prediction against the one that it is for."));
    addMeasureButton(tr("&Measure"), tr("Runs the layer on real ranks"));
}

std::vector<Experiment> RatesPage::wantedRuns() const
{
    return {input().experiment};
}

void RatesPage::showInput()
{
    setPictureLater([experiment = input().experiment, measured = input().runs.measured(input().experiment),
                     runs = input().runs] { return ratesPicture(ratesValues(experiment, measured, runs)); });
}

} // namespace shardscope

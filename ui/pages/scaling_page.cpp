// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/scaling_page.h"

#include "ui/pages/page_controls.h"
#include "ui/pages/scaling_sheet.h"

namespace shardscope {

ScalingPage::ScalingPage(QWidget *parent) : MeasuredPage(tr("An all-reduce from 2 to 64 ranks"), parent)
{
    controls().addText(tr("The largest all-reduce of the workbench's layer. Bytes and hops are counted in the "
                          "schedules of ring and tree; the latency of a hop is that of the machine chosen for "
                          "predictions in the workbench."));
    addMeasureButton(tr("&Measure bytes"), tr("Runs the layer on 2, 4 and 8 ranks and counts what a rank sends"));
}

std::vector<Experiment> ScalingPage::wantedRuns() const
{
    return scalingPoints(input().experiment);
}

void ScalingPage::showInput()
{
    const std::vector<Experiment> points = wantedRuns();
    setPictureLater(
        [experiment = input().experiment, points, measured = measuredOf(points, input().runs), runs = input().runs] {
            return scalingPicture(scalingValues(experiment, points, measured, runs));
        });
}

} // namespace shardscope

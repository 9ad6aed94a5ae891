// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/phases_page.h"

#include "ui/pages/page_controls.h"
#include "ui/pages/phases_sheet.h"

namespace shardscope {

PhasesPage::PhasesPage(QWidget *parent) : MeasuredPage(tr("Training against inference"), parent)
{
    controls().addText(tr("One step of the workbench's layer: training, the same with recomputation where the "
                          "scheme has it, prefill and decode. Ratios are of bytes, for as many tokens; times "
                          "are another matter."));
    addMeasureButton(tr("&Measure all"), tr("Runs each row on real ranks; the workbench stays as it is"));
}

std::vector<Experiment> PhasesPage::wantedRuns() const
{
    std::vector<Experiment> wanted;
    for (const PhasePoint &point : phasePoints(input().experiment))
        wanted.push_back(point.experiment);
    return wanted;
}

void PhasesPage::showInput()
{
    const std::vector<PhasePoint> points = phasePoints(input().experiment);
    setPictureLater([experiment = input().experiment, points, measured = measuredOf(wantedRuns(), input().runs),
                     runs = input().runs] { return phasesPicture(phasesValues(experiment, points, measured, runs)); });
}

} // namespace shardscope

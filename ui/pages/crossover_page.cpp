// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/crossover_page.h"

#include "ui/pages/crossover_sheet.h"
#include "ui/pages/page_controls.h"

namespace shardscope {

CrossoverPage::CrossoverPage(QWidget *parent) : MeasuredPage(tr("TP against ZeRO-3 and DP"), parent)
{
    auto *what = new TextLabel(tr("The workbench's layer, MLP or block, on its number of ranks, under four schemes. "
                                  "Tensor parallelism and pipelines send activations, ZeRO-3 and data parallelism "
                                  "parameters and gradients: which is less depends on the tokens of a step."),
                               13, 400, TextLabel::Role::Text2);
    what->setWordWrap(true);
    controls().addWidget(what);
    addMeasureButton(tr("&Measure points"),
                     tr("Runs up to four points of each scheme on ranks of this machine, where a step takes about a "
                        "second at most"));
}

std::vector<Experiment> CrossoverPage::wantedRuns() const
{
    std::vector<Experiment> wanted;
    for (const CrossoverPoints &curve : crossoverPoints(input().experiment)) {
        for (const CrossoverPoint &point : curve.measured)
            wanted.push_back(point.experiment);
    }
    return wanted;
}

void CrossoverPage::showInput()
{
    setPictureLater([points = crossoverPoints(input().experiment), measured = measuredOf(wantedRuns(), input().runs),
                     runs = input().runs] { return crossoverPicture(crossoverValues(points, measured, runs)); });
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/crossover_page.h"

#include "ui/pages/crossover_sheet.h"
#include "ui/pages/page_controls.h"

namespace shardscope {

CrossoverPage::CrossoverPage(QWidget *parent) : MeasuredPage(tr("TP against ZeRO-3 and DP"), parent)
{
    controls().addText(tr("The workbench's layer, MLP or block, on its number of ranks, under four schemes. "
                          "Tensor parallelism and pipelines send activations, ZeRO-3 and data parallelism "
                          "parameters and gradients: which is less depends on the tokens of a step."));
    addMeasureButton(tr("&Measure points"),
                     tr("Runs up to four points of each scheme on real ranks, where a step takes about a "
                        "second at most"));
}

const std::vector<CrossoverPoints> &CrossoverPage::points() const
{
    if (m_pointsOf != input().experiment) {
        m_pointsOf = input().experiment;
        m_points = crossoverPoints(input().experiment);
    }
    return m_points;
}

std::vector<Experiment> CrossoverPage::wantedRuns() const
{
    std::vector<Experiment> wanted;
    for (const CrossoverPoints &curve : points()) {
        for (const CrossoverPoint &point : curve.measured)
            wanted.push_back(point.experiment);
    }
    return wanted;
}

void CrossoverPage::showInput()
{
    const bool known = !points().empty() && !points().front().points.empty();
    const QString refusal = known ? input().runs.refusal(points().front().points.front().experiment) : QString();
    setPictureLater([asked = input().experiment, points = points(), measured = measuredOf(wantedRuns(), input().runs),
                     runs = input().runs,
                     refusal] { return crossoverPicture(crossoverValues(asked, points, measured, runs, refusal)); });
}

} // namespace shardscope

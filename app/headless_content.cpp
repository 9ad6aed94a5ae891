// SPDX-License-Identifier: GPL-3.0-or-later
// What an export draws: the runs and predictions that it has, put together as the window would show them.
#include "app/hardware_list.h"
#include "app/headless_export.h"
#include "app/points.h"
#include "app/run_files.h"
#include "ui/export/window_picture.h"
#include "ui/pages/page.h"
#include "ui/pages/page_list.h"
#include "ui/run_words.h"

namespace shardscope {

RunLookups HeadlessExport::lookups()
{
    return {[this](const Experiment &point) { return m_store.find(point); },
            [cache = std::make_shared<PredictionCache>(m_predictor)](const Experiment &point) {
                return cache->predict(point);
            },
            [this](const Experiment &point) { return refusalOf(point); },
            m_predictor.hardwareFor(m_experiment.dtype),
            m_computer.name,
            m_predictor.thisMachine()};
}

RunStatus HeadlessExport::status() const
{
    RunStatus status;
    status.honesty = honestyOn(m_experiment.ranks(), m_computer);
    status.canRun = true;
    if (m_results.measured.empty()) {
        const Hardware &hardware = m_predictor.hardwareFor(m_experiment.dtype);
        status.text = tr("Predicted for %1").arg(QString::fromStdString(hardware.title));
        // Of a prediction nothing shares a core.
        if (m_onlyPredicts)
            status.honesty = m_whyNot;
        status.canRun = !m_onlyPredicts;
        return status;
    }
    const Run &first = *m_results.measured.begin()->second;
    const bool recorded = first.source == Source::Recorded;
    status.state = recorded ? RunStatus::State::Recorded : RunStatus::State::Measured;
    std::vector<const Run *> runs;
    for (const auto &[phase, run] : m_results.measured)
        runs.push_back(run.get());
    runs.push_back(m_results.measuredOne.get());
    status.checks = checkVerdict(runs);
    status.text =
        recorded ? recordedTitle(first) : tr("%1, measured").arg(ranksOnCoresWord(m_experiment.ranks(), m_computer));
    if (recorded)
        status.honesty = recordedWhere(first);
    return status;
}

PagePicture HeadlessExport::pagePicture(const PictureContent &content)
{
    if (content.plan)
        m_page->setInput({m_experiment, content.plan, content.results, lookups()});
    return m_page->exported();
}

std::shared_ptr<const Plan> HeadlessExport::newPlan() const
{
    // What was measured is drawn as what ran: CPU ranks are no GPUs, whatever the prediction beside them is for.
    const auto measured = m_results.measured.find(m_experiment.phase);
    const Transport transport = measured != m_results.measured.end()
                                    ? measured->second->plan.transport
                                    : m_predictor.hardwareFor(m_experiment.dtype).transport;
    return std::make_shared<const Plan>(buildPlan(asRun(m_experiment), transport));
}

PictureContent HeadlessExport::content()
{
    PictureContent content;
    if (m_page && !pageInfo(*pageOf(m_arguments.picture.view)).ofTheLayer) {
        content.page = pagePicture(content);
        return content;
    }
    m_results = m_store.resultsFor(m_experiment);
    content.plan = newPlan();
    Results predicted = m_predictor.predictAll(m_experiment);
    m_results.predicted = std::move(predicted.predicted);
    m_results.predictedOne = std::move(predicted.predictedOne);
    m_results.machine = std::move(predicted.machine);
    content.results = m_results;
    content.phase = m_experiment.phase;
    content.position = positionIn(*content.plan);
    if (m_page)
        content.page = pagePicture(content);
    const WindowPictureState state{m_experiment,
                                   status(),
                                   hardwareList(m_predictor, m_experiment.dtype, m_computer.name),
                                   QString::fromStdString(m_predictor.chosen()),
                                   true,
                                   m_computer.mostRanks(),
                                   {m_arguments.picture.theme, 1}};
    content.paintWindow = [this, inner = content, state](QPainter &painter, QSizeF size, const Theme &theme) {
        paintWindowPicture(painter, size, theme, m_style, inner, state);
    };
    return content;
}

} // namespace shardscope

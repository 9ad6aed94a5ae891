// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/arguments.h"
#include "app/computer.h"
#include "app/engine_link.h"
#include "app/export_progress.h"
#include "app/prediction_cache.h"
#include "app/run_queue.h"
#include "app/run_store.h"
#include "ui/app_style.h"
#include "ui/diagram/scene_list.h"
#include "ui/run_lookups.h"
#include "ui/run_status.h"

#include <QObject>
#include <functional>

namespace shardscope {

class Page;

/// `--export`: runs the experiment (or opens the file), writes one picture, and ends with an exit status of the
/// contract.
class HeadlessExport : public QObject
{
    Q_OBJECT
public:
    HeadlessExport(const Arguments &arguments, AppStyle &style);
    ~HeadlessExport() override;
    void start();
    /// Says whether the user has asked for the end: then it is "cancelled", status 130 of the contract, whatever else
    /// ends the export, for that is a consequence. The engine sees its input end and goes, too.
    void setInterrupted(std::function<bool()> interrupted) { m_interrupted = std::move(interrupted); }
    /// Ends the export if it is so; to be called from time to time.
    bool cancelled();

Q_SIGNALS:
    void finished(int exitCode);

private:
    void openFile();
    void startRuns();
    void connectFirst();
    /// Why a point is not run here; empty: it is.
    [[nodiscard]] QString refusalOf(const Experiment &point) const;
    /// Whether several runs, and predictions, stand beside each other.
    [[nodiscard]] bool contrasts() const;
    /// What the picture shows of the experiment as measured.
    [[nodiscard]] std::vector<Job> ownJobs() const;
    /// What the exported page wants beside that and can run here.
    [[nodiscard]] std::vector<Job> pageJobs();
    [[nodiscard]] RunLookups lookups();
    [[nodiscard]] std::shared_ptr<const Plan> newPlan() const;
    /// Of a page about the layer: the experiment with what is known of it.
    [[nodiscard]] PagePicture pagePicture(const PictureContent &content);
    [[nodiscard]] QString nothingToDraw() const;
    /// Where the animation stands, in scenes.
    [[nodiscard]] double positionIn(const Plan &plan) const;
    [[nodiscard]] double scenesOfStep(const std::vector<Scene> &scenes) const;
    /// Why the plan has no such place; empty when it has.
    [[nodiscard]] QString placeProblem(const Plan &plan) const;
    [[nodiscard]] QString missingSteps() const;
    void writePicture();
    void onEngineGone(const QString &reason, const QString &remedy);
    void fail(int exitCode, const QString &line);
    [[nodiscard]] PictureContent content();
    [[nodiscard]] RunStatus status() const;

    Arguments m_arguments;
    AppStyle &m_style;
    Experiment m_experiment;
    Computer m_computer = Computer::thisOne();
    Predictor m_predictor;
    EngineLink m_link;
    RunQueue m_queue;
    RunStore m_store;
    Results m_results;
    std::unique_ptr<Page> m_page; ///< that is exported; null: a view of the workbench
    int m_exitCode = 0;
    QString m_failure; ///< the line that explains m_exitCode
    ExportProgress m_progress;
    bool m_onlyPredicts = false; ///< these ranks cannot run here, or are not asked to
    QString m_whyNot;
    bool m_done = false;
    std::function<bool()> m_interrupted;
};

} // namespace shardscope

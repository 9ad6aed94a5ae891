// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/arguments.h"
#include "app/computer.h"
#include "app/engine_link.h"
#include "app/prediction_cache.h"
#include "app/run_queue.h"
#include "app/run_store.h"
#include "ui/app_style.h"
#include "ui/run_lookups.h"
#include "ui/run_status.h"

#include <QObject>

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

Q_SIGNALS:
    void finished(int exitCode);

private:
    void openFile();
    void startRuns();
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
    [[nodiscard]] QString missingSteps() const;
    void onProgress();
    void clearProgress();
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
    bool m_showsProgress;
    bool m_onlyPredicts = false; ///< these ranks cannot run here
    QString m_whyNot;
    bool m_done = false;
};

} // namespace shardscope

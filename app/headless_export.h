// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/arguments.h"
#include "app/computer.h"
#include "app/engine_link.h"
#include "app/predictor.h"
#include "app/run_queue.h"
#include "ui/app_style.h"
#include "ui/run_status.h"

#include <QObject>

namespace shardscope {

/// `--export`: runs the experiment (or opens the file), writes one picture, and ends with an exit status of the
/// contract.
class HeadlessExport : public QObject
{
    Q_OBJECT
public:
    HeadlessExport(const Arguments &arguments, AppStyle &style);
    void start();

Q_SIGNALS:
    void finished(int exitCode);

private:
    void openFile();
    void startRuns();
    /// The page that is exported, with what it shows.
    [[nodiscard]] PagePicture pagePicture(PageId id, const PictureContent &content) const;
    [[nodiscard]] QString nothingToDraw() const;
    [[nodiscard]] QString missingSteps() const;
    void onRun(const Experiment &requested, const RunPtr &run);
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
    Results m_results;
    int m_exitCode = 0;
    QString m_failure; ///< the line that explains m_exitCode
    bool m_showsProgress;
    bool m_onlyPredicts = false; ///< these ranks cannot run here
    QString m_whyNot;
    bool m_done = false;
};

} // namespace shardscope

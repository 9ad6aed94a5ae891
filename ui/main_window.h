// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/export/picture.h"
#include "ui/look.h"
#include "ui/run_status.h"
#include "ui/user_message.h"

#include <QMainWindow>

class QScrollArea;

namespace shardscope {

class AppStyle;
class ExperimentPanel;
class HeaderBar;
class MessageBar;
class PageStack;
class RunLookups;
class WindowActions;
class Workbench;

/// The window: values in, signals out. It knows no engine, no settings and no file.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    /// `style` is the application's: theme and scale are set through it.
    explicit MainWindow(AppStyle &style, QWidget *parent = nullptr);

    void setExperiment(const Experiment &experiment, std::shared_ptr<const Plan> plan);
    void setResults(const Results &results);
    /// For pages that show other experiments than the workbench's.
    void setLookups(const RunLookups &lookups);
    void setStatus(const RunStatus &status);
    void setUndoable(bool undo, bool redo);
    void showMessage(const UserMessage &message);
    void showLog(const QString &log);
    void setLook(const Look &look);

    [[nodiscard]] const Look &look() const { return m_look; }
    [[nodiscard]] ExperimentPanel &panel();
    [[nodiscard]] Workbench &workbench() { return *m_workbench; }
    [[nodiscard]] PageStack &pages() { return *m_pages; }
    [[nodiscard]] MessageBar &messageBar() { return *m_messages; }
    [[nodiscard]] WindowActions &actions() { return *m_actions; }

    [[nodiscard]] QByteArray savePlace() const;
    void restorePlace(const QByteArray &place);

    static constexpr double kSmallestScale = 1.0;
    static constexpr double kLargestScale = 2.5;

Q_SIGNALS:
    void runRequested();
    void cancelRequested();
    void exportRequested(shardscope::PictureView view);
    void copyPictureRequested(shardscope::PictureView view);
    void fileDropped(const QString &file);
    void messageActionChosen(shardscope::MessageAction action);
    /// A page wants this layer in the workbench.
    void experimentChosen(const shardscope::Experiment &experiment);
    /// A page wants these measured, the workbench left as it is.
    void runsWanted(const std::vector<shardscope::Experiment> &points);
    void closing();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void buildContent();
    void connectActions();
    void fillExportMenu();
    void connectPages();
    /// What an export without further words is of.
    [[nodiscard]] PictureView activeView() const;
    void scaleBy(double factor);
    void toggleTheme();
    [[nodiscard]] bool handleJumpKey(const QKeyEvent &event);

    AppStyle &m_style;
    Look m_look;
    HeaderBar *m_header;
    MessageBar *m_messages;
    Workbench *m_workbench;
    QScrollArea *m_scroll;
    PageStack *m_pages;
    WindowActions *m_actions;
    std::optional<int> m_jump; ///< the step typed after G so far
};

} // namespace shardscope

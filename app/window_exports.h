// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_files.h"
#include "ui/export/picture.h"
#include "ui/user_message.h"

#include <QObject>
#include <functional>

namespace shardscope {

class AppStyle;
class MainWindow;
class Session;

/// Pictures, the clipboard and files of runs: what leaves the window and what comes in.
class WindowExports : public QObject
{
    Q_OBJECT
public:
    WindowExports(MainWindow &window, Session &session, AppStyle &style);

    void openFile(const QString &file);

Q_SIGNALS:
    /// The runs of the file asked for last are shown.
    void opened();

private:
    void connectActions();
    void showExportDialog(PictureView view);
    void savePicture(const PictureOptions &options);
    void writePicture(const QString &file, const PictureOptions &options);
    void copyPicture(const PictureOptions &options);
    void copyCommand();
    /// Options that show what is shown: the layer in the window, or the page as a picture.
    [[nodiscard]] QString shownAsOptions();
    void askOpen();
    void askSave();
    void showOpened(OpenedRuns opened, const QString &file);
    /// Writes in a worker and then says how it went.
    void inBackground(std::function<QString()> write, const QString &success);
    void tell(UserMessage::Level level, const QString &text, const QString &remedy = {});
    void report(const QString &problem, const QString &success);
    /// What the window shows, whole: a pending prediction is made first.
    [[nodiscard]] PictureContent content(PictureView view);

    MainWindow &m_window;
    Session &m_session;
    AppStyle &m_style;
    int m_opening = 0; ///< number of the file asked for last
};

} // namespace shardscope

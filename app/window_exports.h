// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/export/picture.h"
#include "ui/user_message.h"

#include <QObject>

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

private:
    void connectActions();
    void showExportDialog(PictureView view);
    void savePicture(const PictureOptions &options);
    void writePicture(const QString &file, const PictureOptions &options);
    void copyPicture(const PictureOptions &options);
    void copyCommand();
    void askOpen();
    void askSave();
    void tell(UserMessage::Level level, const QString &text, const QString &remedy = {});
    void report(const QString &problem, const QString &success);
    [[nodiscard]] PictureContent content() const;

    MainWindow &m_window;
    Session &m_session;
    AppStyle &m_style;
};

} // namespace shardscope

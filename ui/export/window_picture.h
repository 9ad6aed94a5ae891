// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/export/picture.h"
#include "ui/look.h"
#include "ui/run_status.h"

#include <QPair>
#include <QVector>

namespace shardscope {

class AppStyle;

/// What a picture of the whole window needs beside the runs.
struct WindowPictureState {
    Experiment experiment;
    RunStatus status;
    QVector<QPair<QString, QString>> machines; ///< of the prediction: id, title
    QString machine;                           ///< the chosen one
    bool autoRun = true;
    int mostRanks = 8;
    Look current; ///< the look to return to, because theme and font are the application's
};

/// Lays out a second window, never shown, and paints it into `designSize`. Where that has no room for everything the
/// window is laid out larger, up to 1920 pixels, and painted smaller: nobody scrolls a picture. The layout's size is
/// returned.
QSize paintWindowPicture(QPainter &painter, QSizeF designSize, const Theme &theme, AppStyle &style,
                         const PictureContent &content, const WindowPictureState &state);

} // namespace shardscope

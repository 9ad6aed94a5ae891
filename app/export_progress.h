// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QTimer>

namespace shardscope {

/// "about 3 min left", once enough is done to tell; else empty. `fraction` is of the whole work, 0 to 1.
[[nodiscard]] QString timeLeft(double fraction, double elapsedSeconds);

/// What an export without a window says on stderr while it measures: on a terminal a line that is written over and
/// over; in a file or pipe nothing, but one line where it takes long, so that nobody takes it for hanging.
class ExportProgress
{
public:
    ExportProgress();

    /// `runs` begin, which a preset would predict if they are `predictable`.
    void begin(int runs, bool predictable);
    void show(const QString &stage, double fraction);
    /// The work has ended, or something else is printed.
    void clear();

private:
    bool m_terminal;
    QElapsedTimer m_since;
    QTimer m_long;
};

} // namespace shardscope

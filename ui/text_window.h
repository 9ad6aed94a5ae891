// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace shardscope {

/// Shows plain text (the engine's log) beside the window, without blocking it.
void showTextWindow(QWidget &parent, const QString &title, const QString &text);

/// Shows the list of keys.
void showKeyList(QWidget &parent);

} // namespace shardscope

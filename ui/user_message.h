// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

namespace shardscope {

/// What a message offers to do.
enum class MessageAction { ShowLog, RestartEngine, UseSmallerSize, Run, OpenFile, Retry, UseThisMachine };

/// Something the user should know: what happened, what helps, and the buttons that do it.
struct UserMessage {
    enum class Level { Info, Warning, Error } level = Level::Info; ///< in rising order
    QString text;                                                  ///< what and why, one sentence
    QString remedy;                                                ///< what helps; may be empty
    QVector<MessageAction> actions;
};

} // namespace shardscope

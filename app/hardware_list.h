// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/predictor.h"

#include <QPair>
#include <QString>
#include <QVector>
#include <string>

namespace shardscope {

/// The machines to predict for, this one first: id and title.
[[nodiscard]] QVector<QPair<QString, QString>> hardwareList(const Predictor &predictor, DType dtype);

/// The options that reproduce the state of the window.
[[nodiscard]] QString optionsOf(const Experiment &experiment, const std::string &hardware);
/// `file` as a shell starts it: its name alone where the shell's search ends at that very file, else its quoted path.
[[nodiscard]] QString shellWord(const QString &file);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/predictor.h"

#include <QPair>
#include <QString>
#include <QVector>
#include <string>

namespace shardscope {

/// The machines to predict for, this one first: id and title.
[[nodiscard]] QVector<QPair<QString, QString>> hardwareList(const Predictor &predictor);

/// The line that reproduces the state of the window.
[[nodiscard]] QString commandLineOf(const Experiment &experiment, const std::string &hardware);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/predictor.h"

#include <QPair>
#include <QString>
#include <QVector>
#include <string>

namespace shardscope {

/// The machines to predict for: id and title. The first is the one that runs the ranks, `remote` when it is another.
[[nodiscard]] QVector<QPair<QString, QString>> hardwareList(const Predictor &predictor, DType dtype,
                                                            const QString &remote = {});

/// The options that reproduce the state of the window; `remote` is the machine that runs the ranks, if it is another.
[[nodiscard]] QString optionsOf(const Experiment &experiment, const std::string &hardware, const QString &remote = {});
/// `file` as a shell starts it: its name alone where the shell's search ends at that very file, else its quoted path.
[[nodiscard]] QString shellWord(const QString &file);

} // namespace shardscope

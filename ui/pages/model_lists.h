// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/hardware.h"

#include <QPair>
#include <QString>
#include <QVector>
#include <vector>

class QComboBox;

namespace shardscope {

/// The model presets, id and title.
[[nodiscard]] QVector<QPair<QString, QString>> modelList();
/// The hardware presets, id and title.
[[nodiscard]] QVector<QPair<QString, QString>> presetList();
/// 18, 16, 12 with what they are.
[[nodiscard]] QVector<QPair<QString, QString>> bytesPerParameterList();
/// 1, 2, 4, ... up to `most`: stops of a number.
[[nodiscard]] std::vector<int> powersOfTwo(int most);
/// The preset that a list of them shows.
[[nodiscard]] const Hardware *presetChosen(const QComboBox &list);
/// Shows the item with that id.
void choose(QComboBox &list, const QString &id);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment_options.h"

#include <QString>

namespace shardscope {

/// "--model gpt3 --tp 8"
[[nodiscard]] QString wordsOf(const OptionValues &values);
/// The other way round; words that are no option with a value are left out.
[[nodiscard]] OptionValues valuesOf(const QString &words);

} // namespace shardscope

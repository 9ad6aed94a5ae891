// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/step.h"
#include "engine/plan/text.h"

#include <QString>
#include <string>
#include <string_view>

namespace shardscope {

/// A sentence of the engine in the window's language, with µs for us.
[[nodiscard]] QString sentence(const Text &text);
/// Words of the engine or of a preset, which write "41 us" for terminals, as they stand on screen: "41 µs".
[[nodiscard]] QString withMicroSign(QString text);
/// A sentence of the engine, which writes for terminals, as it is set on a slide: "2.0×" for "2.0x", and no line broken
/// between a number and its unit.
[[nodiscard]] QString typeset(QString text);
/// A formula or label of the plan in characters that Inter has: the transpose sign is written as a raised small t.
[[nodiscard]] QString formulaText(const std::string &formula);
/// "1 rank", "4 ranks" of tr("%1 rank|%1 ranks"): the form that goes with the number, and the number for %1. A
/// translation lists as many forms as its language has (pluralForm()).
[[nodiscard]] QString counted(qint64 count, const QString &forms);
/// "all-reduce".
[[nodiscard]] QString opName(CollectiveOp op);
[[nodiscard]] QString opName(std::string_view op);

} // namespace shardscope

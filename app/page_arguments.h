// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/arguments.h"

#include <string_view>

namespace shardscope {

// Options of the pages that have settings of their own: with --export memory and --export advice they stand in the
// place of an experiment's.

[[nodiscard]] bool exportsPageWithSettings(const Arguments &arguments);
/// Whether any page has such an option.
[[nodiscard]] bool isOptionOfPages(const QString &option);
/// Why an option of pages does not go with what is asked for.
[[nodiscard]] QString onlyWithPages(const QString &option);
/// Takes the options given for the exported page; which is wrong, why, what is allowed, or nothing.
[[nodiscard]] QString takePageSettings(Arguments &arguments, const OptionValues &given);

/// One option in the help: what it means, the words allowed, and the default in brackets.
[[nodiscard]] QString helpLine(std::string_view name, std::string_view meaning, const std::vector<std::string> &values,
                               std::string_view defaultText);
[[nodiscard]] QString helpOfPages();

} // namespace shardscope

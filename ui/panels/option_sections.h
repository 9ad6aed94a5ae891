// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/panels/option_section.h"

namespace shardscope {

/// What the layer is: kind of MLP, heads, layers, vocabulary, cache.
[[nodiscard]] OptionSection *newLayerOptions();
/// How it is cut beyond the scheme, and what is done about the collectives.
[[nodiscard]] OptionSection *newCuttingOptions();

} // namespace shardscope

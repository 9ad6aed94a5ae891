// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QString>

namespace shardscope {

/// A valid experiment near the one asked for, and what had to change; the hint is empty when nothing had to.
struct Snapped {
    Experiment experiment;
    QString hint;
    bool valid = true; ///< false: nothing near is valid, and `hint` says why
};

/// Without what the phase shown does not use: that is only kept for another phase.
[[nodiscard]] Experiment inItsPhase(const Experiment &experiment);

/// Repairs one broken rule after the other (repairs.h) until validate() is content. Options that no phase of the scheme
/// uses go back to their defaults without a word, as the command line would have it.
[[nodiscard]] Snapped snap(const Experiment &wanted);

/// Why `option` cannot be set to `value` beside the others; empty when it can.
[[nodiscard]] QString whyNot(const Experiment &experiment, std::string_view option, std::string_view value);

} // namespace shardscope

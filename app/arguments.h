// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment_options.h"
#include "ui/export/picture.h"

#include <QString>
#include <QStringList>
#include <optional>

namespace shardscope {

/// What the command line of `shardscope` asks for.
struct Arguments {
    enum class Mode { Window, Export, Help, Version } mode = Mode::Window;
    QString file;                         ///< a run to open
    std::optional<Experiment> experiment; ///< empty: none of its options was given
    QString hardware;                     ///< of predictions; empty: this machine, of a kept experiment as kept
    QString theme;                        ///< empty: as kept
    QString engine;                       ///< --engine
    QString remote;                       ///< --remote: [USER@]HOST; empty: this machine
    PictureOptions picture;               ///< of an export
    OptionValues page;                    ///< settings of an exported page that has its own
    QString output;
    double atSeconds = 0;    ///< into the animation, or into `step`
    std::optional<int> step; ///< of the plan, counted from 1
};

/// The arguments, or one line that says which is wrong, why, and what is allowed (exit status 2).
struct ArgumentsResult {
    Arguments arguments;
    QString problem;
};
/// `words` without the program's name.
[[nodiscard]] ArgumentsResult readArguments(const QStringList &words);

/// Whether --hardware asks an export for what is predicted, so that nothing runs. The bug lab's numeric errors do.
[[nodiscard]] bool isPrediction(const Arguments &arguments);

[[nodiscard]] QString helpText();

} // namespace shardscope

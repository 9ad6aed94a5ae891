// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <string>

namespace shardscope {

inline constexpr int kMostHosts = 6;

/// What is kept from one start to the next. The fields and their keys stand in one table (settings.cpp).
struct Settings {
    QString theme = QStringLiteral("light");
    double scale = 1;
    bool autoRun = true;
    QString hardware = QStringLiteral("this");
    QString experiment;  ///< as `shardscope` options, one string
    QString thisMachine; ///< measured numbers of this machine, as a preset
    QByteArray place;    ///< the window's geometry and splitters
    QByteArray pages;    ///< what is set on the pages beside the workbench
    QStringList hosts;   ///< other machines that were reached, the last first

    /// Unreadable or foreign values fall back to the defaults.
    [[nodiscard]] static Settings load();
    void save() const;
};

/// The experiment of a settings text; the default one when it cannot be read.
[[nodiscard]] Experiment experimentFromSettings(const QString &text);
[[nodiscard]] QString experimentToSettings(const Experiment &experiment);

} // namespace shardscope

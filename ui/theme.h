// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/step.h"

#include <QColor>
#include <QFont>
#include <QString>
#include <array>

namespace shardscope {

/// Colours by role. Two colour languages, never mixed: hue means rank in diagrams only; in timeline and charts grey is
/// compute and colour is communication.
struct Theme {
    QString id; ///< "light", "dark", "projector"
    QColor background, surface, surface2, border, grid;
    QColor text, text2, text3;
    QColor accent, onAccent, ok, warn, error;
    std::array<QColor, 8> ranks; ///< diagrams; more than 8 ranks: rankRamp
    QColor forwardCompute, backwardCompute;
    QColor allReduce, allGather, reduceScatter;
    QColor training, prefill, decode;

    [[nodiscard]] static const Theme &light();
    [[nodiscard]] static const Theme &dark();
    [[nodiscard]] static const Theme &projector();
    /// Light when there is no such theme.
    [[nodiscard]] static const Theme &byId(const QString &id);

    /// Identity colour of a rank; beyond 8 ranks a single-hue ramp.
    [[nodiscard]] QColor rank(int rank, int ranks) const;
    [[nodiscard]] QColor compute(Pass pass) const;
    [[nodiscard]] QColor collective(CollectiveOp op) const;
    [[nodiscard]] QColor phase(Phase phase) const;
    /// Near-black or white, whichever contrasts more with `fill`.
    [[nodiscard]] static QColor textOn(const QColor &fill);
};

/// Inter at `pixels` design pixels times `unit` (pixels per design pixel); never below 6 px.
[[nodiscard]] QFont uiFont(double pixels, double unit, int weight = 400);

} // namespace shardscope

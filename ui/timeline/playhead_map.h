// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/scene_list.h"
#include "ui/timeline/timeline_data.h"

#include <vector>

namespace shardscope {

/// Joins the animation's position (in scenes) and the time in the shown iteration: scene k begins when the first rank
/// begins its step, or its hop where hops were measured. Piecewise linear and rising, so it can be read both ways.
class PlayheadMap
{
public:
    PlayheadMap() = default;
    PlayheadMap(const std::vector<Scene> &scenes, const TimelineData &data, const Run &run);

    [[nodiscard]] bool empty() const { return m_begin.size() < 2; }
    [[nodiscard]] double timeAt(double position) const;
    [[nodiscard]] double positionAt(double timeNs) const;

private:
    std::vector<double> m_begin; ///< time at which scene k begins; the last entry is the end of the last scene
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/topology.h"
#include "ui/pages/load_history.h"

#include <QString>
#include <optional>

namespace shardscope {

/// The machine whose engine the window uses, as that engine describes it.
struct EngineMachine {
    enum class State {
        NotStarted,
        Asked, ///< the engine starts, or has not said what its machine is made of yet
        Told,
        Silent, ///< it says nothing of it, as older engines do
    };
    State state = State::NotStarted;
    QString name;  ///< of another machine; empty: this one
    QString title; ///< "4 cores, AMD EPYC 7763"; empty: not known yet
    QString engineVersion;
    std::optional<Topology> topology; ///< when told
    std::vector<LoadSample> loads;    ///< the last minute with ranks in it
    bool computing = false;           ///< the last of them is of this moment
    bool operator==(const EngineMachine &) const = default;
};

} // namespace shardscope

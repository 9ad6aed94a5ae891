// SPDX-License-Identifier: MIT
#pragma once

// What a meeting place is made of, for the files that know c10d.
#include "engine/runtime/meeting_place.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace gloo::transport {
class Device;
}

namespace shardscope {

struct MeetingPlace::Store {
    c10::intrusive_ptr<c10d::Store> store;
    std::string interface {
        "lo"
    };
    std::shared_ptr<gloo::transport::Device> device{}; ///< of all groups: each device is a thread
};

} // namespace shardscope

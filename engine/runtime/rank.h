// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/rank_main.h"
#include "engine/runtime/compute_device.h"
#include "engine/runtime/gloo_communicator.h"

#include <functional>
#include <memory>

namespace shardscope {

/// What a rank computes on for that backend; its groups meet at the place, which outlives it.
using MakeDevice = std::function<std::unique_ptr<ComputeDevice>(Backend backend, MeetingPlace &place)>;

/// A CPU, whatever the backend.
[[nodiscard]] std::unique_ptr<ComputeDevice> makeCpuDevice(Backend backend, MeetingPlace &place);

/// A rank's life (a RankMain): joins the others, serves commands, leaves at the end of its input. 0 then, 4 when the
/// group of ranks broke, which has been said as a message.
[[nodiscard]] int rankMain(const RankContext &context, const MakeDevice &makeDevice);

} // namespace shardscope

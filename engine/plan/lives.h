// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

namespace shardscope {

/// Sets Tensor::freedAfter and Tensor::savedForBackward from who uses what: memory is a fold over these lives, and the
/// executor frees by them.
void setLives(Plan &plan);

} // namespace shardscope

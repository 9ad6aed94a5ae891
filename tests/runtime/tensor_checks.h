// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/runtime/torch_headers.h"

#include <QtTest>

#include <array>
#include <string>
#include <vector>

namespace shardscope {

inline constexpr std::array kAlgorithms{Algorithm::Library, Algorithm::Ring, Algorithm::Tree, Algorithm::Direct,
                                        Algorithm::HalvingDoubling};

/// Fails the test with the first thing that inRanks() has found wrong.
inline void verify(const std::vector<std::string> &problems)
{
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().c_str());
}

/// ‖value - expected‖ / ‖expected‖, in float64.
inline double relative(const at::Tensor &value, const at::Tensor &expected)
{
    return ((value.to(at::kDouble) - expected).norm() / expected.norm()).item<double>();
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/runtime/reference/expected_values.h"
#include "engine/runtime/reference/weight_blocks.h"

#include <memory>
#include <string>

/// A transformer's layers as a textbook writes them, unsharded, forward and backward by hand.
namespace shardscope::textbook {

/// What every part of the mathematics works with.
struct Context {
    const Experiment &experiment;
    const WeightBlocks &weights;
    ExpectedValues &expected;

    [[nodiscard]] bool training() const { return experiment.phase == Phase::Training; }
    /// Sequences of all micro-batches and data-parallel replicas, which stand one after another in every activation.
    [[nodiscard]] std::int64_t sequences() const;
};

/// One part of a model, on activations [tokens, width].
class Layer
{
public:
    virtual ~Layer() = default;
    /// Y of X; keeps what backward needs.
    [[nodiscard]] virtual Twin forward(const Twin &x) = 0;
    /// dX of dY, after forward(); notes the gradients of the parameters as expected.
    [[nodiscard]] virtual Twin backward(const Twin &dY) = 0;
};

/// A layer of that kind; `suffix` ends the names of its tensors (".2" of the second layer).
[[nodiscard]] std::unique_ptr<Layer> makeLayer(const Context &context, shardscope::Layer kind,
                                               const std::string &suffix);

} // namespace shardscope::textbook

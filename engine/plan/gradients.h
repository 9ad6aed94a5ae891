// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan_builder.h"

#include <string>
#include <vector>

namespace shardscope {

/// What happens to parameters and their gradients between the layers and the optimizer: the average over micro-batches
/// and replicas, the sums that a tensor-parallel group still owes, and the four ways of data parallelism:
///
///     plain    all-reduce of the gradients of each layer once all micro-batches are through
///     ZeRO-1   reduce-scatter instead, Adam on the slice, all-gather of the updated weights
///     ZeRO-2   the same, but gradients are scattered after every micro-batch, so that only slices are kept
///     ZeRO-3   weights too are slices: gathered for each layer forward, and again backward
///
/// (Rajbhandari 2020, ZeRO, section 5; PyTorch FSDP.)
class GradientBook
{
public:
    explicit GradientBook(PlanBuilder &plan);

    /// ZeRO-3: makes a layer's weights whole, and lets them go.
    void gatherParameters(int layer);
    void releaseParameters(int layer);
    /// Accumulates the layer's gradients, and reduces them when it is their time.
    void layerWentBack(int layer, int microBatch);
    /// What is left: sums within tensor-parallel groups, and the optimizer.
    void finish();

private:
    [[nodiscard]] std::vector<Parameter *> ofLayer(int layer, bool withGradient);
    void accumulate(Parameter &parameter);
    void average(const std::vector<Parameter *> &parameters, TensorId Parameter::*which);
    void reduceReplicatedHeads(const std::vector<Parameter *> &parameters);
    void reduceOverReplicas(const std::vector<Parameter *> &parameters, TensorId Parameter::*which);
    [[nodiscard]] int lastMicroBatch() const;
    void reduceTokenAddends();
    void update();
    void collectiveOver(const CollectiveSpec &spec, const std::vector<Parameter *> &parameters,
                        TensorId Parameter::*which);

    PlanBuilder &m_plan;
    int m_zero;
    int m_replicas;
};

} // namespace shardscope

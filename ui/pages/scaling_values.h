// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/run_lookups.h"

#include <QString>
#include <array>
#include <vector>

namespace shardscope {

inline constexpr std::array kScalingRanks{2, 4, 8, 16, 32, 64};

/// One all-reduce of the layer on so many ranks.
struct ScalingRow {
    int ranks = 2;
    std::int64_t ringBytes = 0;   ///< sent by the rank that sends the most
    std::int64_t summedBytes = 0; ///< sent by all ranks of the ring together
    std::int64_t treeBytes = 0;   ///< sent by the rank of a binomial tree that sends the most
    int ringHops = 0;
    int treeHops = 0;
    LinkCost link;            ///< the preset's protocol that carries this ring cheapest, as its tuner chooses
    double ringLatencyNs = 0; ///< hops times its alpha
    double treeLatencyNs = 0;
    double ringTransferNs = 0;      ///< 2(N-1)/N·S over its bus bandwidth; 0: there is no ring
    bool beyondNode = false;        ///< more ranks than the preset's node has
    RunPtr measured;                ///< the layer on so many ranks; may be null
    std::int64_t observedBytes = 0; ///< sent per rank for one such all-reduce, observed; 0: not measured
};

struct ScalingValues {
    Experiment asked;      ///< the workbench's
    Experiment experiment; ///< the layer drawn
    QString tensor;        ///< "Y", what is added up
    std::int64_t elements = 0;
    DType wire = DType::F32;       ///< what travels: Gloo sends sums of bf16 in f32
    std::int64_t payloadBytes = 0; ///< S, as it travels
    Hardware hardware;             ///< whose alpha and bandwidth these are
    bool standIn = false;          ///< it is not the machine chosen for predictions, whose ranks share cores
    std::vector<ScalingRow> rows;
};

/// The layer on 2, 4, ... ranks, as far as it can be cut: what may be measured.
[[nodiscard]] std::vector<Experiment> scalingPoints(const Experiment &experiment);
/// `measured` belongs to `points`.
[[nodiscard]] ScalingValues scalingValues(const Experiment &experiment, const std::vector<Experiment> &points,
                                          const std::vector<RunPtr> &measured, const RunLookups &runs);

[[nodiscard]] QString scalingFinding(const ScalingValues &values);
[[nodiscard]] QString scalingSetting(const ScalingValues &values);
[[nodiscard]] QString scalingProvenance(const ScalingValues &values);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/traffic_matrix.h"
#include "ui/pages/page.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardscope {

/// Who talks to whom along one axis of the mesh.
enum class TrafficShape {
    Pair,       ///< two ranks, each to the other
    Ring,       ///< each to the next, the last to the first
    Everyone,   ///< each as much to every other
    Neighbours, ///< each to those beside it, without a way round
    Other,
};
/// Of traffic along `axis`; nothing when there is none.
[[nodiscard]] std::optional<TrafficShape> trafficShape(const TrafficMatrix &matrix, const Mesh &mesh, MeshAxis axis);

/// Collectives of one kind: a line of "what travels".
struct TrafficLine {
    CollectiveOp op = CollectiveOp::AllReduce;
    QString what;                ///< "all-reduce Y"
    QString place;               ///< "forward, along tp"
    int count = 1;               ///< in a step, of the rank with the most
    std::int64_t bytesEach = 0;  ///< that a rank sends for one of them
    bool atMost = false;         ///< not every rank sends as much
    std::int64_t totalBytes = 0; ///< of all ranks in a step
    QString why;
};

/// What the traffic page shows: who sends how much to whom in one step of the workbench's layer.
struct TrafficValues {
    std::shared_ptr<const Plan> plan;
    std::optional<MeshAxis> axis; ///< along which; all
    bool drawn = true;            ///< false: more ranks than a matrix has cells for; `matrix` and `axes` are empty
    TrafficMatrix matrix{1};
    struct Along {
        MeshAxis axis;
        TrafficMatrix matrix;
        TrafficShape shape;
    };
    std::vector<Along> axes; ///< of those shown the ones along which anything travels
    CountedPaths paths;
    std::vector<TrafficLine> lines;

    /// What the communicators say to it.
    enum class Proof { NotRun, OtherSettings, Agrees, Differs } proof = Proof::NotRun;
    int observedSteps = 0;
    QString observedWhere; ///< "measured DATE on ...", "recorded on ..."

    [[nodiscard]] const Mesh &mesh() const { return plan->mesh(); }
    /// Ordered pairs of ranks of which one sends to the other.
    [[nodiscard]] int talkingPairs() const;
    /// Bytes from rank to rank along one axis alone.
    [[nodiscard]] std::int64_t bytesAlong(MeshAxis axis, int from, int to) const;
};
[[nodiscard]] TrafficValues trafficValues(const PageInput &input, std::optional<MeshAxis> axis);

/// The finding, for the title.
[[nodiscard]] QString trafficFinding(const TrafficValues &values);
/// Layer, sizes and axis that it holds for.
[[nodiscard]] QString trafficSetting(const TrafficValues &values);
/// How the bytes are counted where a library chooses the path.
[[nodiscard]] QString trafficCounting(const TrafficValues &values);
/// What the communicators counted beside it, or why nothing stands there.
[[nodiscard]] QString trafficProof(const TrafficValues &values);
/// For the footer of a picture.
[[nodiscard]] QString trafficProvenance(const TrafficValues &values);

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/experiment.h"
#include "engine/plan/placement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope {

/// A tensor that every pipeline stage has.
inline constexpr int kEveryStage = -1;

/// What generated tensors hold.
enum class Fill {
    Random,    ///< about normal, scaled by 1/sqrt(fanIn)
    AroundOne, ///< 1 plus a tenth of that: the scale of a norm
    Zeros,     ///< Adam's states before the first step
    Indices,   ///< token ids from 0 to indexBound - 1
    /// int8: what Random would hold, over the scale of its column, rounded; the scale is max|w|/127 over the column
    /// (symmetric, one per output channel).
    Quantized,
    ColumnScales, ///< those scales, of the weight Tensor::scalesOf
};

/// Index into Plan::tensors.
using TensorId = int;
inline constexpr TensorId kNoTensor = -1;

/// One dimension: its symbol as the textbooks write it ("t", "h", "f", "h/N" never: shapes are global) and its size.
struct Dim {
    std::string symbol;
    std::int64_t size = 0;
    bool operator==(const Dim &) const = default;
};

enum class TensorRole { Weight, Bias, Activation, Gradient, WeightGradient, OptimizerState, KvCache, Statistic };

/// One version of a tensor. Plans are in single-assignment form: a collective that turns the partial Y into the
/// replicated Y makes a new version with the same name, so that following a tensor is following a name.
struct Tensor {
    TensorId id = kNoTensor;
    std::string name;       ///< "Y", "dW1": the same for all versions of one logical tensor
    std::vector<Dim> shape; ///< global shape; W is stored as [in, out]
    DType dtype = DType::F32;
    Layout layout; ///< one placement per mesh axis
    TensorRole role = TensorRole::Activation;
    bool generated = false; ///< made by the counter-based generator (weights, X, dY), not by a step
    Fill fill = Fill::Random;
    std::int64_t indexBound = 0; ///< of Indices
    std::string scalesOf{};      ///< of ColumnScales: the weight, whose columns are fanIn long
    int stage = kEveryStage;     ///< the pipeline stage whose ranks hold it
    std::int64_t fanIn = 0;      ///< generated weights and biases are scaled by 1/sqrt(fanIn); 0: unit variance
    int madeAt = -1;             ///< step that makes it; -1: there before the first step
    int freedAfter = -1;         ///< step after which nobody needs it; -1: kept to the end of the pass
    bool savedForBackward = false;

    /// Elements of the global tensor.
    [[nodiscard]] std::int64_t elements() const;
    /// Bytes of the global tensor.
    [[nodiscard]] std::int64_t bytes() const;
};

/// The first index and length of the slice of `dim` elements that coordinate `index` of `count` holds. Chunk c of n
/// elements is [c*n/N, (c+1)*n/N).
struct Slice {
    std::int64_t begin = 0;
    std::int64_t length = 0;
};
[[nodiscard]] Slice sliceOf(std::int64_t elements, int index, int count);

/// The slice of a sharded dimension that `rank` holds along that axis, honouring replicas.
[[nodiscard]] Slice sliceAlong(const Placement &placement, std::int64_t elements, const Mesh &mesh, MeshAxis axis,
                               int rank);

/// The last coordinate's slice is n/N rounded up, so the last rank of a stage holds the largest share of everything.
[[nodiscard]] inline int rankWithLargestShare(const Mesh &mesh, int stage = kEveryStage)
{
    const int perStage = mesh.size() / mesh.extent(MeshAxis::Pp);
    return stage == kEveryStage ? mesh.size() - 1 : (stage + 1) * perStage - 1;
}

/// Whether `rank` has this tensor at all: it belongs to its pipeline stage.
[[nodiscard]] bool holds(const Tensor &tensor, const Mesh &mesh, int rank);

/// Per dimension the global indices that `rank` holds. A dimension cut along two axes: parameters are cut by tp first,
/// because ZeRO cuts what a rank has; tokens are dealt to the replicas first, whole sequences to each.
[[nodiscard]] std::vector<Slice> localSlices(const Tensor &tensor, const Mesh &mesh, int rank);

/// The shape that `rank` holds, if it holds the tensor.
[[nodiscard]] std::vector<std::int64_t> localShape(const Tensor &tensor, const Mesh &mesh, int rank);
/// Bytes that `rank` holds; 0 on another pipeline stage.
[[nodiscard]] std::int64_t localBytes(const Tensor &tensor, const Mesh &mesh, int rank);

} // namespace shardscope

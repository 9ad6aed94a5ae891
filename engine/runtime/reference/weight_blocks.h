// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/reference/twin.h"
#include "engine/runtime/value_source.h"

#include <functional>
#include <map>
#include <string>

namespace shardscope {

/// Ranks split the blocks of the reference among them; `sum` adds a tensor over the ranks in place. One worker
/// alone computes all of it.
struct WorkShare {
    int index = 0;
    int count = 1;
    std::function<void(at::Tensor &)> sum;
};

/// The generated tensors of a plan, unsharded, of which large ones are only ever held in blocks. Of the plan it takes
/// name, shape, fill and fan-in, nothing else.
class WeightBlocks
{
public:
    WeightBlocks(const Plan &plan, const ValueSource &source, const WorkShare &share);

    [[nodiscard]] bool has(const std::string &name) const { return m_generated.contains(name); }
    /// A generated tensor; std::out_of_range where the plan has none of that name.
    [[nodiscard]] const Tensor &spec(const std::string &name) const;
    /// All of a small one; token ids are whole numbers in both twins.
    [[nodiscard]] Twin whole(const std::string &name) const;
    /// The named tensor of every micro-batch, joined along rows: "X#1", "X#2", ... or "X" where there is one.
    [[nodiscard]] Twin ofAllMicroBatches(const std::string &name) const;
    /// Rows of a matrix, one for each id.
    [[nodiscard]] Twin rows(const std::string &name, const at::Tensor &ids) const;
    /// x·W, or x·Wᵀ. The pieces of x·W are added up as the ranks' addends are; x·Wᵀ has none.
    [[nodiscard]] Twin product(const Twin &x, const std::string &w, bool transposed) const;

private:
    /// Values of a weight as the run multiplies them: int8 ones in its dtype.
    [[nodiscard]] at::Tensor multiplied(const Tensor &w, const Region &region) const;
    /// How many ranks share the sum of a product x·W.
    [[nodiscard]] int piecesOf(const Tensor &w) const;
    [[nodiscard]] at::Tensor inPieces(const at::Tensor &x, const at::Tensor &block, int count) const;
    void forBlocks(const Tensor &w, int dim,
                   const std::function<void(Slice slice, const at::Tensor &block)> &body) const;

    int m_microBatches;
    int m_ranks;      ///< of the tensor-parallel axis
    DType m_dtype;    ///< the run's
    DType m_sumDtype; ///< in which the ranks' addends are added
    ValueSource m_source;
    WorkShare m_share;
    std::map<std::string, const Tensor *> m_generated;
};

} // namespace shardscope

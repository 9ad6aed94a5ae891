// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/weight_blocks.h"

#include "engine/runtime/kernels.h"
#include "engine/runtime/reference/names.h"
#include "engine/runtime/torch_types.h"

#include <algorithm>

namespace shardscope {

namespace {

/// Elements of a weight that are held in float64 at a time (32 MB).
constexpr std::int64_t kBlockElements = std::int64_t{1} << 22;

/// A run in float64 is the reference itself.
Twin twinOf(const at::Tensor &values, DType dtype)
{
    if (dtype == DType::I64)
        return {values, values};
    return {values.to(at::kDouble), dtype == DType::F64 ? at::Tensor() : values};
}

} // namespace

WeightBlocks::WeightBlocks(const Plan &plan, const ValueSource &source, const WorkShare &share)
    : m_microBatches(plan.experiment.microBatches), m_source(source), m_share(share)
{
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated)
            m_generated[tensor.name] = &tensor;
}

const Tensor &WeightBlocks::spec(const std::string &name) const
{
    return *m_generated.at(name);
}

Twin WeightBlocks::whole(const std::string &name) const
{
    return twinOf(generate(spec(name), wholeRegion(spec(name)), m_source), spec(name).dtype);
}

Twin WeightBlocks::ofAllMicroBatches(const std::string &name) const
{
    std::vector<Twin> parts;
    for (int j = 0; j < m_microBatches; ++j)
        parts.push_back(whole(microBatchName(name, j, m_microBatches)));
    return joinRows(parts);
}

Twin WeightBlocks::rows(const std::string &name, const at::Tensor &ids) const
{
    const Tensor &matrix = spec(name);
    std::vector<Twin> rows;
    for (std::int64_t i = 0; i < ids.size(0); ++i) {
        const Region row{{ids[i].item<std::int64_t>(), 1}, {0, matrix.shape[1].size}};
        rows.push_back(twinOf(generate(matrix, row, m_source), matrix.dtype));
    }
    return joinRows(rows);
}

/// Slices of a weight along `dim`, whole in the other dimension; this rank's share of them.
void WeightBlocks::forBlocks(const Tensor &w, int dim, const std::function<void(Slice, const at::Tensor &)> &body) const
{
    const Region whole = wholeRegion(w);
    const std::int64_t length = dim == 0 ? whole.rows.length : whole.columns.length;
    const std::int64_t across = dim == 0 ? whole.columns.length : whole.rows.length;
    const std::int64_t fair = (length + m_share.count - 1) / m_share.count;
    const std::int64_t width = std::clamp<std::int64_t>(kBlockElements / across, 1, fair);
    for (std::int64_t begin = m_share.index * width; begin < length; begin += m_share.count * width) {
        const Slice slice{begin, std::min(width, length - begin)};
        body(slice, generate(w, {dim == 0 ? slice : whole.rows, dim == 0 ? whole.columns : slice}, m_source));
    }
}

/// Each block gives whole elements of the result: a sum that went on from block to block would be another computation
/// than one device's, and its error another one.
Twin WeightBlocks::product(const Twin &x, const std::string &w, bool transposed) const
{
    Step step;
    step.kind = StepKind::MatMul;
    step.transposeB = transposed;
    const int dim = transposed ? 0 : 1;
    const std::int64_t length = spec(w).shape[std::size_t(dim)].size;
    Twin result{at::zeros({x.exact.size(0), length}, at::kDouble), {}};
    if (x.plain.defined())
        result.plain = at::zeros({x.exact.size(0), length}, x.plain.options());
    forBlocks(spec(w), dim, [&](Slice slice, const at::Tensor &block) {
        const Twin here = part(result, 1, slice);
        if (here.plain.defined())
            here.plain.copy_(runKernel(step, {x.plain, block}, false)[0]);
        const at::Tensor exact = block.to(at::kDouble);
        here.exact.copy_(at::mm(x.exact, transposed ? exact.t() : exact));
    });
    if (m_share.sum) {
        m_share.sum(result.exact);
        if (result.plain.defined())
            m_share.sum(result.plain); // zeros but for one rank's block: exact
    }
    return result;
}

} // namespace shardscope

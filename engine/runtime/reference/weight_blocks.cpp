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

/// The dtype in which tensor-parallel ranks add up their addends of a forward product: the wire's, or, where the
/// library has exchanged them, LibTorch's own accumulator.
DType sumDtype(const Plan &plan)
{
    for (const Step &step : plan.steps) {
        if (!step.collective || step.pass != Pass::Forward || step.collective->axis != MeshAxis::Tp ||
            step.collective->op == CollectiveOp::AllGather)
            continue;
        const bool exchanged =
            step.collective->op == CollectiveOp::ReduceScatter && step.collective->algorithm == Algorithm::Library;
        return exchanged && plan.experiment.dtype != DType::F64 ? DType::F32 : step.collective->wireDtype;
    }
    return plan.experiment.dtype;
}

/// A run in float64 is the reference itself.
Twin twinOf(const at::Tensor &values, DType dtype)
{
    if (dtype == DType::I64)
        return {values, values};
    return {values.to(at::kDouble), dtype == DType::F64 ? at::Tensor() : values};
}

} // namespace

WeightBlocks::WeightBlocks(const Plan &plan, const ValueSource &source, const WorkShare &share)
    : m_microBatches(plan.experiment.microBatches), m_ranks(plan.mesh().extent(MeshAxis::Tp)),
      m_dtype(plan.experiment.dtype), m_sumDtype(sumDtype(plan)), m_source(source), m_share(share)
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
        body(slice, multiplied(w, {dim == 0 ? slice : whole.rows, dim == 0 ? whole.columns : slice}));
    }
}

at::Tensor WeightBlocks::multiplied(const Tensor &w, const Region &region) const
{
    at::Tensor values = generate(w, region, m_source);
    if (w.fill != Fill::Quantized)
        return values;
    const Tensor &scales = spec("s:" + w.name);
    Step step;
    step.kind = StepKind::Dequantize;
    return runKernel(step, {values, generate(scales, {region.columns}, m_source)}, false, {.dtype = m_dtype})[0];
}

int WeightBlocks::piecesOf(const Tensor &w) const
{
    const Placement &cut = along(w.layout, MeshAxis::Tp);
    return cut.isShard() && cut.dim == 0 ? m_ranks : 1;
}

/// One product after the other, each rounded as a rank's is, summed in the order of the ranks.
at::Tensor WeightBlocks::inPieces(const at::Tensor &x, const at::Tensor &block, int count) const
{
    Step step;
    step.kind = StepKind::MatMul;
    at::Tensor sum;
    for (int i = 0; i < count; ++i) {
        const Slice piece = sliceOf(x.size(1), i, count);
        const at::Tensor addend =
            runKernel(step,
                      {x.narrow(1, piece.begin, piece.length).contiguous(), block.narrow(0, piece.begin, piece.length)},
                      false)[0]
                .to(scalarType(m_sumDtype));
        sum = i == 0 ? addend : sum.add_(addend);
    }
    return sum.to(x.scalar_type());
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
    const int count = piecesOf(spec(w));
    if (!transposed && x.plain.defined() && (count > 1 || x.pieces.defined()))
        result.pieces = at::zeros_like(result.plain);
    forBlocks(spec(w), dim, [&](Slice slice, const at::Tensor &block) {
        const Twin here = part(result, 1, slice);
        if (here.plain.defined())
            here.plain.copy_(runKernel(step, {x.plain, block}, false)[0]);
        if (here.pieces.defined())
            here.pieces.copy_(inPieces(x.pieces.defined() ? x.pieces : x.plain, block, count));
        const at::Tensor exact = block.to(at::kDouble);
        here.exact.copy_(at::mm(x.exact, transposed ? exact.t() : exact));
    });
    if (m_share.sum) {
        m_share.sum(result.exact);
        for (at::Tensor *parts : {&result.plain, &result.pieces})
            if (parts->defined())
                m_share.sum(*parts); // zeros but for one rank's block: exact
    }
    return result;
}

} // namespace shardscope

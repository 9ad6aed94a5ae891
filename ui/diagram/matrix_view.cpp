// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/matrix_view.h"

#include "ui/diagram/words.h"
#include "ui/texts.h"

#include <QStringList>
#include <algorithm>

namespace shardscope {
namespace {

Placement drawnPlacement(const Tensor &tensor, bool transposed)
{
    Placement placement = along(tensor.layout, MeshAxis::Tp);
    if (transposed && tensor.shape.size() == 2 && placement.kind == PlacementKind::Shard)
        placement.dim = 1 - placement.dim;
    return placement;
}

QString shapeText(const QStringList &sizes)
{
    return QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// Sizes per dimension; of all ranks as a span where they differ.
QStringList localSizes(const Plan &plan, const Tensor &tensor, int rank)
{
    std::vector<std::int64_t> low = localShape(tensor, plan.mesh(), std::max(rank, 0));
    std::vector<std::int64_t> high = low;
    for (int other = 0; rank == kAllRanks && other < plan.mesh().size(); ++other) {
        const std::vector<std::int64_t> shape = localShape(tensor, plan.mesh(), other);
        for (std::size_t d = 0; d < shape.size(); ++d) {
            low[d] = std::min(low[d], shape[d]);
            high[d] = std::max(high[d], shape[d]);
        }
    }
    QStringList sizes;
    for (std::size_t d = 0; d < low.size(); ++d)
        sizes << (low[d] == high[d] ? QString::number(low[d]) : QStringLiteral("%1–%2").arg(low[d]).arg(high[d]));
    return sizes;
}

QStringList globalSizes(const Tensor &tensor)
{
    QStringList sizes;
    for (const Dim &dim : tensor.shape)
        sizes << QString::number(dim.size);
    return sizes;
}

QStringList asDrawn(QStringList sizes, bool transposed)
{
    if (transposed)
        std::reverse(sizes.begin(), sizes.end());
    return sizes;
}

MatrixView::Look lookOf(const Placement &placement, int ranks)
{
    if (ranks == 1)
        return MatrixView::Look::Whole;
    switch (placement.kind) {
    case PlacementKind::Shard:
        return MatrixView::Look::Shard;
    case PlacementKind::Partial:
        return MatrixView::Look::Partial;
    case PlacementKind::Root:
    case PlacementKind::Replicated:
        break;
    }
    return MatrixView::Look::Replica;
}

} // namespace

double MatrixView::cutAt(int index) const
{
    const std::int64_t length = cutColumns ? columns : rows;
    if (length <= 0)
        return 0;
    const std::int64_t begin = index >= ranks ? length : sliceOf(length, index, ranks).begin;
    return static_cast<double>(begin) / static_cast<double>(length);
}

MatrixView matrixView(const Plan &plan, TensorId id, bool transposed, int rank)
{
    const Tensor &tensor = plan.tensor(id);
    const Placement placement = drawnPlacement(tensor, transposed);
    MatrixView view;
    view.tensor = id;
    view.rank = rank;
    view.ranks = plan.mesh().extent(MeshAxis::Tp);
    view.look = lookOf(placement, view.ranks);
    view.transposed = transposed;
    view.vector = tensor.shape.size() == 1;
    view.cutColumns = view.vector || placement.dim == 1;
    view.gradient = tensor.role == TensorRole::Gradient || tensor.role == TensorRole::WeightGradient;
    view.columns = tensor.shape.empty() ? 1 : tensor.shape.back().size;
    view.rows = tensor.shape.size() == 2 ? tensor.shape.front().size : 1;
    if (transposed)
        std::swap(view.rows, view.columns);
    view.name = formulaText(tensor.name + (transposed ? "ᵀ" : ""));
    view.globalShape = shapeText(asDrawn(globalSizes(tensor), transposed));
    view.localShape = shapeText(asDrawn(localSizes(plan, tensor, rank), transposed));
    view.placement = placementWord(plan, id, transposed);
    return view;
}

QString placementWord(const Plan &plan, TensorId id, bool transposed)
{
    if (plan.mesh().extent(MeshAxis::Tp) == 1)
        return Words::tr("whole");
    const Tensor &tensor = plan.tensor(id);
    switch (const Placement placement = drawnPlacement(tensor, transposed); placement.kind) {
    case PlacementKind::Replicated:
        return Words::tr("replicated");
    case PlacementKind::Partial:
        return Words::tr("partial");
    case PlacementKind::Root:
        return Words::tr("on rank 0");
    case PlacementKind::Shard:
        if (tensor.shape.size() < 2)
            return Words::tr("shard");
        return placement.dim == 0 ? Words::tr("shard rows") : Words::tr("shard columns");
    }
    return {};
}

QString rankName(const Plan &plan, int rank)
{
    const bool gpus = plan.transport == Transport::Nccl;
    if (rank == kAllRanks)
        return (gpus ? Words::tr("all %1 GPUs") : Words::tr("all %1 ranks")).arg(plan.mesh().extent(MeshAxis::Tp));
    return (gpus ? Words::tr("GPU %1") : Words::tr("rank %1")).arg(rank);
}

} // namespace shardscope

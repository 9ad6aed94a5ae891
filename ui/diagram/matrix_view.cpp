// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/matrix_view.h"

#include "engine/plan/option_limits.h"
#include "ui/diagram/words.h"
#include "ui/texts.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope {
namespace {

/// Sizes as drawn: attention probabilities [b, a, s, s] are b·s rows of a·s columns.
struct Drawn {
    Slice rows;
    Slice columns;
};

bool isTiled(const Tensor &tensor)
{
    return tensor.shape.size() == 4;
}

Drawn drawnSlices(const Tensor &tensor, const std::vector<Slice> &slices, bool transposed)
{
    Drawn drawn{{0, 1}, {0, 1}};
    const auto scaled = [](const Slice &slice, std::int64_t by) { return Slice{slice.begin * by, slice.length * by}; };
    if (isTiled(tensor))
        drawn = {scaled(slices[0], tensor.shape[2].size), scaled(slices[1], tensor.shape[3].size)};
    else if (slices.size() == 2)
        drawn = {slices[0], slices[1]};
    else if (slices.size() == 1)
        drawn.columns = slices[0];
    if (transposed)
        std::swap(drawn.rows, drawn.columns);
    return drawn;
}

QRectF shareOf(const Drawn &part, const Drawn &whole)
{
    const auto share = [](std::int64_t a, std::int64_t b) {
        return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0.0;
    };
    return {share(part.columns.begin, whole.columns.length), share(part.rows.begin, whole.rows.length),
            share(part.columns.length, whole.columns.length), share(part.rows.length, whole.rows.length)};
}

Placement drawnPlacement(const Tensor &tensor, MeshAxis axis, bool transposed)
{
    Placement placement = along(tensor.layout, axis);
    if (transposed && tensor.shape.size() == 2 && placement.isShard())
        placement.dim = 1 - placement.dim;
    return placement;
}

QString shapeText(const QStringList &sizes)
{
    return QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// The ranks of the tensor's pipeline stage; of a tensor of every stage those of the rank's.
std::vector<int> holdersOf(const Plan &plan, const Tensor &tensor, int rank)
{
    const Mesh &mesh = plan.mesh();
    const int stage = tensor.stage != kEveryStage ? tensor.stage : rank < 0 ? 0 : mesh.coordinate(rank, MeshAxis::Pp);
    const int perStage = mesh.size() / mesh.extent(MeshAxis::Pp);
    std::vector<int> ranks;
    for (int r = stage * perStage; r < (stage + 1) * perStage; ++r)
        ranks.push_back(r);
    return ranks;
}

/// Whether the ranks along the axis have different slices.
bool isCutAlong(const Tensor &tensor, MeshAxis axis)
{
    return along(tensor.layout, axis).kind != PlacementKind::Replicated &&
           along(tensor.layout, axis).kind != PlacementKind::Partial;
}

/// Which of `size` places along an axis are drawn: all, or of too many some, evenly apart.
bool isDrawn(int place, int size, int most)
{
    if (size <= most)
        return true;
    const int k = (place * (most - 1) + size - 2) / (size - 1);
    return place == k * (size - 1) / (most - 1);
}

/// Places along each axis of which a slice is drawn.
int mostDrawn(const Tensor &tensor)
{
    constexpr int kEach = 8; ///< where both axes cut
    return isCutAlong(tensor, MeshAxis::Tp) && isCutAlong(tensor, MeshAxis::Dp) ? kEach : kMostRanksInRun;
}

/// Of more holders than are drawn one by one those whose slices are drawn: one of all that have the same, and of more
/// slices than a picture has room for some.
std::vector<int> drawnHolders(const Plan &plan, const Tensor &tensor, std::vector<int> holders)
{
    if (holders.size() <= kMostRanksInRun)
        return holders;
    const Mesh &mesh = plan.mesh();
    std::erase_if(holders, [&](int rank) {
        return std::ranges::any_of(std::array{MeshAxis::Tp, MeshAxis::Dp}, [&](MeshAxis axis) {
            const int place = mesh.coordinate(rank, axis);
            return isCutAlong(tensor, axis) ? !isDrawn(place, mesh.extent(axis), mostDrawn(tensor)) : place != 0;
        });
    });
    return holders;
}

/// Cuts along an axis of which only some places are drawn would be miscounted.
void dropUncountedCuts(MatrixView &view, const Plan &plan, const Tensor &tensor)
{
    for (const MeshAxis axis : {MeshAxis::Tp, MeshAxis::Dp}) {
        if (!isCutAlong(tensor, axis) || plan.mesh().extent(axis) <= mostDrawn(tensor))
            continue;
        const bool rows = tensor.shape.size() > 1 && drawnPlacement(tensor, axis, view.transposed).dim == 0;
        (rows ? view.rowCuts : view.columnCuts).clear();
    }
}

/// Each piece reaches to where the next one drawn begins: of those between nothing would be seen.
void joinPieces(MatrixView &view)
{
    const auto next = [](std::vector<double> cuts, double at) {
        constexpr double kSame = 1e-9;
        std::ranges::sort(cuts);
        const auto found = std::ranges::upper_bound(cuts, at + kSame);
        return found == cuts.end() ? 1.0 : *found;
    };
    for (MatrixView::Piece &piece : view.pieces) {
        piece.box.setRight(next(view.columnCuts, piece.box.left()));
        piece.box.setBottom(next(view.rowCuts, piece.box.top()));
    }
}

/// Of a slice the first rank that has it, whose colour it takes; of a mesh whose ranks are not compared one by one.
void takeOwner(MatrixView &view, const Plan &plan, const Tensor &tensor)
{
    const Mesh &mesh = plan.mesh();
    for (const MeshAxis axis : {MeshAxis::Tp, MeshAxis::Dp}) {
        if (mesh.extent(axis) == 1 || isCutAlong(tensor, axis))
            continue;
        view.shared = true;
        view.owner = mesh.group(view.owner, axis).front();
    }
}

/// Sizes per dimension; of all ranks as a span where they differ.
QStringList localSizes(const Plan &plan, const Tensor &tensor, int rank, const std::vector<int> &holders)
{
    std::vector<std::int64_t> low = localShape(tensor, plan.mesh(), rank < 0 ? holders.front() : rank);
    std::vector<std::int64_t> high = low;
    for (const int other : holders) {
        if (rank >= 0)
            break;
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

void addCut(std::vector<double> &cuts, double at)
{
    constexpr double kSame = 1e-9;
    const bool edge = at <= kSame || at >= 1 - kSame;
    const bool known = std::ranges::any_of(cuts, [&](double cut) { return std::abs(cut - at) < kSame; });
    if (!edge && !known)
        cuts.push_back(at);
}

int addendsOf(const Plan &plan, const Tensor &tensor)
{
    int addends = 1;
    for (const MeshAxis axis : {MeshAxis::Tp, MeshAxis::Dp}) {
        const Placement &placement = along(tensor.layout, axis);
        if (placement.kind == PlacementKind::Partial)
            addends *= plan.mesh().extent(axis);
        else if (placement.addends)
            addends *= placement.replicas;
    }
    return addends;
}

/// Whether the tensor lies on the first rank of an axis alone, and this is another one.
bool isLeftOut(const Plan &plan, const Tensor &tensor, int rank)
{
    return std::ranges::any_of(kMeshAxes, [&](MeshAxis axis) {
        return along(tensor.layout, axis).kind == PlacementKind::Root && plan.mesh().coordinate(rank, axis) != 0;
    });
}

bool isOnRoot(const Plan &plan, const Tensor &tensor)
{
    return std::ranges::any_of(usedAxes(plan.mesh()),
                               [&](MeshAxis axis) { return along(tensor.layout, axis).kind == PlacementKind::Root; });
}

MatrixView::Look lookOf(const Plan &plan, const Tensor &tensor, const MatrixView &view)
{
    const bool here =
        view.rank == kAllRanks || (holds(tensor, plan.mesh(), view.rank) && !isLeftOut(plan, tensor, view.rank));
    if (!here)
        return MatrixView::Look::Absent;
    if (view.holders == 1 || isOnRoot(plan, tensor))
        return MatrixView::Look::Whole;
    if (view.addends > 1)
        return MatrixView::Look::Partial;
    const bool cut = !view.rowCuts.empty() || !view.columnCuts.empty();
    return cut ? MatrixView::Look::Shard : MatrixView::Look::Replica;
}

/// Every rank's slice: cuts, what this rank has, and who has the same.
void fillSlices(MatrixView &view, const Plan &plan, const Tensor &tensor, const std::vector<int> &holders)
{
    std::vector<Slice> whole;
    for (const Dim &dim : tensor.shape)
        whole.push_back({0, dim.size});
    const Drawn all = drawnSlices(tensor, whole, view.transposed);
    view.rows = all.rows.length;
    view.columns = all.columns.length;
    const auto boxOf = [&](int rank) {
        return shareOf(drawnSlices(tensor, localSlices(tensor, plan.mesh(), rank), view.transposed), all);
    };
    if (view.rank >= 0)
        view.held = boxOf(view.rank);
    view.owner = view.rank;
    for (const int rank : holders) {
        const QRectF box = boxOf(rank);
        addCut(view.rowCuts, box.top());
        addCut(view.columnCuts, box.left());
        const bool first = std::ranges::none_of(view.pieces, [&](const auto &piece) { return piece.box == box; });
        if (first)
            view.pieces.push_back({rank, box});
        if (box == view.held && rank != view.rank) {
            view.shared = true;
            view.owner = std::min(view.owner, rank);
        }
    }
    std::ranges::sort(view.rowCuts);
    std::ranges::sort(view.columnCuts);
    if (view.rank != kAllRanks)
        view.pieces.clear();
}

QString axisWord(MeshAxis axis)
{
    return QString::fromUtf8(axisName(axis).data(), static_cast<qsizetype>(axisName(axis).size()));
}

QString shardWord(const Tensor &tensor, const Placement &placement)
{
    QString word = Words::tr("shard");
    if (isTiled(tensor))
        word = placement.dim == 0 ? Words::tr("shard sequences") : Words::tr("shard heads");
    else if (tensor.shape.size() == 2)
        word = placement.dim == 0 ? Words::tr("shard rows") : Words::tr("shard columns");
    if (placement.replicas > 1)
        word += Words::tr(", ×%1 replicas").arg(placement.replicas);
    return placement.addends ? word + Words::tr(", addends") : word;
}

QString wordAlong(const Tensor &tensor, const Placement &placement)
{
    switch (placement.kind) {
    case PlacementKind::Replicated:
        return Words::tr("replicated");
    case PlacementKind::Partial:
        return placement.reduce == ReduceOp::Max ? Words::tr("partial (max)") : Words::tr("partial");
    case PlacementKind::Root:
        return Words::tr("on rank 0");
    case PlacementKind::Shard:
        break;
    }
    return shardWord(tensor, placement);
}

} // namespace

std::vector<MeshAxis> usedAxes(const Mesh &mesh)
{
    std::vector<MeshAxis> axes;
    for (const MeshAxis axis : kMeshAxes) {
        if (mesh.extent(axis) > 1)
            axes.push_back(axis);
    }
    return axes;
}

MatrixView matrixView(const Plan &plan, TensorId id, bool transposed, int rank)
{
    const Tensor &tensor = plan.tensor(id);
    const std::vector<int> all = holdersOf(plan, tensor, rank);
    const std::vector<int> holders = drawnHolders(plan, tensor, all);
    MatrixView view;
    view.tensor = id;
    view.rank = rank;
    view.ranks = plan.mesh().size();
    view.holders = static_cast<int>(all.size());
    view.transposed = transposed;
    view.vector = tensor.shape.size() == 1;
    view.gradient = tensor.role == TensorRole::Gradient || tensor.role == TensorRole::WeightGradient;
    view.addends = addendsOf(plan, tensor);
    fillSlices(view, plan, tensor, holders);
    if (all.size() > kMostRanksInRun) {
        joinPieces(view);
        if (rank >= 0)
            takeOwner(view, plan, tensor);
    }
    view.look = lookOf(plan, tensor, view);
    if (all.size() > kMostRanksInRun)
        dropUncountedCuts(view, plan, tensor);
    if (isTiled(tensor)) {
        view.tileRows = static_cast<int>(tensor.shape[0].size);
        view.tileColumns = static_cast<int>(tensor.shape[1].size);
    }
    view.name = formulaText(tensor.name + (transposed ? "ᵀ" : ""));
    view.globalShape = shapeText(asDrawn(globalSizes(tensor), transposed));
    if (tensor.dtype == DType::I8) // beside what it becomes before it is multiplied
        view.globalShape += QLatin1Char(' ') + QString::fromUtf8(name(tensor.dtype).data());
    view.localShape = shapeText(asDrawn(localSizes(plan, tensor, rank, holders), transposed));
    view.placement = placementWord(plan, id, transposed);
    return view;
}

QString placementWord(const Plan &plan, TensorId id, bool transposed)
{
    const Tensor &tensor = plan.tensor(id);
    const std::vector<MeshAxis> axes = usedAxes(plan.mesh());
    QStringList words;
    for (const MeshAxis axis : axes) {
        const Placement placement = drawnPlacement(tensor, axis, transposed);
        if (placement.kind == PlacementKind::Replicated)
            continue;
        const QString word = wordAlong(tensor, placement);
        words << (axes.size() == 1 ? word : axisWord(axis) + QLatin1Char(' ') + word);
    }
    if (!words.isEmpty())
        return words.join(QStringLiteral(" · "));
    // A stage's tensors are on no other stage.
    const bool several = plan.mesh().size() > plan.mesh().extent(MeshAxis::Pp);
    return several ? Words::tr("replicated") : Words::tr("whole");
}

QString rankName(const Plan &plan, int rank)
{
    const bool gpus = plan.transport == Transport::Nccl;
    if (rank == kAllRanks)
        return (gpus ? Words::tr("all %1 GPUs") : Words::tr("all %1 ranks")).arg(plan.mesh().size());
    return (gpus ? Words::tr("GPU %1") : Words::tr("rank %1")).arg(rank);
}

QString rankTitle(const Plan &plan, int rank)
{
    const QString name = rankName(plan, rank);
    const std::vector<MeshAxis> axes = usedAxes(plan.mesh());
    if (rank == kAllRanks || axes.empty())
        return name;
    if (axes.size() == 1)
        return axes.front() == MeshAxis::Pp ? Words::tr("%1 · stage %2").arg(name).arg(rank) : name;
    QStringList places;
    for (const MeshAxis axis : axes)
        places << axisWord(axis) + QLatin1Char(' ') + QString::number(plan.mesh().coordinate(rank, axis));
    return name + QStringLiteral(" · ") + places.join(QLatin1Char(' '));
}

} // namespace shardscope

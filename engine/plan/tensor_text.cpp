// SPDX-License-Identifier: MIT
#include "engine/plan/tensor_text.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace shardscope {
namespace {

std::string stageText(const Plan &plan, const Tensor &tensor)
{
    return plan.mesh().extent(MeshAxis::Pp) > 1 ? " (stage " + std::to_string(tensor.stage) + ")" : "";
}

std::string shapeOnRank(const Plan &plan, const Tensor &tensor, int rank)
{
    std::string text = "[";
    for (const std::int64_t size : localShape(tensor, plan.mesh(), rank))
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
}

} // namespace

std::string symbolsText(const Tensor &tensor)
{
    std::string text = "[";
    for (const Dim &dim : tensor.shape)
        text += (text.size() > 1 ? ", " : "") + dim.symbol;
    return text + "]";
}

std::string layoutText(const Plan &plan, const Tensor &tensor)
{
    const int rank = static_cast<int>(tensor.shape.size());
    std::vector<MeshAxis> axes;
    std::ranges::copy_if(std::array{MeshAxis::Tp, MeshAxis::Dp}, std::back_inserter(axes),
                         [&](MeshAxis axis) { return plan.mesh().extent(axis) > 1; });
    if (axes.size() < 2) {
        const MeshAxis axis = axes.empty() ? MeshAxis::Tp : axes.front();
        return describe(along(tensor.layout, axis), rank) + stageText(plan, tensor);
    }
    std::string text;
    for (const MeshAxis axis : axes)
        addToList(text, std::string(axisName(axis)) + " " + describe(along(tensor.layout, axis), rank));
    return text + stageText(plan, tensor);
}

int firstHolder(const Plan &plan, const Tensor &tensor)
{
    const int perStage = plan.mesh().size() / plan.mesh().extent(MeshAxis::Pp);
    return tensor.stage == kEveryStage ? 0 : tensor.stage * perStage;
}

std::string localShapeText(const Plan &plan, const Tensor &tensor)
{
    const std::string first = shapeOnRank(plan, tensor, firstHolder(plan, tensor));
    const std::string largest = shapeOnRank(plan, tensor, rankWithLargestShare(plan.mesh(), tensor.stage));
    return first == largest ? first : first + " to " + largest;
}

} // namespace shardscope

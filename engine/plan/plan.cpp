// SPDX-License-Identifier: MIT
#include "engine/plan/plan.h"

#include "engine/plan/plan_builder.h"
#include "engine/plan/schemes.h"

namespace shardscope {

std::vector<TensorId> Plan::versions(std::string_view name) const
{
    std::vector<TensorId> ids;
    for (const Tensor &tensor : tensors) {
        if (tensor.name == name)
            ids.push_back(tensor.id);
    }
    return ids;
}

Plan buildPlan(const Experiment &experiment, Transport transport)
{
    PlanBuilder builder(experiment, transport);
    switch (experiment.scheme) {
    case Scheme::Column:
        buildColumn(builder);
        break;
    case Scheme::Row:
        buildRow(builder);
        break;
    case Scheme::Mlp:
        buildMlp(builder);
        break;
    case Scheme::BugRowBiasEachRank:
        buildBugRowBiasEachRank(builder);
        break;
    case Scheme::BugAllReduceColumns:
        buildBugAllReduceColumns(builder);
        break;
    }
    return builder.finish();
}

} // namespace shardscope

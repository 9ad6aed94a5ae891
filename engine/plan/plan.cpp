// SPDX-License-Identifier: MIT
#include "engine/plan/plan.h"

#include "engine/plan/experiment_options.h"
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

int Plan::groupSize(const Collective &collective) const
{
    if (collective.op == CollectiveOp::SendRecv)
        return 2;
    return collective.replicas > 0 ? collective.replicas : mesh().extent(collective.axis);
}

bool Plan::runs(const Step &step, int rank) const
{
    if (step.stage == kEveryStage)
        return true;
    const int stage = mesh().coordinate(rank, MeshAxis::Pp);
    const bool receives =
        step.collective && step.collective->op == CollectiveOp::SendRecv && step.collective->toStage == stage;
    return stage == step.stage || receives;
}

Plan buildPlan(const Experiment &experiment, Transport transport)
{
    PlanBuilder builder(withoutUnused(experiment), transport);
    switch (experiment.scheme) {
    case Scheme::Column:
        buildColumn(builder);
        break;
    case Scheme::Row:
        buildRow(builder);
        break;
    case Scheme::Embedding:
        buildEmbedding(builder);
        break;
    case Scheme::Logits:
        buildLogits(builder);
        break;
    case Scheme::Mlp:
    case Scheme::Attention:
    case Scheme::Block:
    case Scheme::DataParallel:
    case Scheme::Zero1:
    case Scheme::Zero2:
    case Scheme::Zero3:
    case Scheme::Pipeline:
        buildModel(builder);
        break;
    default:
        buildBug(builder);
        break;
    }
    return builder.finish();
}

} // namespace shardscope

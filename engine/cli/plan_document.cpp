// SPDX-License-Identifier: MIT
#include "engine/cli/plan_document.h"

#include "engine/plan/traffic.h"
#include "engine/record/json_values.h"

namespace shardscope::cli {
namespace {

/// Null where every stage has it, or runs it.
Json stageDocument(int stage)
{
    return stage == kEveryStage ? Json(nullptr) : Json(stage);
}

Json tensorDocument(const Plan &plan, const Tensor &tensor)
{
    Json shape = Json::array();
    Json symbols = Json::array();
    for (const Dim &dim : tensor.shape) {
        shape.push_back(dim.size);
        symbols.push_back(dim.symbol);
    }
    const auto placed = [&](MeshAxis axis) {
        return describe(along(tensor.layout, axis), static_cast<int>(tensor.shape.size()));
    };
    Json placements = Json::object();
    for (const MeshAxis axis : kMeshAxes)
        placements[std::string(axisName(axis))] = placed(axis);
    const int rank = rankWithLargestShare(plan.mesh(), tensor.stage);
    return {{"id", tensor.id},
            {"name", tensor.name},
            {"symbols", symbols},
            {"shape", shape},
            {"local_shape", localShape(tensor, plan.mesh(), rank)},
            {"dtype", name(tensor.dtype)},
            {"placement", placed(ownAxis(plan.experiment.scheme))},
            {"placements", placements},
            {"stage", stageDocument(tensor.stage)},
            {"bytes", tensor.bytes()},
            {"bytes_per_rank", localBytes(tensor, plan.mesh(), rank)}};
}

Json collectiveDocument(const Plan &plan, const Collective &collective)
{
    const bool message = collective.op == CollectiveOp::SendRecv;
    return {{"op", name(collective.op)},
            {"axis", axisName(collective.axis)},
            {"group_size", plan.groupSize(collective)},
            {"to_stage", message ? Json(collective.toStage) : Json(nullptr)},
            {"overlapped", collective.overlapped},
            {"algorithm", name(collective.algorithm)},
            {"payload_bytes", collective.payloadBytes},
            {"sent_bytes_per_rank", collective.sentBytesPerRank},
            {"wire_dtype", name(collective.wireDtype)},
            {"hops", collective.hops > 0 ? Json(collective.hops) : Json(nullptr)}};
}

Json stepDocument(const Plan &plan, const Step &step)
{
    const auto names = [&](const std::vector<TensorId> &ids) {
        Json list = Json::array();
        for (const TensorId id : ids)
            list.push_back(plan.tensor(id).name);
        return list;
    };
    Json document{{"id", step.id},
                  {"pass", name(step.pass)},
                  {"layer", step.layer},
                  {"micro_batch", step.microBatch},
                  {"stage", stageDocument(step.stage)},
                  {"kind", name(step.kind)},
                  {"label", step.label},
                  {"title", english(step.title)},
                  {"why", english(step.reason)},
                  {"inputs", names(step.inputs)},
                  {"outputs", names(step.outputs)},
                  {"flops_per_rank", step.flops},
                  {"memory_bytes_per_rank", step.memoryBytes}};
    document["collective"] = step.collective ? collectiveDocument(plan, *step.collective) : Json(nullptr);
    return document;
}

/// The options as the RUN document writes them.
Json experimentDocument(const Plan &plan)
{
    Run run;
    run.plan = plan;
    return experimentJson(run);
}

} // namespace

std::string planDocument(const Plan &plan)
{
    Json tensors = Json::array();
    for (const Tensor &tensor : plan.tensors)
        tensors.push_back(tensorDocument(plan, tensor));
    Json steps = Json::array();
    for (const Step &step : plan.steps)
        steps.push_back(stepDocument(plan, step));
    Json document{{"schema", 1},
                  {"experiment", experimentDocument(plan)},
                  {"tensors", tensors},
                  {"steps", steps},
                  {"peak_bytes_per_rank", peakBytesPerRank(plan)}};
    document["broken_rule"] = plan.brokenRules.empty() ? Json(nullptr) : Json(english(plan.brokenRules.front().rule));
    document["broken_rules"] = Json::array();
    for (const BrokenRule &broken : plan.brokenRules)
        document["broken_rules"].push_back(
            {{"step", broken.step}, {"rule", english(broken.rule)}, {"remedy", english(broken.remedy)}});
    return dumped(document);
}

} // namespace shardscope::cli

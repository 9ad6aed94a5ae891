// SPDX-License-Identifier: MIT
#include "engine/cli/plan_document.h"

#include "engine/plan/traffic.h"
#include "engine/record/json_values.h"

namespace shardscope::cli {
namespace {

Json tensorDocument(const Plan &plan, const Tensor &tensor)
{
    Json shape = Json::array();
    Json symbols = Json::array();
    for (const Dim &dim : tensor.shape) {
        shape.push_back(dim.size);
        symbols.push_back(dim.symbol);
    }
    return {{"id", tensor.id},
            {"name", tensor.name},
            {"symbols", symbols},
            {"shape", shape},
            {"local_shape", localShape(tensor, plan.mesh(), 0)},
            {"dtype", name(tensor.dtype)},
            {"placement", describe(along(tensor.layout, MeshAxis::Tp), static_cast<int>(tensor.shape.size()))},
            {"bytes", tensor.bytes()},
            {"bytes_per_rank", localBytes(tensor, plan.mesh(), 0)}};
}

Json collectiveDocument(const Collective &collective)
{
    return {{"op", name(collective.op)},
            {"axis", axisName(collective.axis)},
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
                  {"kind", name(step.kind)},
                  {"label", step.label},
                  {"title", english(step.title)},
                  {"why", english(step.reason)},
                  {"inputs", names(step.inputs)},
                  {"outputs", names(step.outputs)},
                  {"flops_per_rank", step.flops},
                  {"memory_bytes_per_rank", step.memoryBytes}};
    document["collective"] = step.collective ? collectiveDocument(*step.collective) : Json(nullptr);
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
    document["broken_rule"] =
        plan.brokenRules.empty() ? Json(nullptr) : Json(english(plan.brokenRules.front().rule));
    document["broken_rules"] = Json::array();
    for (const BrokenRule &broken : plan.brokenRules)
        document["broken_rules"].push_back(
            {{"step", broken.step}, {"rule", english(broken.rule)}, {"remedy", english(broken.remedy)}});
    return dumped(document);
}

} // namespace shardscope::cli

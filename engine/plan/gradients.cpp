// SPDX-License-Identifier: MIT
#include "engine/plan/gradients.h"

#include <algorithm>
#include <map>

namespace shardscope {
namespace {

constexpr double kLearningRate = 1e-3;

std::string listed(const std::vector<Parameter *> &parameters)
{
    if (parameters.empty())
        return "";
    const std::string first = parameters.front()->name;
    const std::string last = parameters.back()->name;
    return parameters.size() == 1 ? first : first + ", …, " + last;
}

} // namespace

GradientBook::GradientBook(PlanBuilder &plan)
    : m_plan(plan), m_zero(plan.experiment().zeroStage()), m_replicas(plan.ranks(MeshAxis::Dp))
{
}

std::vector<Parameter *> GradientBook::ofLayer(int layer, bool withGradient)
{
    std::vector<Parameter *> found;
    if (withGradient) {
        for (Parameter *parameter : m_plan.parametersWithGradient()) {
            if (parameter->layer == layer)
                found.push_back(parameter);
        }
    } else {
        for (Parameter &parameter : m_plan.parameters()) {
            if (parameter.layer == layer)
                found.push_back(&parameter);
        }
    }
    return found;
}

void GradientBook::collectiveOver(const CollectiveSpec &spec, const std::vector<Parameter *> &parameters,
                                  TensorId Parameter::*which)
{
    if (parameters.empty())
        return;
    std::vector<TensorId> tensors;
    for (const Parameter *parameter : parameters)
        tensors.push_back(parameter->*which);
    const std::vector<TensorId> made = m_plan.collective(spec, tensors);
    for (std::size_t i = 0; i < made.size(); ++i)
        parameters[i]->*which = made[i];
}

void GradientBook::gatherParameters(int layer)
{
    if (m_zero < 3)
        return;
    const auto parameters = ofLayer(layer, false);
    const TextId why =
        m_plan.pass() == Pass::Forward ? TextId::ReasonGatherParameters : TextId::ReasonGatherParametersAgain;
    collectiveOver({.op = CollectiveOp::AllGather,
                    .axis = MeshAxis::Dp,
                    .dim = 0,
                    .reason = {why, {listed(parameters), std::to_string(m_replicas)}}},
                   parameters, &Parameter::current);
}

void GradientBook::releaseParameters(int layer)
{
    if (m_zero < 3)
        return;
    for (Parameter *parameter : ofLayer(layer, false))
        parameter->current = parameter->home;
}

void GradientBook::accumulate(Parameter &parameter)
{
    if (parameter.fresh == kNoTensor)
        return;
    parameter.gradient =
        parameter.gradient == kNoTensor ? parameter.fresh : m_plan.accumulate(parameter.gradient, parameter.fresh);
    parameter.fresh = kNoTensor;
}

void GradientBook::layerWentBack(int layer, int microBatch)
{
    const auto parameters = ofLayer(layer, true);
    const bool last = microBatch == lastMicroBatch();
    if (m_zero >= 2) { // scattered at once, so that nobody keeps a whole gradient
        average(parameters, &Parameter::fresh);
        reduceOverReplicas(parameters, &Parameter::fresh);
    }
    for (Parameter *parameter : parameters)
        accumulate(*parameter);
    if (!last)
        return;
    if (m_zero < 2)
        average(parameters, &Parameter::gradient);
    reduceReplicatedHeads(parameters);
    if (m_zero < 2)
        reduceOverReplicas(parameters, &Parameter::gradient);
}

int GradientBook::lastMicroBatch() const
{
    // GPipe goes back in reverse.
    const Experiment &e = m_plan.experiment();
    const bool reversed = e.schedule == Schedule::GPipe && m_plan.ranks(MeshAxis::Pp) > 1;
    return reversed ? 0 : e.microBatches - 1;
}

void GradientBook::average(const std::vector<Parameter *> &parameters, TensorId Parameter::*which)
{
    const int microBatches = m_plan.experiment().microBatches;
    const int parts = m_replicas * microBatches;
    if (parts == 1)
        return;
    const TextId reason = m_replicas == 1     ? TextId::ReasonAverageMicroBatches
                          : microBatches == 1 ? TextId::ReasonAverageReplicas
                                              : TextId::ReasonAverage;
    std::vector<std::string> counts;
    for (const int count : {microBatches, m_replicas}) {
        if (count > 1)
            counts.push_back(std::to_string(count));
    }
    for (Parameter *parameter : parameters) {
        parameter->*which = m_plan.scale(parameter->*which, 1.0 / parts);
        std::vector<std::string> args{"d" + parameter->name};
        args.insert(args.end(), counts.begin(), counts.end());
        m_plan.because(reason, std::move(args));
    }
}

/// Ranks that share a KV head have seen other query heads: dWk and dWv are addends.
void GradientBook::reduceReplicatedHeads(const std::vector<Parameter *> &parameters)
{
    std::vector<Parameter *> shared;
    int replicas = 1;
    for (Parameter *parameter : parameters) {
        const Placement &placement = along(m_plan.tensor(parameter->gradient).layout, MeshAxis::Tp);
        if (!placement.addends)
            continue;
        shared.push_back(parameter);
        replicas = placement.replicas;
    }
    collectiveOver({.op = CollectiveOp::AllReduce,
                    .replicas = replicas,
                    .reason = {TextId::ReasonReplicatedHeads, {std::to_string(replicas)}}},
                   shared, &Parameter::gradient);
}

void GradientBook::reduceOverReplicas(const std::vector<Parameter *> &parameters, TensorId Parameter::*which)
{
    const bool whole = m_zero == 0;
    const std::vector<std::string> args{listed(parameters), std::to_string(m_replicas)};
    collectiveOver({.op = whole ? CollectiveOp::AllReduce : CollectiveOp::ReduceScatter,
                    .axis = MeshAxis::Dp,
                    .dim = 0,
                    .overlapped = m_plan.experiment().overlap,
                    .reason = {whole ? TextId::ReasonAverageGradients : TextId::ReasonScatterGradients, args}},
                   parameters, which);
}

/// With sequence parallelism a rank has seen its own tokens only, so its gradients of what every rank has whole (norms,
/// the row layers' biases) are addends: one message for all of them. (Megatron-LM, finalize_model_grads.py.)
void GradientBook::reduceTokenAddends()
{
    std::map<int, std::vector<Parameter *>> perStage;
    for (Parameter *parameter : m_plan.parametersWithGradient()) {
        if (along(m_plan.tensor(parameter->gradient).layout, MeshAxis::Tp) == Placement::partial())
            perStage[parameter->stage].push_back(parameter);
    }
    for (const auto &[stage, parameters] : perStage) {
        m_plan.setStage(stage);
        collectiveOver({.op = CollectiveOp::AllReduce,
                        .reason = {TextId::ReasonTokenAddends, {listed(parameters), std::to_string(m_plan.ranks())}}},
                       parameters, &Parameter::gradient);
    }
}

void GradientBook::finish()
{
    m_plan.setPass(Pass::Optimizer);
    reduceTokenAddends();
    for (const Parameter *parameter : m_plan.parametersWithGradient())
        m_plan.result(parameter->gradient);
    if (m_plan.experiment().hasOptimizer())
        update();
}

void GradientBook::update()
{
    std::map<int, std::vector<Parameter *>> perLayer;
    for (Parameter *parameter : m_plan.parametersWithGradient())
        perLayer[parameter->layer].push_back(parameter);
    for (const auto &[layer, parameters] : perLayer) {
        m_plan.setLayer(layer);
        m_plan.setStage(parameters.front()->stage);
        for (Parameter *parameter : parameters) {
            const bool sliced = m_zero == 1 || m_zero == 2;
            const TensorId weight = sliced ? m_plan.slice(parameter->current, 0, MeshAxis::Dp) : parameter->current;
            m_plan.adam(*parameter, weight, parameter->gradient, kLearningRate);
        }
        if (m_zero == 1 || m_zero == 2)
            collectiveOver({.op = CollectiveOp::AllGather,
                            .axis = MeshAxis::Dp,
                            .dim = 0,
                            .reason = {TextId::ReasonGatherUpdated, {listed(parameters), std::to_string(m_replicas)}}},
                           parameters, &Parameter::current);
    }
}

} // namespace shardscope

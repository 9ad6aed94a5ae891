// SPDX-License-Identifier: MIT
#include "engine/plan/plan_builder.h"

#include "engine/plan/explain.h"
#include "engine/plan/layouts.h"
#include "engine/plan/lives.h"
#include "engine/plan/option_uses.h"
#include "engine/plan/work.h"

#include <algorithm>
#include <stdexcept>

namespace shardscope {

PlanBuilder::PlanBuilder(const Experiment &experiment, Transport transport)
{
    m_plan.experiment = experiment;
    m_plan.transport = transport;
}

Dim PlanBuilder::tokens() const
{
    return {"t", experiment().tokens() * ranks(MeshAxis::Dp)};
}

Placement PlanBuilder::cut(int dim, MeshAxis axis) const
{
    return ranks(axis) == 1 ? whole() : Placement::shard(dim);
}

std::string PlanBuilder::withMicroBatch(const std::string &name) const
{
    return experiment().microBatches > 1 ? name + "#" + std::to_string(m_microBatch + 1) : name;
}

std::string PlanBuilder::scoped(const std::string &name) const
{
    const bool several = experiment().layers > 1;
    return withMicroBatch(several ? name + "." + std::to_string(m_layer + 1) : name);
}

Tensor PlanBuilder::newTensor(const std::string &name, std::vector<Dim> shape, TensorRole role) const
{
    Tensor tensor;
    tensor.name = name;
    tensor.shape = std::move(shape);
    tensor.dtype = experiment().dtype;
    tensor.role = role;
    return tensor;
}

TensorId PlanBuilder::addTensor(Tensor tensor)
{
    tensor.id = static_cast<TensorId>(m_plan.tensors.size());
    tensor.stage = m_stage;
    m_plan.tensors.push_back(std::move(tensor));
    return m_plan.tensors.back().id;
}

Layout PlanBuilder::tokenLayout(Placement alongTp, int dimAlongDp) const
{
    Layout layout;
    along(layout, MeshAxis::Tp) = alongTp;
    along(layout, MeshAxis::Dp) = cut(dimAlongDp, MeshAxis::Dp);
    return layout;
}

TensorId PlanBuilder::generate(Tensor tensor, Placement placement)
{
    tensor.generated = true;
    tensor.layout = tokenLayout(placement, 0);
    return addTensor(std::move(tensor));
}

TensorId PlanBuilder::activation(const std::string &name, std::vector<Dim> shape, Placement placement)
{
    return generate(newTensor(withMicroBatch(name), std::move(shape), TensorRole::Activation), placement);
}

TensorId PlanBuilder::tokenIds(const std::string &name)
{
    Tensor ids = newTensor(withMicroBatch(name), {tokens()}, TensorRole::Activation);
    ids.dtype = DType::I64;
    ids.fill = Fill::Indices;
    ids.indexBound = experiment().vocabulary;
    return generate(std::move(ids), whole());
}

TensorId PlanBuilder::cache(const std::string &name, std::vector<Dim> shape, Placement placement)
{
    return generate(newTensor(scoped(name), std::move(shape), TensorRole::KvCache), placement);
}

TensorId PlanBuilder::arrivingGradient(TensorId y)
{
    Tensor arriving = tensor(y);
    arriving.name = "d" + arriving.name;
    arriving.role = TensorRole::Gradient;
    arriving.generated = true;
    arriving.madeAt = -1;
    return addTensor(std::move(arriving));
}

Parameter &PlanBuilder::parameterOf(const std::string &scopedName)
{
    return m_parameters[m_parameterIndex.at(scopedName)];
}

TensorId PlanBuilder::parameter(const std::string &name, const std::vector<Dim> &shape, TensorRole role,
                                Placement placement, std::int64_t fanIn, Fill fill)
{
    const std::string full = experiment().layers > 1 ? name + "." + std::to_string(m_layer + 1) : name;
    if (const auto found = m_parameterIndex.find(full); found != m_parameterIndex.end())
        return m_parameters[found->second].current;
    Tensor made = newTensor(full, shape, role);
    made.generated = true;
    made.fanIn = fanIn;
    made.fill = fill;
    along(made.layout, MeshAxis::Tp) = placement;
    // ZeRO-3 keeps a slice of every parameter on each replica, cut along the first dimension as FSDP does.
    if (experiment().zeroStage() == 3)
        along(made.layout, MeshAxis::Dp) = cut(0, MeshAxis::Dp);
    const TensorId id = addTensor(std::move(made));
    m_parameterIndex[full] = m_parameters.size();
    m_parameters.push_back({full, id, id, kNoTensor, kNoTensor, m_layer, m_stage});
    return id;
}

TensorId PlanBuilder::weight(const std::string &name, const std::vector<Dim> &shape, Placement placement)
{
    const TensorId id = parameter(name, shape, TensorRole::Weight, placement, shape.front().size);
    const bool int8 = experiment().weightDtype == WeightDType::Int8 && option_uses::weightDtype(experiment());
    if (int8 && !m_columnScales.contains(id)) {
        Tensor &held = m_plan.tensors[static_cast<std::size_t>(id)];
        held.dtype = DType::I8;
        held.fill = Fill::Quantized;
        m_columnScales[id] = columnScales(id);
    }
    return id;
}

/// In f32 whatever the experiment computes in. Along the columns of the weight, and cut as they are: scales of rows
/// that are cut belong to all of them.
TensorId PlanBuilder::columnScales(TensorId weight)
{
    const Tensor &scaled = tensor(weight);
    Tensor scales = newTensor("s:" + scaled.name, {scaled.shape[1]}, TensorRole::Weight);
    scales.dtype = DType::F32;
    scales.generated = true;
    scales.fill = Fill::ColumnScales;
    scales.scalesOf = scaled.name;
    scales.fanIn = scaled.fanIn;
    const Placement &cutAlongTp = along(scaled.layout, MeshAxis::Tp);
    if (cutAlongTp.isShard() && cutAlongTp.dim == 1)
        along(scales.layout, MeshAxis::Tp) = Placement::shard(0, cutAlongTp.replicas);
    return addTensor(std::move(scales));
}

TensorId PlanBuilder::bias(const std::string &name, const Dim &out, Placement placement, std::int64_t fanIn)
{
    if (!experiment().bias)
        return kNoTensor;
    return parameter(name, {out}, TensorRole::Bias, placement, fanIn);
}

Step PlanBuilder::newStep(StepKind kind, std::vector<TensorId> inputs, std::string label) const
{
    Step step;
    step.id = stepCount();
    step.kind = kind;
    step.pass = m_pass;
    step.layer = m_layer;
    step.microBatch = m_microBatch;
    step.stage = m_stage;
    step.label = std::move(label);
    for (const TensorId id : inputs) {
        const int maker = tensor(id).madeAt;
        if (maker >= 0)
            step.dependsOn.push_back(maker);
    }
    std::sort(step.dependsOn.begin(), step.dependsOn.end());
    step.dependsOn.erase(std::unique(step.dependsOn.begin(), step.dependsOn.end()), step.dependsOn.end());
    step.inputs = std::move(inputs);
    return step;
}

std::vector<TensorId> PlanBuilder::append(Step step)
{
    const std::vector<Layout> layouts = inferLayouts(step);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        Tensor &made = m_plan.tensors[static_cast<std::size_t>(step.outputs[i])];
        made.layout = layouts[i];
        made.madeAt = step.id;
    }
    explain(m_plan, step);
    step.flops = flopsPerRank(m_plan, step);
    step.memoryBytes = memoryBytesPerRank(m_plan, step);
    m_plan.steps.push_back(std::move(step));
    return m_plan.steps.back().outputs;
}

std::vector<Layout> PlanBuilder::inferLayouts(const Step &step)
{
    const auto derived = deriveLayouts(m_plan, step);
    if (!m_claim) {
        if (!derived)
            throw std::logic_error(step.label + ": " + english(derived.problem()));
        return *derived;
    }
    if (derived)
        throw std::logic_error(step.label + " was to break the algebra, and does not");
    m_plan.brokenRules.push_back({derived.problem(), step.id, m_claim->remedy});
    Layout layout = tensor(step.inputs.front()).layout;
    along(layout, MeshAxis::Tp) = m_claim->placement;
    m_claim.reset();
    return std::vector<Layout>(step.outputs.size(), layout);
}

void PlanBuilder::parameterGradient(TensorId parameter, TensorId gradient)
{
    const std::size_t owner = m_parameterIndex.at(nameOf(parameter));
    m_parameters[owner].fresh = gradient;
    if (m_withGradient.insert(owner).second)
        m_gradientOrder.push_back(owner);
}

std::vector<Parameter *> PlanBuilder::parametersWithGradient()
{
    std::vector<Parameter *> ordered;
    for (const std::size_t parameter : m_gradientOrder)
        ordered.push_back(&m_parameters[parameter]);
    return ordered;
}

void PlanBuilder::gradientsAreResults()
{
    for (const Parameter *parameter : parametersWithGradient())
        result(parameter->fresh);
}

void PlanBuilder::entitle(TextId id, std::vector<std::string> args)
{
    m_plan.steps.back().title = Text{id, std::move(args)};
}

void PlanBuilder::because(TextId id, std::vector<std::string> args)
{
    // With one rank nothing is cut, and the reasons of cutting do not apply.
    if (experiment().ranks() > 1)
        m_plan.steps.back().reason = Text{id, std::move(args)};
}

void PlanBuilder::breakRule(Placement claimed, Text remedy)
{
    m_claim = Claim{claimed, std::move(remedy)};
}

void PlanBuilder::unreducedResult(TensorId id, Text remedy)
{
    const Tensor &left = tensor(id);
    if (!along(left.layout, MeshAxis::Tp).isAddend())
        throw std::logic_error(left.name + " was to be left unreduced, and is not");
    m_plan.brokenRules.push_back({{TextId::RuleResultPartial, {left.name}}, left.madeAt, std::move(remedy)});
    result(id);
}

Plan PlanBuilder::finish()
{
    setLives(m_plan);
    return std::move(m_plan);
}

} // namespace shardscope

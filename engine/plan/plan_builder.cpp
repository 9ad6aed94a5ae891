// SPDX-License-Identifier: MIT
#include "engine/plan/plan_builder.h"

#include "engine/plan/explain.h"
#include "engine/plan/hop_schedule.h"
#include "engine/plan/layouts.h"
#include "engine/plan/lives.h"
#include "engine/plan/traffic.h"
#include "engine/plan/work.h"

#include <algorithm>
#include <stdexcept>

namespace shardscope {
namespace {

std::string gradientOf(const std::string &name)
{
    return "d" + name;
}

/// Gloo cannot sum bf16, so the runtime hands it f32: twice the bytes travel. Our own algorithms sum by themselves.
DType wireDtype(const Collective &collective, DType dtype, Transport transport)
{
    const bool sums = collective.op == CollectiveOp::AllReduce || collective.op == CollectiveOp::Reduce;
    const bool widened = transport == Transport::Gloo && collective.algorithm == Algorithm::Library && sums;
    return widened && dtype == DType::BF16 ? DType::F32 : dtype;
}

/// Sizes follow nccl-tests: the total logical array, which for a gather is what the ranks hold together.
Collective collectiveOf(CollectiveOp op, const Tensor &moved, int dim, const Plan &plan)
{
    const Mesh &mesh = plan.mesh();
    const int ranks = mesh.extent(MeshAxis::Tp);
    const std::int64_t held = localBytes(moved, mesh, rankWithLargestShare(mesh)) / bytesOf(moved.dtype);

    Collective c;
    c.op = op;
    c.algorithm = plan.experiment.algorithm;
    c.gatherDim = dim;
    c.elements = op == CollectiveOp::AllGather ? held * ranks : held;
    c.payloadBytes = c.elements * bytesOf(moved.dtype);
    c.wireDtype = wireDtype(c, moved.dtype, plan.transport);
    c.sentBytesPerRank = sentBytesPerRank(op, c.algorithm, ranks, c.elements, bytesOf(c.wireDtype));
    if (const auto schedule = hopSchedule(op, c.algorithm, ranks))
        c.hops = static_cast<int>(schedule->hops.size());
    return c;
}

} // namespace

PlanBuilder::PlanBuilder(const Experiment &experiment, Transport transport)
{
    m_plan.experiment = experiment;
    m_plan.transport = transport;
}

Placement PlanBuilder::cut(int dim) const
{
    return experiment().mesh.extent(MeshAxis::Tp) == 1 ? whole() : Placement::shard(dim);
}

TensorId PlanBuilder::addTensor(std::string name, std::vector<Dim> shape, TensorRole role, const Layout &layout)
{
    Tensor tensor;
    tensor.id = static_cast<TensorId>(m_plan.tensors.size());
    tensor.name = std::move(name);
    tensor.shape = std::move(shape);
    tensor.dtype = experiment().dtype;
    tensor.layout = layout;
    tensor.role = role;
    m_plan.tensors.push_back(tensor);
    return tensor.id;
}

TensorId PlanBuilder::generate(std::string name, std::vector<Dim> shape, TensorRole role, Placement placement,
                               std::int64_t fanIn)
{
    Layout layout;
    along(layout, MeshAxis::Tp) = placement;
    const TensorId id = addTensor(std::move(name), std::move(shape), role, layout);
    Tensor &made = m_plan.tensors.back();
    made.generated = true;
    made.fanIn = fanIn;
    return id;
}

TensorId PlanBuilder::activation(std::string name, std::vector<Dim> shape, Placement placement)
{
    return generate(std::move(name), std::move(shape), TensorRole::Activation, placement, 0);
}

TensorId PlanBuilder::weight(std::string name, std::vector<Dim> shape, Placement placement)
{
    const std::int64_t fanIn = shape.front().size;
    return generate(std::move(name), std::move(shape), TensorRole::Weight, placement, fanIn);
}

TensorId PlanBuilder::bias(std::string name, TensorId w)
{
    if (!experiment().bias)
        return kNoTensor;
    const Tensor &weight = tensor(w);
    const bool cutByColumns = along(weight.layout, MeshAxis::Tp) == Placement::shard(1);
    const std::int64_t fanIn = weight.fanIn;
    return generate(std::move(name), {weight.shape[1]}, TensorRole::Bias, cutByColumns ? Placement::shard(0) : whole(),
                    fanIn);
}

TensorId PlanBuilder::arrivingGradient(TensorId y)
{
    const Tensor arriving = tensor(y);
    return generate(gradientOf(arriving.name), arriving.shape, TensorRole::Gradient,
                    along(arriving.layout, MeshAxis::Tp), 0);
}

TensorId PlanBuilder::product(std::string result, TensorRole role, TensorId a, bool transposeA, TensorId b,
                              bool transposeB)
{
    const auto factor = [this](TensorId id, bool transposed) { return tensor(id).name + (transposed ? "ᵀ" : ""); };
    Step step = newStep(StepKind::MatMul, {a, b}, result + " = " + factor(a, transposeA) + "·" + factor(b, transposeB));
    step.transposeA = transposeA;
    step.transposeB = transposeB;
    const std::vector<Dim> shape{tensor(a).shape[transposeA ? 1 : 0], tensor(b).shape[transposeB ? 0 : 1]};
    step.outputs = {addTensor(std::move(result), shape, role, {})};
    const TensorId made = step.outputs.front();
    append(std::move(step));
    return made;
}

TensorId PlanBuilder::matMul(std::string result, TensorId a, TensorId b)
{
    return product(std::move(result), TensorRole::Activation, a, false, b, false);
}

TensorId PlanBuilder::inputGradient(std::string result, TensorId dY, TensorId w)
{
    return product(std::move(result), TensorRole::Gradient, dY, false, w, true);
}

TensorId PlanBuilder::weightGradient(TensorId w, TensorId x, TensorId dY)
{
    return product(gradientOf(tensor(w).name), TensorRole::WeightGradient, x, true, dY, false);
}

TensorId PlanBuilder::biasGradient(TensorId bias, TensorId dY)
{
    if (bias == kNoTensor)
        return kNoTensor;
    const std::string result = gradientOf(tensor(bias).name);
    Step step = newStep(StepKind::SumRows, {dY}, result + " = Σ " + tensor(dY).name);
    const std::vector<Dim> shape{tensor(dY).shape[1]};
    step.outputs = {addTensor(result, shape, TensorRole::WeightGradient, {})};
    const TensorId made = step.outputs.front();
    append(std::move(step));
    return made;
}

TensorId PlanBuilder::addBias(TensorId y, TensorId bias)
{
    if (bias == kNoTensor)
        return y;
    const std::string name = tensor(y).name;
    return elementwise(StepKind::AddBias, name, {y, bias}, name + " + " + tensor(bias).name);
}

TensorId PlanBuilder::gelu(std::string result, TensorId z)
{
    const std::string label = result + " = GELU(" + tensor(z).name + ")";
    return elementwise(StepKind::Gelu, std::move(result), {z}, label);
}

TensorId PlanBuilder::geluBackward(std::string result, TensorId dH, TensorId z)
{
    const std::string label = result + " = " + tensor(dH).name + "·GELU'(" + tensor(z).name + ")";
    return elementwise(StepKind::GeluBackward, std::move(result), {dH, z}, label);
}

TensorId PlanBuilder::swiGlu(std::string result, TensorId gate, TensorId up)
{
    const std::string label = result + " = SiLU(" + tensor(gate).name + ")·" + tensor(up).name;
    return elementwise(StepKind::SwiGlu, std::move(result), {gate, up}, label);
}

std::vector<TensorId> PlanBuilder::swiGluBackward(TensorId dH, TensorId gate, TensorId up)
{
    const std::string dGate = gradientOf(tensor(gate).name);
    const std::string dUp = gradientOf(tensor(up).name);
    Step step = newStep(StepKind::SwiGluBackward, {dH, gate, up}, dGate + ", " + dUp + " from " + tensor(dH).name);
    const std::vector<Dim> shape = tensor(gate).shape;
    step.outputs.push_back(addTensor(dGate, shape, TensorRole::Gradient, {}));
    step.outputs.push_back(addTensor(dUp, shape, TensorRole::Gradient, {}));
    std::vector<TensorId> made = step.outputs;
    append(std::move(step));
    return made;
}

TensorId PlanBuilder::add(std::string result, TensorId a, TensorId b)
{
    const std::string label = result + " = " + tensor(a).name + " + " + tensor(b).name;
    return elementwise(StepKind::Add, std::move(result), {a, b}, label);
}

TensorId PlanBuilder::elementwise(StepKind kind, std::string result, std::vector<TensorId> inputs, std::string label)
{
    const Tensor like = tensor(inputs.front());
    Step step = newStep(kind, std::move(inputs), std::move(label));
    step.outputs = {addTensor(std::move(result), like.shape, like.role, {})};
    const TensorId made = step.outputs.front();
    append(std::move(step));
    return made;
}

TensorId PlanBuilder::slice(TensorId x, int dim)
{
    const Tensor sliced = tensor(x);
    if (cut(dim) == whole())
        return x;
    Layout layout = sliced.layout;
    along(layout, MeshAxis::Tp) = cut(dim);
    Step step = newStep(StepKind::Slice, {x}, "slice " + sliced.name);
    step.outputs = {addTensor(sliced.name, sliced.shape, sliced.role, layout)};
    const TensorId made = step.outputs.front();
    append(std::move(step));
    return made;
}

TensorId PlanBuilder::allReduce(TensorId x)
{
    return collective(CollectiveOp::AllReduce, x, 0);
}

TensorId PlanBuilder::allGather(TensorId x, int dim)
{
    return collective(CollectiveOp::AllGather, x, dim);
}

TensorId PlanBuilder::collective(CollectiveOp op, TensorId x, int dim)
{
    const Tensor moved = tensor(x);
    if (experiment().mesh.extent(MeshAxis::Tp) == 1)
        return x;
    Step step = newStep(StepKind::Collective, {x}, (op == CollectiveOp::AllReduce ? "AR " : "AG ") + moved.name);
    step.stream = Stream::Communication;
    step.collective = collectiveOf(op, moved, dim, m_plan);
    step.outputs = {addTensor(moved.name, moved.shape, moved.role, {})};
    const TensorId made = step.outputs.front();
    append(std::move(step));
    return made;
}

Step PlanBuilder::newStep(StepKind kind, std::vector<TensorId> inputs, std::string label) const
{
    Step step;
    step.id = static_cast<int>(m_plan.steps.size());
    step.kind = kind;
    step.pass = m_pass;
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

void PlanBuilder::append(Step step)
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
}

std::vector<Layout> PlanBuilder::inferLayouts(const Step &step)
{
    const auto derived = deriveLayouts(m_plan, step);
    if (!m_claimed) {
        if (!derived)
            throw std::logic_error(step.label + ": " + english(derived.problem()));
        return *derived;
    }
    if (derived)
        throw std::logic_error(step.label + " was to break the algebra, and does not");
    m_plan.brokenRule = BrokenRule{derived.problem(), step.id};
    Layout layout = tensor(step.inputs.front()).layout;
    along(layout, MeshAxis::Tp) = *m_claimed;
    m_claimed.reset();
    return std::vector<Layout>(step.outputs.size(), layout);
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

Plan PlanBuilder::finish()
{
    setLives(m_plan);
    return std::move(m_plan);
}

} // namespace shardscope

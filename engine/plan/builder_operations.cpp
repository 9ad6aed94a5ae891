// SPDX-License-Identifier: MIT
#include "engine/plan/plan_builder.h"

#include <utility>

namespace shardscope {
namespace {

std::string gradientOf(const std::string &name)
{
    return "d" + name;
}

} // namespace

std::vector<TensorId> PlanBuilder::operation(StepKind kind, const std::vector<TensorId> &inputs,
                                             const std::vector<Tensor> &results, std::string label)
{
    Step step = newStep(kind, inputs, std::move(label));
    step.attention = m_attention;
    step.factor = std::exchange(m_factor, 1.0);
    for (const Tensor &result : results)
        step.outputs.push_back(addTensor(result));
    return append(std::move(step));
}

TensorId PlanBuilder::product(std::string result, TensorRole role, TensorId a, bool transposeA, TensorId b,
                              bool transposeB)
{
    const auto factor = [this](TensorId id, bool transposed) { return nameOf(id) + (transposed ? "ᵀ" : ""); };
    Step step = newStep(StepKind::MatMul, {a, b}, result + " = " + factor(a, transposeA) + "·" + factor(b, transposeB));
    step.transposeA = transposeA;
    step.transposeB = transposeB;
    const std::vector<Dim> shape{tensor(a).shape[transposeA ? 1 : 0], tensor(b).shape[transposeB ? 0 : 1]};
    step.outputs = {addTensor(newTensor(result, shape, role))};
    return append(std::move(step)).front();
}

TensorId PlanBuilder::matMul(const std::string &result, TensorId a, TensorId b)
{
    return product(result, TensorRole::Activation, a, false, dequantized(b), false);
}

TensorId PlanBuilder::dequantized(TensorId weight)
{
    const auto scales = m_columnScales.find(weight);
    if (scales == m_columnScales.end())
        return weight;
    const Tensor &held = tensor(weight);
    return operation(StepKind::Dequantize, {weight, scales->second},
                     {newTensor(held.name, held.shape, TensorRole::Weight)},
                     held.name + " = int8 · " + nameOf(scales->second))
        .front();
}

TensorId PlanBuilder::inputGradient(const std::string &result, TensorId dY, TensorId w)
{
    return product(result, TensorRole::Gradient, dY, false, w, true);
}

TensorId PlanBuilder::weightGradient(TensorId w, TensorId x, TensorId dY)
{
    return product(withMicroBatch(gradientOf(nameOf(w))), TensorRole::WeightGradient, x, true, dY, false);
}

TensorId PlanBuilder::biasGradient(TensorId bias, TensorId dY)
{
    if (bias == kNoTensor)
        return kNoTensor;
    const std::string result = withMicroBatch(gradientOf(nameOf(bias)));
    return operation(StepKind::SumRows, {dY}, {newTensor(result, {tensor(dY).shape[1]}, TensorRole::WeightGradient)},
                     result + " = Σ " + nameOf(dY))
        .front();
}

TensorId PlanBuilder::normScaleGradient(TensorId scale, TensorId dY, TensorId x)
{
    const std::string result = withMicroBatch(gradientOf(nameOf(scale)));
    return operation(StepKind::LayerNormScaleGradient, {dY, x},
                     {newTensor(result, tensor(scale).shape, TensorRole::WeightGradient)},
                     result + " = Σ " + nameOf(dY) + "·norm(" + nameOf(x) + ")")
        .front();
}

TensorId PlanBuilder::elementwise(StepKind kind, const std::string &result, std::vector<TensorId> inputs,
                                  std::string label)
{
    const Tensor &like = tensor(inputs.front());
    Tensor made = newTensor(result, like.shape, like.role);
    made.dtype = like.dtype;
    return operation(kind, inputs, {made}, std::move(label)).front();
}

TensorId PlanBuilder::addBias(TensorId y, TensorId bias)
{
    if (bias == kNoTensor)
        return y;
    const std::string name = nameOf(y);
    return elementwise(StepKind::AddBias, name, {y, bias}, name + " + " + nameOf(bias));
}

TensorId PlanBuilder::add(const std::string &result, TensorId a, TensorId b)
{
    return elementwise(StepKind::Add, result, {a, b}, result + " = " + nameOf(a) + " + " + nameOf(b));
}

TensorId PlanBuilder::accumulate(TensorId sum, TensorId more)
{
    // "dW1#1" + "dW1#2" is a part of "dW1".
    const std::string &first = nameOf(sum);
    const std::string name = first.substr(0, first.find('#'));
    const std::string label = name + " = " + first + " + " + nameOf(more);
    const TensorId made = elementwise(StepKind::Add, name, {sum, more}, label);
    because(TextId::ReasonAccumulate, {name, std::to_string(experiment().microBatches)});
    return made;
}

TensorId PlanBuilder::scale(TensorId x, double factor)
{
    const std::string name = nameOf(x);
    Step step = newStep(StepKind::Scale, {x}, name + " / " + std::to_string(static_cast<int>(1 / factor + 0.5)));
    step.factor = factor;
    Tensor made = newTensor(name, tensor(x).shape, tensor(x).role);
    step.outputs = {addTensor(std::move(made))};
    return append(std::move(step)).front();
}

TensorId PlanBuilder::slice(TensorId x, int dim, MeshAxis axis)
{
    const Tensor &sliced = tensor(x);
    if (cut(dim, axis) == whole())
        return x;
    Step step = newStep(StepKind::Slice, {x}, "slice " + sliced.name);
    Tensor made = newTensor(sliced.name, sliced.shape, sliced.role);
    made.layout = sliced.layout;
    along(made.layout, axis) = cut(dim, axis);
    step.outputs = {addTensor(std::move(made))};
    return append(std::move(step)).front();
}

void PlanBuilder::adam(Parameter &parameter, TensorId weight, TensorId gradient, double rate)
{
    const Tensor held = tensor(weight);
    const auto state = [&](const char *prefix) {
        Tensor made = newTensor(prefix + parameter.name, held.shape, TensorRole::OptimizerState);
        made.generated = true;
        made.fill = Fill::Zeros;
        made.layout = held.layout;
        return addTensor(std::move(made));
    };
    const TensorId m = state("m:");
    const TensorId v = state("v:");
    Step step = newStep(StepKind::Adam, {weight, gradient, m, v}, "Adam " + parameter.name);
    step.factor = rate;
    for (const TensorId id : {weight, m, v}) {
        const Tensor &before = tensor(id);
        step.outputs.push_back(addTensor(newTensor(before.name, before.shape, before.role)));
    }
    parameter.current = append(std::move(step)).front();
}

TensorId PlanBuilder::pad(TensorId x, double ms)
{
    Step step = newStep(StepKind::Pad, {x}, "pad " + nameOf(x));
    step.padMs = ms;
    step.outputs = {addTensor(newTensor(nameOf(x), tensor(x).shape, tensor(x).role))};
    return append(std::move(step)).front();
}

} // namespace shardscope

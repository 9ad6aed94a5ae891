// SPDX-License-Identifier: MIT
#include "engine/runtime/executor.h"

#include "engine/runtime/kernels.h"
#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <stdexcept>

namespace shardscope {

void MemoryCount::hold(const at::Tensor &tensor)
{
    const void *storage = tensor.storage().unsafeGetStorageImpl();
    const auto found = std::find_if(m_holdings.begin(), m_holdings.end(),
                                    [storage](const Holding &holding) { return holding.storage == storage; });
    if (found != m_holdings.end()) {
        ++found->holders;
        return;
    }
    m_holdings.push_back({storage, 1, std::int64_t(tensor.storage().nbytes())});
    m_bytes += m_holdings.back().bytes;
}

void MemoryCount::release(const at::Tensor &tensor)
{
    const void *storage = tensor.storage().unsafeGetStorageImpl();
    const auto found = std::find_if(m_holdings.begin(), m_holdings.end(),
                                    [storage](const Holding &holding) { return holding.storage == storage; });
    if (found == m_holdings.end() || --found->holders > 0)
        return;
    m_bytes -= found->bytes;
    m_holdings.erase(found);
}

void MemoryCount::touch(std::int64_t extraBytes)
{
    m_peak = std::max(m_peak, m_bytes + extraBytes);
}

Executor::Executor(const Plan &plan, Communicator &communicator)
    : m_plan(plan), m_communicator(communicator), m_values(plan.tensors.size()), m_freedAfter(plan.steps.size())
{
    if (plan.mesh().extent(MeshAxis::Tp) != communicator.size())
        throw std::invalid_argument("the plan is for " + std::to_string(plan.mesh().extent(MeshAxis::Tp)) +
                                    " tensor-parallel ranks, not for " + std::to_string(communicator.size()));
    for (const Tensor &tensor : plan.tensors)
        if (tensor.freedAfter >= 0)
            m_freedAfter[std::size_t(tensor.freedAfter)].push_back(tensor.id);
}

void Executor::setInputs(const NamedTensors &inputs)
{
    for (const Tensor &tensor : m_plan.tensors)
        if (tensor.generated)
            set(tensor.id, inputs.at(tensor.name));
}

const at::Tensor &Executor::value(TensorId id) const
{
    return m_values[std::size_t(id)];
}

void Executor::set(TensorId id, at::Tensor value)
{
    m_memory.hold(value);
    m_values[std::size_t(id)] = std::move(value);
}

void Executor::dropResults()
{
    for (const Tensor &tensor : m_plan.tensors) {
        at::Tensor &value = m_values[std::size_t(tensor.id)];
        if (tensor.generated || !value.defined())
            continue;
        m_memory.release(value);
        value.reset();
    }
}

void Executor::run(Trace &trace)
{
    const c10::NoGradGuard noGradients;
    dropResults();
    for (const Step &step : m_plan.steps)
        runStep(step, trace);
}

void Executor::runStep(const Step &step, Trace &trace)
{
    SpanEvent span;
    span.rank = trace.rank;
    span.iteration = trace.iteration;
    span.warmup = trace.warmup;
    span.step = step.id;
    if (step.kind == StepKind::Collective) {
        runCollective(step, span, trace);
    } else {
        span.startNs = m_communicator.stopwatch().now();
        std::vector<at::Tensor> outputs = compute(step);
        span.endNs = m_communicator.stopwatch().now();
        for (std::size_t i = 0; i < outputs.size(); ++i)
            set(step.outputs[i], std::move(outputs[i]));
        m_memory.touch();
    }
    free(step);
    if (m_communicator.stopwatch().running())
        trace.spans.push_back(std::move(span));
}

std::vector<at::Tensor> Executor::compute(const Step &step)
{
    if (step.kind == StepKind::Slice)
        return {slice(step)};
    std::vector<at::Tensor> inputs;
    inputs.reserve(step.inputs.size());
    for (const TensorId id : step.inputs)
        inputs.push_back(value(id));
    return runKernel(step, inputs, lastUse(step, step.inputs.front()));
}

/// Each rank keeps its part of a replicated tensor, as memory of its own: products read it in rows.
at::Tensor Executor::slice(const Step &step) const
{
    const Placement &cut = along(m_plan.tensor(step.outputs.front()).layout, MeshAxis::Tp);
    const at::Tensor &whole = value(step.inputs.front());
    const Slice part = sliceOf(whole.size(cut.dim), m_communicator.rank(), m_communicator.size());
    return whole.narrow(cut.dim, part.begin, part.length).clone(at::MemoryFormat::Contiguous);
}

void Executor::runCollective(const Step &step, SpanEvent &span, Trace &trace)
{
    const TensorId input = step.inputs.front();
    // A sum is made in place; what somebody still needs is copied first.
    const bool keep = step.collective->op == CollectiveOp::AllReduce && !lastUse(step, input);
    at::Tensor addend = keep ? value(input).clone() : value(input);
    at::Tensor output;
    const CollectiveRecord record = transfer(*step.collective, std::move(addend), output);
    set(step.outputs.front(), std::move(output));
    m_memory.touch(record.scratchBytes);
    span.startNs = record.startNs;
    span.endNs = record.endNs;
    span.op = name(record.op);
    span.payloadBytes = record.payloadBytes;
    span.sentBytes = record.sentBytes;
    span.wireDtype = name(record.wireDtype);
    if (!m_communicator.stopwatch().running())
        return;
    for (const HopRecord &hop : record.hops)
        trace.hops.push_back({.rank = trace.rank,
                              .iteration = trace.iteration,
                              .warmup = trace.warmup,
                              .step = step.id,
                              .hop = hop.hop,
                              .startNs = hop.startNs,
                              .endNs = hop.endNs,
                              .sentBytes = hop.sentBytes});
}

CollectiveRecord Executor::transfer(const Collective &collective, at::Tensor input, at::Tensor &output)
{
    switch (collective.op) {
    case CollectiveOp::AllReduce: {
        CollectiveRecord record = m_communicator.allReduce(input, collective.algorithm);
        output = std::move(input);
        return record;
    }
    case CollectiveOp::AllGather:
        return m_communicator.allGather(input, output, collective.gatherDim, collective.algorithm);
    case CollectiveOp::ReduceScatter:
        return m_communicator.reduceScatter(input, output, collective.gatherDim, collective.algorithm);
    default:
        break;
    }
    throw std::logic_error("the runtime has no " + std::string(name(collective.op)));
}

CollectiveRecord Executor::repeatCollective(const Step &step)
{
    const c10::NoGradGuard noGradients;
    const Tensor &tensor = m_plan.tensor(step.inputs.front());
    const at::Tensor input =
        at::ones(localShape(tensor, m_plan.mesh(), m_communicator.rank()), scalarType(tensor.dtype));
    at::Tensor output;
    m_communicator.barrier();
    return transfer(*step.collective, input, output);
}

bool Executor::lastUse(const Step &step, TensorId id) const
{
    return m_plan.tensor(id).freedAfter == step.id;
}

void Executor::free(const Step &step)
{
    for (const TensorId id : m_freedAfter[std::size_t(step.id)]) {
        at::Tensor &value = m_values[std::size_t(id)];
        if (!value.defined())
            continue;
        m_memory.release(value);
        value.reset();
    }
}

} // namespace shardscope

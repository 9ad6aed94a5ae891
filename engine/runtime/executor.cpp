// SPDX-License-Identifier: MIT
#include "engine/runtime/executor.h"

#include "engine/runtime/collective_transfer.h"
#include "engine/runtime/optimizer_updates.h"
#include "engine/runtime/rank_share.h"
#include "engine/runtime/torch_types.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <stdexcept>

namespace shardscope {

namespace {

bool isSendRecv(const Step &step)
{
    return step.collective && step.collective->op == CollectiveOp::SendRecv;
}

CollectiveRecord messageRecord(const at::Tensor &tensor, bool sends)
{
    CollectiveRecord record;
    record.op = CollectiveOp::SendRecv;
    record.payloadBytes = bytesOf(tensor);
    record.sentBytes = sends ? record.payloadBytes : 0;
    record.wireDtype = dtypeOf(tensor);
    return record;
}

at::Tensor arrivalOf(const Plan &plan, const Step &step, int rank, c10::Device device)
{
    const Tensor &arriving = plan.tensor(step.outputs.front());
    return at::empty(localShape(arriving, plan.mesh(), rank), optionsOn(device, arriving.dtype));
}

} // namespace

Executor::Executor(const Plan &plan, Communicators &groups)
    : m_plan(plan), m_groups(groups), m_groupOf(plan.steps.size()), m_values(plan.tensors.size()),
      m_freedAfter(plan.steps.size()), m_lastUser(plan.tensors.size(), -1), m_updates(updatesOf(plan)),
      m_sends(groups.device().sendLane()), m_collectives(groups.device().collectiveLane())
{
    if (plan.mesh().size() != groups.size())
        throw std::invalid_argument("the plan is for " + std::to_string(plan.mesh().size()) + " ranks, not for " +
                                    std::to_string(groups.size()));
    for (const Tensor &tensor : plan.tensors)
        if (tensor.freedAfter >= 0)
            m_freedAfter[std::size_t(tensor.freedAfter)].push_back(tensor.id);
    for (const Step &step : plan.steps) {
        m_pads = m_pads || step.kind == StepKind::Pad;
        for (const TensorId id : step.inputs)
            m_lastUser[std::size_t(id)] = step.id;
        if (!step.collective)
            continue;
        // Also of other stages' steps: every rank opens its groups in the same order.
        m_groupOf[std::size_t(step.id)] = &groups.along(plan.mesh(), step.collective->axis, step.collective->replicas);
        if (isSendRecv(step))
            groupOf(step).openRoute(step.stage, step.collective->toStage);
    }
}

void Executor::setInputs(const NamedTensors &inputs)
{
    for (const Tensor &tensor : m_plan.tensors) {
        if (!tensor.generated || !holds(tensor, m_plan.mesh(), rank()))
            continue;
        reset(tensor.id);
        set(tensor.id, inputs.at(tensor.name).to(device().torch()));
    }
    m_runs = 0;
}

void Executor::run(Trace &trace, const std::function<void()> &delay)
{
    const c10::NoGradGuard noGradients;
    dropResults();
    m_began.clear();
    ++m_runs;
    device().stopwatch().start();
    const std::int64_t startNs = Stopwatch::rawNs();
    trace.began = device().stopwatch().mark();
    if (delay)
        delay();
    for (const Step &step : m_plan.steps) {
        if (m_plan.runs(step, rank()))
            runStep(step, trace);
        else
            free(step);
    }
    settleAll(true, trace);
    for (const Departure &departure : m_departures)
        m_sends->waitFor(departure.ticket);
    device().joinStreams();
    trace.ended = device().stopwatch().mark();
    trace.orderedNs = Stopwatch::rawNs() - startNs;
    device().settle();
    forgetDepartures();
    trace.settle(device().stopwatch());
}

void Executor::runStep(const Step &step, Trace &trace)
{
    forgetDepartures();
    if (isSendRecv(step) && !isSender(step)) {
        startReceive(step);
        return;
    }
    settleInputs(step, trace);
    if (isSendRecv(step)) {
        send(step, trace);
        free(step);
        return;
    }
    noteBeginning(step);
    if (step.collective && step.collective->overlapped) {
        startOverlapped(step);
        return;
    }
    if (step.collective)
        runBlocking(step, trace);
    else
        compute(step, trace);
    free(step);
}

void Executor::compute(const Step &step, Trace &trace)
{
    const Moment start = m_groups.stopwatch().mark();
    std::vector<at::Tensor> outputs;
    if (step.kind == StepKind::Slice) {
        outputs = {ownSlice(m_plan, step, rank(), value(step.inputs.front()))};
    } else if (step.kind == StepKind::Pad) {
        outputs = inputsOf(step);
        device().holdUntil(m_began.at(passageOf(step)), std::chrono::nanoseconds(std::int64_t(step.padMs * 1e6)));
    } else {
        outputs = runKernel(step, inputsOf(step), mayOverwrite(step), contextOf(step));
    }
    const Moment end = m_groups.stopwatch().mark();
    for (std::size_t i = 0; i < outputs.size(); ++i)
        set(step.outputs[i], std::move(outputs[i]));
    m_memory.touch();
    if (m_groups.stopwatch().running())
        trace.add(step.id, start, end);
}

void Executor::runBlocking(const Step &step, Trace &trace)
{
    settleAll(false, trace);
    std::vector<at::Tensor> outputs;
    const std::vector<at::Tensor> inputs = collectiveInputs(step);
    CollectiveRecord record;
    m_collectives->run([&] { record = runCollective(*step.collective, groupOf(step), inputs, outputs); });
    for (std::size_t i = 0; i < outputs.size(); ++i)
        set(step.outputs[i], std::move(outputs[i]));
    m_memory.touch(record.scratchBytes);
    addSpan(step, record, trace);
}

void Executor::startOverlapped(const Step &step)
{
    Underway &underway = m_underway[step.id];
    underway.step = &step;
    underway.inputs = collectiveInputs(step);
    for (const at::Tensor &input : underway.inputs)
        m_memory.hold(input);
    m_memory.touch();
    underway.ticket = m_collectives->start([&underway, &group = groupOf(step)] {
        const c10::NoGradGuard noGradients;
        underway.record = runCollective(*underway.step->collective, group, underway.inputs, underway.outputs);
    });
}

void Executor::send(const Step &step, Trace &trace)
{
    const at::Tensor &tensor = value(step.inputs.front());
    CollectiveRecord record = messageRecord(tensor, true);
    record.start = m_groups.stopwatch().mark();
    const std::shared_ptr<Message> message = groupOf(step).send(tensor, step.collective->toStage, step.id);
    record.end = m_groups.stopwatch().mark();
    m_memory.hold(tensor);
    m_departures.push_back({m_sends->start([message] { message->wait(); }), tensor});
    addSpan(step, record, trace);
}

void Executor::startReceive(const Step &step)
{
    Underway &underway = m_underway[step.id];
    underway.step = &step;
    underway.outputs = {arrivalOf(m_plan, step, rank(), device().torch())};
    m_memory.hold(underway.outputs.front());
    m_memory.touch();
    underway.arrival = groupOf(step).receive(underway.outputs.front(), step.stage, step.id);
}

/// Waits for it and takes its result; that of a receive is what its span shows.
void Executor::settle(Underway &underway, Trace &trace)
{
    const Step &step = *underway.step;
    if (underway.arrival) {
        underway.record = messageRecord(underway.outputs.front(), false);
        underway.record.start = m_groups.stopwatch().mark();
        underway.arrival->wait();
        underway.record.end = m_groups.stopwatch().mark();
    } else {
        m_collectives->waitFor(underway.ticket);
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
        set(step.outputs[i], underway.outputs[i]);
    m_memory.touch(underway.record.scratchBytes);
    for (const at::Tensor &held : underway.arrival ? underway.outputs : underway.inputs)
        m_memory.release(held);
    addSpan(step, underway.record, trace);
    m_underway.erase(step.id);
    free(step);
}

void Executor::settleInputs(const Step &step, Trace &trace)
{
    const auto settleStep = [&](int maker) {
        if (const auto found = m_underway.find(maker); found != m_underway.end())
            settle(found->second, trace);
    };
    for (const TensorId id : step.inputs)
        settleStep(m_plan.tensor(id).madeAt);
    for (const int earlier : step.dependsOn)
        settleStep(earlier);
}

void Executor::settleAll(bool receivesToo, Trace &trace)
{
    for (auto it = m_underway.begin(); it != m_underway.end();) {
        Underway &underway = (it++)->second;
        if (receivesToo || !underway.arrival)
            settle(underway, trace);
    }
}

void Executor::forgetDepartures()
{
    if (m_departures.empty())
        return;
    const std::size_t ended = m_sends->ended();
    std::erase_if(m_departures, [&](const Departure &departure) {
        if (departure.ticket > ended)
            return false;
        m_memory.release(departure.tensor);
        return true;
    });
}

std::vector<at::Tensor> Executor::inputsOf(const Step &step) const
{
    std::vector<at::Tensor> inputs;
    inputs.reserve(step.inputs.size());
    for (const TensorId id : step.inputs)
        inputs.push_back(value(id));
    return inputs;
}

std::vector<at::Tensor> Executor::collectiveInputs(const Step &step) const
{
    std::vector<at::Tensor> inputs = inputsOf(step);
    // Several tensors are copied into one message anyway.
    if (inputs.size() == 1 && worksInPlace(step.collective->op) && !mayOverwrite(step, step.inputs.front()))
        inputs.front() = inputs.front().clone();
    return inputs;
}

KernelContext Executor::contextOf(const Step &step) const
{
    KernelContext context = kernelContext(m_plan, step, rank());
    context.stepNumber = m_runs;
    return context;
}

/// Only what is padded needs to know when its passage began.
void Executor::noteBeginning(const Step &step)
{
    if (!m_pads)
        return;
    NotedTime &began = m_began[passageOf(step)];
    if (!began)
        began = device().noteTime();
}

bool Executor::mayOverwrite(const Step &step) const
{
    if (step.kind != StepKind::Adam)
        return mayOverwrite(step, step.inputs.front());
    // Weight and states are updated where they are, though the plan keeps them.
    return std::all_of(step.inputs.begin(), step.inputs.end(), [&](TensorId id) {
        return id == step.inputs[1] || (m_lastUser[std::size_t(id)] == step.id && !m_memory.isShared(value(id)));
    });
}

bool Executor::mayOverwrite(const Step &step, TensorId id) const
{
    const Tensor &tensor = m_plan.tensor(id);
    return tensor.freedAfter == step.id && !tensor.generated && !m_memory.isShared(value(id));
}

bool Executor::isSender(const Step &step) const
{
    return m_plan.mesh().coordinate(rank(), MeshAxis::Pp) == step.stage;
}

void Executor::set(TensorId id, at::Tensor value)
{
    m_memory.hold(value);
    if (const auto update = m_updates.find(id); update != m_updates.end()) {
        reset(update->second);
        m_memory.hold(value);
        m_values[std::size_t(update->second)] = value;
    }
    m_values[std::size_t(id)] = std::move(value);
}

void Executor::reset(TensorId id)
{
    at::Tensor &value = m_values[std::size_t(id)];
    if (!value.defined())
        return;
    m_memory.release(value);
    value.reset();
}

void Executor::free(const Step &step)
{
    for (const TensorId id : m_freedAfter[std::size_t(step.id)])
        if (!m_plan.tensor(id).generated)
            reset(id);
}

void Executor::dropResults()
{
    for (const Tensor &tensor : m_plan.tensors)
        if (!tensor.generated)
            reset(tensor.id);
}

void Executor::addSpan(const Step &step, const CollectiveRecord &record, Trace &trace) const
{
    if (m_groups.stopwatch().running())
        trace.add(step.id, record);
}

std::optional<CollectiveRecord> Executor::repeatCollective(const Step &step)
{
    const c10::NoGradGuard noGradients;
    if (!m_plan.runs(step, rank())) {
        m_groups.world().barrier();
        return std::nullopt;
    }
    std::vector<at::Tensor> inputs;
    for (const TensorId id : step.inputs)
        inputs.push_back(at::ones(localShape(m_plan.tensor(id), m_plan.mesh(), rank()),
                                  optionsOn(device().torch(), m_plan.tensor(id).dtype)));
    device().settle();
    m_groups.world().barrier();
    device().stopwatch().start();
    CollectiveRecord record = isSendRecv(step) ? repeatMessage(step, inputs.front()) : CollectiveRecord{};
    if (!isSendRecv(step)) {
        std::vector<at::Tensor> outputs;
        m_collectives->run([&] { record = runCollective(*step.collective, groupOf(step), inputs, outputs); });
    }
    device().joinStreams();
    device().settle();
    return record;
}

CollectiveRecord Executor::repeatMessage(const Step &step, at::Tensor &tensor)
{
    CollectiveRecord record = messageRecord(tensor, isSender(step));
    record.start = m_groups.stopwatch().mark();
    const auto message = isSender(step) ? groupOf(step).send(tensor, step.collective->toStage, step.id)
                                        : groupOf(step).receive(tensor, step.stage, step.id);
    message->wait();
    record.end = m_groups.stopwatch().mark();
    return record;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/value_source.h"

#include <string>
#include <vector>

namespace shardscope {

/// Writes a plan of small float64 tensors down, step after step.
class HandWrittenPlan
{
public:
    explicit HandWrittenPlan(Mesh mesh) { m_plan.experiment.mesh = mesh; }

    TensorId input(const std::string &name, std::vector<std::int64_t> shape, Layout layout = {},
                   int stage = kEveryStage)
    {
        const TensorId id = tensor(name, std::move(shape), layout, stage);
        m_plan.tensors.back().generated = true;
        return id;
    }

    /// A step with results like its first input; returns the first.
    TensorId step(StepKind kind, std::vector<TensorId> inputs, const std::string &name, int results = 1)
    {
        const Tensor first = m_plan.tensor(inputs.front());
        Step made;
        made.id = int(m_plan.steps.size());
        made.kind = kind;
        made.stage = first.stage;
        made.pass = m_pass;
        made.microBatch = m_microBatch;
        for (const TensorId id : inputs)
            m_plan.tensors[std::size_t(id)].freedAfter = m_plan.tensor(id).generated ? -1 : made.id;
        made.inputs = std::move(inputs);
        for (int i = 0; i < results; ++i) {
            std::vector<std::int64_t> shape;
            for (const Dim &dim : first.shape)
                shape.push_back(dim.size);
            made.outputs.push_back(tensor(name, std::move(shape), first.layout, first.stage));
            m_plan.tensors.back().madeAt = made.id;
        }
        m_plan.steps.push_back(std::move(made));
        return m_plan.steps.back().outputs.front();
    }

    TensorId collective(CollectiveOp op, TensorId x, MeshAxis axis, bool overlapped = false)
    {
        const TensorId made = step(StepKind::Collective, {x}, m_plan.tensor(x).name);
        Collective collective;
        collective.op = op;
        collective.axis = axis;
        collective.overlapped = overlapped;
        m_plan.steps.back().collective = collective;
        return made;
    }

    TensorId send(TensorId x, int toStage)
    {
        const TensorId made = collective(CollectiveOp::SendRecv, x, MeshAxis::Pp);
        m_plan.steps.back().collective->toStage = toStage;
        m_plan.tensors.back().stage = toStage;
        return made;
    }

    /// Kept to the end.
    TensorId result(TensorId id)
    {
        m_plan.tensors[std::size_t(id)].freedAfter = -1;
        m_plan.results.push_back(id);
        return id;
    }

    Tensor &at(TensorId id) { return m_plan.tensors[std::size_t(id)]; }
    Step &last() { return m_plan.steps.back(); }
    void setPass(Pass pass) { m_pass = pass; }
    void setMicroBatch(int microBatch) { m_microBatch = microBatch; }
    [[nodiscard]] const Plan &plan() const { return m_plan; }

private:
    TensorId tensor(const std::string &name, std::vector<std::int64_t> shape, const Layout &layout, int stage)
    {
        Tensor made;
        made.id = TensorId(m_plan.tensors.size());
        made.name = name;
        for (const std::int64_t size : shape)
            made.shape.push_back({"n", size});
        made.dtype = DType::F64;
        made.layout = layout;
        made.stage = stage;
        m_plan.tensors.push_back(std::move(made));
        return m_plan.tensors.back().id;
    }

    Plan m_plan;
    Pass m_pass = Pass::Forward;
    int m_microBatch = 0;
};

inline Mesh meshOf(int tp, int dp, int pp)
{
    return Mesh{{tp, dp, pp}};
}

inline at::Tensor valueOf(const std::string &name, std::vector<std::int64_t> shape)
{
    at::Tensor made = at::empty(shape, at::kFloat);
    ValueSource(5).fill(made.data_ptr<float>(), made.numel(), name, 0, 1.0F);
    return made.to(at::kDouble);
}

/// Every rank's own addend: the rank is part of the name.
inline NamedTensors ownInputs(const Plan &plan, int rank)
{
    NamedTensors inputs;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated && holds(tensor, plan.mesh(), rank))
            inputs[tensor.name] =
                valueOf(tensor.name + " of " + std::to_string(rank), localShape(tensor, plan.mesh(), rank));
    return inputs;
}

inline bool isClose(const at::Tensor &value, const at::Tensor &expected)
{
    return value.sizes() == expected.sizes() && at::allclose(value, expected, 1e-12, 1e-12);
}

} // namespace shardscope

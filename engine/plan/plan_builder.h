// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace shardscope {

/// Writes a plan down operation by operation, as a scheme's file states them. It infers the placement of every result
/// by the sharding algebra, so a wrong scheme cannot be built by accident: an operation that the algebra refuses throws
/// std::logic_error. With one rank nothing is cut, and slices and collectives leave no step.
class PlanBuilder
{
public:
    PlanBuilder(const Experiment &experiment, Transport transport);

    [[nodiscard]] const Experiment &experiment() const { return m_plan.experiment; }
    [[nodiscard]] bool training() const { return experiment().phase == Phase::Training; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_plan.tensor(id); }

    /// The dimensions t, h and f of this experiment.
    [[nodiscard]] Dim tokens() const { return {"t", experiment().tokens()}; }
    [[nodiscard]] Dim hidden() const { return {"h", experiment().hidden}; }
    [[nodiscard]] Dim ffn() const { return {"f", experiment().ffn}; }

    /// Placements along the tensor-parallel axis; with one rank nothing is cut.
    [[nodiscard]] Placement whole() const { return Placement::replicated(); }
    [[nodiscard]] Placement rows() const { return cut(0); }
    [[nodiscard]] Placement columns() const { return cut(1); }

    // Tensors that are there before the first step.
    TensorId activation(std::string name, std::vector<Dim> shape, Placement placement);
    /// W is [in, out].
    TensorId weight(std::string name, std::vector<Dim> shape, Placement placement);
    /// The bias [out] of a layer with weight `w`: cut exactly when w's columns are; kNoTensor with bias off.
    TensorId bias(std::string name, TensorId w);
    /// The gradient that arrives from the layer behind: shape and placement of `y`.
    TensorId arrivingGradient(TensorId y);

    // Operations; each returns its result.
    TensorId matMul(std::string result, TensorId a, TensorId b);
    /// dX = dY·Wᵀ, the input gradient (dgrad).
    TensorId inputGradient(std::string result, TensorId dY, TensorId w);
    /// dW = Xᵀ·dY, the weight gradient (wgrad).
    TensorId weightGradient(TensorId w, TensorId x, TensorId dY);
    /// db, the sum of dY over the tokens; nothing with bias off.
    TensorId biasGradient(TensorId bias, TensorId dY);
    /// Y + b; Y itself with bias off.
    TensorId addBias(TensorId y, TensorId bias);
    TensorId gelu(std::string result, TensorId z);
    TensorId geluBackward(std::string result, TensorId dH, TensorId z);
    TensorId swiGlu(std::string result, TensorId gate, TensorId up);
    std::vector<TensorId> swiGluBackward(TensorId dH, TensorId gate, TensorId up);
    TensorId add(std::string result, TensorId a, TensorId b);
    TensorId slice(TensorId x, int dim);
    TensorId allReduce(TensorId x);
    TensorId allGather(TensorId x, int dim);

    /// Steps from here on belong to the backward pass.
    void beginBackward() { m_pass = Pass::Backward; }
    /// The numeric check compares this tensor.
    void result(TensorId id) { m_plan.results.push_back(id); }
    /// Replaces the last step's title or reason, where a scheme has more to say than the algebra.
    void entitle(TextId id, std::vector<std::string> args);
    void because(TextId id, std::vector<std::string> args);
    /// The bug lab's way round the algebra: the next operation must break it; its result is taken for `claimed`, and
    /// the plan records the rule.
    void breakRule(Placement claimed) { m_claimed = claimed; }

    /// The plan, with the lives of its tensors.
    [[nodiscard]] Plan finish();

private:
    [[nodiscard]] Placement cut(int dim) const;
    TensorId addTensor(std::string name, std::vector<Dim> shape, TensorRole role, const Layout &layout);
    TensorId generate(std::string name, std::vector<Dim> shape, TensorRole role, Placement placement,
                      std::int64_t fanIn);
    TensorId product(std::string result, TensorRole role, TensorId a, bool transposeA, TensorId b, bool transposeB);
    TensorId elementwise(StepKind kind, std::string result, std::vector<TensorId> inputs, std::string label);
    TensorId collective(CollectiveOp op, TensorId x, int dim);
    [[nodiscard]] Step newStep(StepKind kind, std::vector<TensorId> inputs, std::string label) const;
    /// Infers the layout of the outputs, explains and costs the step, and appends it.
    void append(Step step);
    [[nodiscard]] std::vector<Layout> inferLayouts(const Step &step);

    Plan m_plan;
    Pass m_pass = Pass::Forward;
    std::optional<Placement> m_claimed;
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#pragma once

#include "engine/plan/plan.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace shardscope {

/// A parameter of the model: where it lies at rest, and what products use now (ZeRO-3 gathers it in between).
struct Parameter {
    std::string name;
    TensorId home = kNoTensor;
    TensorId current = kNoTensor;
    TensorId fresh = kNoTensor;    ///< gradient of the micro-batch that has just gone back
    TensorId gradient = kNoTensor; ///< of all micro-batches so far
    int layer = 0;
    int stage = kEveryStage;
};

/// What a collective does, beside its tensors.
struct CollectiveSpec {
    CollectiveOp op = CollectiveOp::AllReduce;
    MeshAxis axis = MeshAxis::Tp;
    int dim = 0;      ///< joined or cut by all-gather and reduce-scatter
    int replicas = 0; ///< Collective::replicas
    ReduceOp reduce = ReduceOp::Sum;
    bool average = false;
    bool overlapped = false;
    Text reason{}; ///< NoReason: the algebra's own
};

/// Writes a plan down operation by operation, as a scheme's file states them. It infers the placement of every result
/// by the sharding algebra, so a wrong scheme cannot be built by accident: an operation that the algebra refuses throws
/// std::logic_error. Along an axis of one rank nothing is cut, and slices and collectives leave no step.
///
/// Names are as the textbook has them, "W1", "H"; with several layers or micro-batches they say which, "W1.2", "H.2#3"
/// (scoped()).
class PlanBuilder
{
public:
    PlanBuilder(const Experiment &experiment, Transport transport);

    [[nodiscard]] const Experiment &experiment() const { return m_plan.experiment; }
    [[nodiscard]] bool training() const { return experiment().phase == Phase::Training; }
    [[nodiscard]] const Tensor &tensor(TensorId id) const { return m_plan.tensor(id); }
    [[nodiscard]] const std::string &nameOf(TensorId id) const { return tensor(id).name; }

    // The dimensions of this experiment: t of one micro-batch over all replicas, h, f, V.
    [[nodiscard]] Dim tokens() const;
    [[nodiscard]] Dim hidden() const { return {"h", experiment().hidden}; }
    [[nodiscard]] Dim ffn() const { return {"f", experiment().ffn}; }
    [[nodiscard]] Dim vocabulary() const { return {"V", experiment().vocabulary}; }

    // Placements along the tensor-parallel axis; with one rank nothing is cut.
    [[nodiscard]] Placement whole() const { return Placement::replicated(); }
    [[nodiscard]] Placement rows() const { return cut(0); }
    [[nodiscard]] Placement columns() const { return cut(1); }
    /// Shard{dim} along `axis`, or whole where that has one rank.
    [[nodiscard]] Placement cut(int dim, MeshAxis axis = MeshAxis::Tp) const;
    [[nodiscard]] int ranks(MeshAxis axis = MeshAxis::Tp) const { return experiment().extent(axis); }

    // Where the next steps belong.
    void setPass(Pass pass) { m_pass = pass; }
    [[nodiscard]] Pass pass() const { return m_pass; }
    void setLayer(int layer) { m_layer = layer; }
    void setMicroBatch(int microBatch) { m_microBatch = microBatch; }
    /// Sizes of the core attention steps that follow.
    void setAttention(AttentionSizes sizes) { m_attention = sizes; }
    /// Step::factor of the next operation.
    void setFactor(double factor) { m_factor = factor; }
    void setStage(int stage) { m_stage = ranks(MeshAxis::Pp) > 1 ? stage : kEveryStage; }
    [[nodiscard]] int stage() const { return m_stage; }

    // Tensors that are there before the first step. Tokens are cut along dp, whole sequences to each replica.
    TensorId activation(const std::string &name, std::vector<Dim> shape, Placement placement);
    TensorId tokenIds(const std::string &name);
    /// Keys or values of earlier tokens, [b·c, k·d].
    TensorId cache(const std::string &name, std::vector<Dim> shape, Placement placement);
    /// The gradient that arrives from behind: shape and placement of `y`.
    TensorId arrivingGradient(TensorId y);
    /// A parameter of the current layer: made on first use, looked up afterwards. A weight is [in, out] and is scaled
    /// by `fanIn`; a norm's scale is around one (Fill).
    TensorId parameter(const std::string &name, const std::vector<Dim> &shape, TensorRole role, Placement placement,
                       std::int64_t fanIn, Fill fill = Fill::Random);
    /// W [in, out]; with --weight-dtype int8 its values in int8, and beside it the scales of its columns.
    TensorId weight(const std::string &name, const std::vector<Dim> &shape, Placement placement);
    /// A bias [out], or kNoTensor with bias off.
    TensorId bias(const std::string &name, const Dim &out, Placement placement, std::int64_t fanIn);
    [[nodiscard]] std::vector<Parameter> &parameters() { return m_parameters; }
    [[nodiscard]] Parameter &parameterOf(const std::string &scopedName);
    /// Parameters in the order of their first gradients.
    [[nodiscard]] std::vector<Parameter *> parametersWithGradient();
    /// Every gradient as it came is a result: of a plan without micro-batches or reductions.
    void gradientsAreResults();

    // Operations; each returns its result, under the name given.
    /// a·b; a weight in int8 is turned into the experiment's dtype first.
    TensorId matMul(const std::string &result, TensorId a, TensorId b);
    /// dX = dY·Wᵀ, the input gradient (dgrad).
    TensorId inputGradient(const std::string &result, TensorId dY, TensorId w);
    /// dW = Xᵀ·dY, the weight gradient (wgrad).
    TensorId weightGradient(TensorId w, TensorId x, TensorId dY);
    /// db, the sum of dY over the tokens; nothing with bias off.
    TensorId biasGradient(TensorId bias, TensorId dY);
    /// dg of a norm: the sum over tokens of dY times the normalised x.
    TensorId normScaleGradient(TensorId scale, TensorId dY, TensorId x);
    /// Y + b; Y itself with bias off.
    TensorId addBias(TensorId y, TensorId bias);
    TensorId add(const std::string &result, TensorId a, TensorId b);
    /// The sum of two versions of one tensor, under the name that it has.
    TensorId accumulate(TensorId sum, TensorId more);
    TensorId scale(TensorId x, double factor);
    /// Any kind whose results are shaped as given: the label says the formula.
    std::vector<TensorId> operation(StepKind kind, const std::vector<TensorId> &inputs,
                                    const std::vector<Tensor> &results, std::string label);
    /// The common case: one result with the shape and role of the first input.
    TensorId elementwise(StepKind kind, const std::string &result, std::vector<TensorId> inputs, std::string label);
    TensorId slice(TensorId x, int dim, MeshAxis axis = MeshAxis::Tp);
    void adam(Parameter &parameter, TensorId weight, TensorId gradient, double rate);
    TensorId pad(TensorId x, double ms);

    // Collectives; several tensors travel in one message.
    std::vector<TensorId> collective(const CollectiveSpec &spec, const std::vector<TensorId> &tensors);
    TensorId collective(const CollectiveSpec &spec, TensorId x);
    TensorId allGather(TensorId x, int dim, Text reason = {});
    TensorId reduceScatter(TensorId x, int dim, Text reason = {});
    /// The sum of a tensor-parallel product's addends on every rank: an all-reduce, or with --reduce-to root a reduce
    /// and a broadcast.
    std::vector<TensorId> sum(const std::vector<TensorId> &addends, bool overlapped = false);
    TensorId sum(TensorId addend, bool overlapped = false) { return sum(std::vector{addend}, overlapped).front(); }
    /// From the current stage to another.
    TensorId send(TensorId x, int toStage);

    /// The name for the current layer and micro-batch, and for the micro-batch alone.
    [[nodiscard]] std::string scoped(const std::string &name) const;
    [[nodiscard]] std::string withMicroBatch(const std::string &name) const;
    /// A result [.. as `like`] to be filled by operation(): name and shape.
    [[nodiscard]] Tensor newTensor(const std::string &name, std::vector<Dim> shape, TensorRole role) const;

    /// The numeric check compares this tensor.
    void result(TensorId id) { m_plan.results.push_back(id); }
    /// A parameter's gradient of the current micro-batch; who averages and reduces it says so afterwards, and reads
    /// them in the order in which they came.
    void parameterGradient(TensorId parameter, TensorId gradient);
    /// Replaces the last step's title or reason, where a scheme has more to say than the algebra.
    void entitle(TextId id, std::vector<std::string> args);
    void because(TextId id, std::vector<std::string> args);
    [[nodiscard]] Step &lastStep() { return m_plan.steps.back(); }
    [[nodiscard]] int stepCount() const { return static_cast<int>(m_plan.steps.size()); }

    /// The bug lab's way round the algebra: the next operation must break it; its result is taken for `claimed`, and
    /// the plan records the rule with the right way to do it.
    void breakRule(Placement claimed, Text remedy);
    /// The bug lab's other way: a result that nobody has reduced.
    void unreducedResult(TensorId id, Text remedy);
    void setRightScheme(Scheme scheme) { m_plan.rightScheme = scheme; }

    /// The plan, with the lives of its tensors.
    [[nodiscard]] Plan finish();

private:
    TensorId addTensor(Tensor tensor);
    TensorId columnScales(TensorId weight);
    /// A step's own copy of an int8 weight in the experiment's dtype; any other tensor itself.
    TensorId dequantized(TensorId weight);
    TensorId generate(Tensor tensor, Placement placement);
    TensorId product(std::string result, TensorRole role, TensorId a, bool transposeA, TensorId b, bool transposeB);
    [[nodiscard]] Layout tokenLayout(Placement alongTp, int dimAlongDp) const;
    [[nodiscard]] Step newStep(StepKind kind, std::vector<TensorId> inputs, std::string label) const;
    /// Infers the layout of the outputs, explains and costs the step, and appends it.
    std::vector<TensorId> append(Step step);
    [[nodiscard]] std::vector<Layout> inferLayouts(const Step &step);

    struct Claim {
        Placement placement;
        Text remedy;
    };
    /// What a collective puts on the wire.
    struct Load {
        std::int64_t sentBytesPerRank = 0;
        int hops = 0;
    };
    [[nodiscard]] Collective collectiveOf(const CollectiveSpec &spec, const std::vector<TensorId> &tensors);
    /// Of its operation, algorithm, elements and wire dtype; layers and micro-batches repeat the same ones.
    [[nodiscard]] Load loadOf(const Collective &collective);

    Plan m_plan;
    Pass m_pass = Pass::Forward;
    int m_layer = 0;
    int m_microBatch = 0;
    int m_stage = kEveryStage;
    AttentionSizes m_attention;
    double m_factor = 1;
    std::vector<Parameter> m_parameters;
    std::map<TensorId, TensorId> m_columnScales;         ///< by int8 weight
    std::map<std::string, std::size_t> m_parameterIndex; ///< by name
    std::vector<std::size_t> m_gradientOrder;
    std::set<std::size_t> m_withGradient; ///< the same, to look up
    std::optional<Claim> m_claim;
    std::map<std::tuple<CollectiveOp, Algorithm, int, std::int64_t, DType>, Load> m_loads;
};

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "tests/runtime/autograd_model.h"

#include "engine/runtime/weights.h"

#include <cmath>

namespace shardscope {

namespace {

/// One micro-batch after another through the whole model, with everything that is generated as a leaf.
class AutogradModel
{
public:
    AutogradModel(const Plan &plan, const ValueSource &source, const NamedTensors &parameters)
        : m_experiment(plan.experiment)
    {
        for (const Tensor &tensor : plan.tensors) {
            if (!tensor.generated || tensor.role == TensorRole::OptimizerState)
                continue;
            const auto given = parameters.find(tensor.name);
            const at::Tensor values =
                given != parameters.end() ? given->second.clone() : generate(tensor, wholeRegion(tensor), source);
            const bool indices = tensor.dtype == DType::I64;
            m_leaves[tensor.name] = indices ? values : values.to(at::kDouble).requires_grad_();
        }
    }

    NamedTensors results()
    {
        for (int j = 0; j < m_experiment.microBatches; ++j)
            microBatch(m_experiment.microBatches > 1 ? "#" + std::to_string(j + 1) : "");
        if (m_experiment.phase == Phase::Training)
            gradients();
        return m_results;
    }

private:
    [[nodiscard]] const at::Tensor &leaf(const std::string &name) const { return m_leaves.at(name); }
    [[nodiscard]] std::int64_t sequences() const { return m_experiment.batch * m_experiment.extent(MeshAxis::Dp); }
    [[nodiscard]] double average() const
    {
        return 1.0 / (m_experiment.microBatches * m_experiment.extent(MeshAxis::Dp));
    }

    [[nodiscard]] at::Tensor linear(const at::Tensor &x, const std::string &end) const
    {
        const at::Tensor y = at::matmul(x, leaf("W" + end));
        return m_experiment.bias ? y + leaf("b" + end) : y;
    }

    [[nodiscard]] at::Tensor mlp(const at::Tensor &x, const std::string &layer) const
    {
        if (m_experiment.mlp == MlpKind::Gelu)
            return linear(at::gelu(linear(x, "1" + layer)), "2" + layer);
        return linear(at::silu(linear(x, "g" + layer)) * linear(x, "u" + layer), "2" + layer);
    }

    /// One sequence and one head at a time.
    [[nodiscard]] at::Tensor attention(const at::Tensor &x, const std::string &layer, const std::string &batch) const
    {
        const std::int64_t d = m_experiment.headSize();
        const std::int64_t tokens = x.size(0) / sequences();
        const bool decode = m_experiment.phase == Phase::Decode;
        const at::Tensor q = linear(x, "q" + layer);
        const at::Tensor k = linear(x, "k" + layer);
        const at::Tensor v = linear(x, "v" + layer);
        std::vector<at::Tensor> rows;
        for (std::int64_t i = 0; i < sequences(); ++i) {
            const auto keysOf = [&](const at::Tensor &fresh, const std::string &cache) {
                const at::Tensor own = fresh.narrow(0, i * tokens, tokens);
                if (!decode)
                    return own;
                const std::int64_t c = m_experiment.cache;
                return at::cat({leaf(cache + layer + batch).narrow(0, i * c, c), own}, 0);
            };
            const at::Tensor keys = keysOf(k, "Kc");
            const at::Tensor values = keysOf(v, "Vc");
            std::vector<at::Tensor> heads;
            for (std::int64_t head = 0; head < m_experiment.heads; ++head) {
                const std::int64_t shared = head * m_experiment.kvHeads / m_experiment.heads;
                const at::Tensor query = q.narrow(0, i * tokens, tokens).narrow(1, head * d, d);
                at::Tensor scores = at::matmul(query, keys.narrow(1, shared * d, d).t()) / std::sqrt(double(d));
                if (!decode)
                    scores = scores + at::full({tokens, tokens}, -1e300, at::kDouble).triu(1);
                heads.push_back(at::matmul(at::softmax(scores, 1), values.narrow(1, shared * d, d)));
            }
            rows.push_back(at::cat(heads, 1));
        }
        return linear(at::cat(rows, 0), "o" + layer);
    }

    [[nodiscard]] at::Tensor norm(const at::Tensor &x, const std::string &end) const
    {
        return at::layer_norm(x, {m_experiment.hidden}, leaf("g" + end), leaf("c" + end), 1e-5);
    }

    [[nodiscard]] at::Tensor block(const at::Tensor &x, const std::string &layer, const std::string &batch) const
    {
        const at::Tensor n = norm(x, "1" + layer);
        if (m_experiment.parallelBlock)
            return x + attention(n, layer, batch) + mlp(n, layer);
        const at::Tensor r = x + attention(n, layer, batch);
        return r + mlp(norm(r, "2" + layer), layer);
    }

    [[nodiscard]] at::Tensor layers(at::Tensor x, Layer kind, const std::string &batch) const
    {
        for (std::int64_t i = 0; i < m_experiment.layers; ++i) {
            const std::string layer = m_experiment.layers > 1 ? "." + std::to_string(i + 1) : "";
            if (kind == Layer::Mlp)
                x = mlp(x, layer);
            else if (kind == Layer::Attention)
                x = attention(x, layer, batch);
            else
                x = block(x, layer, batch);
        }
        return x;
    }

    void microBatch(const std::string &batch)
    {
        if (m_experiment.scheme == Scheme::Logits)
            return logits(batch);
        at::Tensor y;
        if (m_experiment.scheme == Scheme::Embedding)
            y = at::embedding(leaf("E"), leaf("ids" + batch));
        else if (const auto kind = m_experiment.repeatedLayer())
            y = layers(leaf("X" + batch), *kind, batch);
        else
            y = linear(leaf("X" + batch), "");
        m_results["Y" + batch] = y.detach();
        if (m_experiment.phase == Phase::Training)
            y.backward(leaf("dY" + batch));
    }

    void logits(const std::string &batch)
    {
        const at::Tensor z = at::matmul(leaf("X" + batch), leaf("W"));
        if (m_experiment.phase != Phase::Training) {
            const std::int64_t tokens = z.size(0) / sequences();
            m_results["Y" + batch] = z.detach().view({sequences(), tokens, -1}).select(1, tokens - 1);
            return;
        }
        const at::Tensor loss = at::cross_entropy_loss(z, leaf("ids" + batch), {}, /*reduction: none*/ 0);
        m_results["Loss" + batch] = loss.detach();
        (loss.sum() / double(m_experiment.tokens())).backward();
    }

    void gradients()
    {
        for (const auto &[name, value] : m_leaves) {
            if (!value.requires_grad() || !value.grad().defined())
                continue;
            const bool input = name.starts_with("X");
            m_results["d" + name] = input ? value.grad() : value.grad() * average();
        }
    }

    Experiment m_experiment;
    NamedTensors m_leaves;
    NamedTensors m_results;
};

} // namespace

NamedTensors autogradResults(const Plan &plan, const ValueSource &source, const NamedTensors &parameters)
{
    return AutogradModel(plan, source, parameters).results();
}

NamedTensors wholeParameters(const Plan &plan, const ValueSource &source)
{
    NamedTensors parameters;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated && (tensor.role == TensorRole::Weight || tensor.role == TensorRole::Bias))
            parameters[tensor.name] = generateAsF64(tensor, wholeRegion(tensor), source);
    return parameters;
}

} // namespace shardscope

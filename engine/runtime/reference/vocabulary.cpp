// SPDX-License-Identifier: MIT
#include "engine/runtime/reference/vocabulary.h"

#include "engine/runtime/reference/linear.h"

namespace shardscope::textbook {

namespace {

Twin lastPositions(const Twin &x, std::int64_t sequences)
{
    const std::int64_t length = x.exact.size(0) / sequences;
    const auto last = [&](const at::Tensor &rows) {
        return rows.defined() ? rows.view({sequences, length, rows.size(1)}).select(1, length - 1).contiguous() : rows;
    };
    return {last(x.exact), last(x.plain)};
}

/// Log of the sum of exponentials, [tokens, 1]; the largest is taken out first, so that none overflows.
at::Tensor logSumExp(const at::Tensor &z)
{
    const at::Tensor largest = z.amax(-1, true);
    return largest + at::log(at::exp(z - largest).sum(-1, true));
}

struct PlainLoss {
    at::Tensor loss;
    at::Tensor dZ;
};

/// The run's kernels, in which the largest logit and the sum of exponentials are tensors of their own.
PlainLoss plainLoss(const Twin &z, const Twin &ids, double factor)
{
    const Twin m{{}, plainOf(StepKind::RowMax, {z})[0]};
    const Twin s{{}, plainOf(StepKind::SumExp, {z, m})[0]};
    const Twin target{{}, plainOf(StepKind::TargetLogit, {z, m, ids})[0]};
    Step backward;
    backward.kind = StepKind::CrossEntropyBackward;
    backward.factor = factor;
    return {plainOf(StepKind::CrossEntropy, {s, target})[0], plainOf(backward, {z, m, s, ids})[0]};
}

} // namespace

void embedding(const Context &context)
{
    const at::Tensor ids = context.weights.ofAllMicroBatches("ids").exact;
    context.expected.addTokens("Y", context.weights.rows("E", ids));
    if (!context.training())
        return;
    const Twin dY = context.weights.ofAllMicroBatches("dY");
    context.expected.addLookupGradient("dE", ids, dY, context.weights.spec("E").shape[0].size);
}

void logits(const Context &context)
{
    const Twin x = context.weights.ofAllMicroBatches("X");
    Linear head(context, "W", "");
    if (!context.training()) {
        context.expected.addTokens("Y", head.forward(lastPositions(x, context.sequences())));
        return;
    }
    const Twin z = head.forward(x);
    const Twin ids = context.weights.ofAllMicroBatches("ids");
    const at::Tensor targets = ids.exact.unsqueeze(1);
    const double factor = 1.0 / double(context.experiment.tokens());
    const PlainLoss plain = plainLoss(z, ids, factor);
    const at::Tensor logSum = logSumExp(z.exact);
    context.expected.addTokens("Loss", {(logSum - z.exact.gather(1, targets)).squeeze(1), plain.loss});

    // dZ = (softmax - onehot)/t.
    const at::Tensor dZ = at::exp(z.exact - logSum).scatter_add(1, targets, at::full_like(targets, -1.0, at::kDouble));
    context.expected.addTokens("dX", head.backward({dZ * factor, plain.dZ}));
}

} // namespace shardscope::textbook

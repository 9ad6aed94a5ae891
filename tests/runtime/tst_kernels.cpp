// SPDX-License-Identifier: MIT
// Kernels against LibTorch's own functions and its autograd, in float64.
#include "tests/runtime/tensor_checks.h"

#include "engine/runtime/attention_kernels.h"
#include "engine/runtime/cpu_device.h"
#include "engine/runtime/kernels.h"
#include "engine/runtime/norm_kernels.h"
#include "engine/runtime/value_source.h"
#include "engine/runtime/vocabulary_kernels.h"

#include <QtTest>

#include <cmath>

using namespace shardscope;

namespace {

constexpr double kExact = 1e-13;

/// About normal, the same at every call.
at::Tensor values(const std::string &name, std::initializer_list<std::int64_t> shape)
{
    at::Tensor made = at::empty(shape, at::kFloat);
    ValueSource(11).fill(made.data_ptr<float>(), made.numel(), name, 0, 1.0F);
    return made.to(at::kDouble);
}

at::Tensor leaf(const std::string &name, std::initializer_list<std::int64_t> shape)
{
    return values(name, shape).requires_grad_();
}

at::Tensor plain(const at::Tensor &tensor)
{
    return tensor.detach();
}

Step stepOf(StepKind kind)
{
    Step step;
    step.kind = kind;
    return step;
}

constexpr std::int64_t kSequences = 3;
constexpr std::int64_t kTokens = 5;
constexpr std::int64_t kHeadSize = 4;

/// [b·n, heads·d] -> [b, heads, n, d].
at::Tensor headsOf(const at::Tensor &matrix)
{
    return matrix.view({kSequences, -1, matrix.size(1) / kHeadSize, kHeadSize}).transpose(1, 2);
}

at::Tensor tokensOf(const at::Tensor &heads)
{
    return heads.transpose(1, 2).reshape({-1, heads.size(1) * kHeadSize});
}

/// Textbook attention with every KV head repeated for its group; the mask is the causal one for equal lengths.
at::Tensor attentionByHand(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v)
{
    const std::int64_t group = q.size(1) / k.size(1);
    const at::Tensor keys = headsOf(k).repeat_interleave(group, 1);
    const at::Tensor values = headsOf(v).repeat_interleave(group, 1);
    const at::Tensor scores = at::matmul(headsOf(q), keys.transpose(2, 3)) / std::sqrt(double(kHeadSize));
    const at::Tensor later = at::ones({scores.size(2), scores.size(3)}, at::kBool).triu(1);
    return tokensOf(at::matmul(at::softmax(scores.masked_fill(later, -1e300), -1), values));
}

AttentionSizes attentionSizes()
{
    return {kSequences, kHeadSize};
}

} // namespace

class TestKernels : public QObject
{
    Q_OBJECT

private slots:
    void layerNormAgainstLibrary();
    void normOf16BitsCountsInF32();
    void attentionAgainstTextbook_data();
    void attentionAgainstTextbook();
    void headsAreIndependent();
    void decodeIsTheLastTokenOfPrefill();
    void embeddingOfAPartOfTheVocabulary();
    void crossEntropyOfAPartOfTheVocabulary();
    void lastPositionOfEachSequence();
    void adamAgainstItsFormula();
    void overwritesOnlyWhatItMay();
    void padWaitsForTheRest();
    void everyDtypeIsTried();
};

void TestKernels::layerNormAgainstLibrary()
{
    const at::Tensor x = leaf("x", {7, 24});
    const at::Tensor g = leaf("g", {24});
    const at::Tensor c = leaf("c", {24});
    const at::Tensor dY = values("dY", {7, 24});
    const at::Tensor y = at::layer_norm(x, {24}, g, c, kNormEpsilon);
    y.backward(dY);
    QVERIFY(relative(runKernel(stepOf(StepKind::LayerNorm), {plain(x), plain(g), plain(c)}, false)[0], plain(y)) <
            kExact);
    QVERIFY(relative(runKernel(stepOf(StepKind::LayerNormBackward), {dY, plain(x), plain(g)}, false)[0], x.grad()) <
            kExact);
    QVERIFY(relative(runKernel(stepOf(StepKind::LayerNormScaleGradient), {dY, plain(x)}, false)[0], g.grad()) < kExact);
}

/// Rows around 100 that differ by tenths: a mean or variance in bf16 would see nothing of that.
void TestKernels::normOf16BitsCountsInF32()
{
    const at::Tensor x = (values("x", {4, 256}) * 4 + 100).to(at::kBFloat16);
    const at::Tensor ones = at::ones({256}, at::kBFloat16);
    const at::Tensor zeros = at::zeros({256}, at::kBFloat16);
    const at::Tensor exact = at::layer_norm(x.to(at::kDouble), {256}, {}, {}, kNormEpsilon);
    const at::Tensor y = layerNorm(x, ones, zeros);
    QVERIFY(y.scalar_type() == at::kBFloat16);
    QVERIFY(relative(y, exact) < 3e-3); // one rounding
}

void TestKernels::attentionAgainstTextbook_data()
{
    QTest::addColumn<int>("kvHeads");
    QTest::newRow("one KV head a query head") << 4;
    QTest::newRow("grouped") << 2;
    QTest::newRow("one for all") << 1;
}

void TestKernels::attentionAgainstTextbook()
{
    QFETCH(int, kvHeads);
    const at::Tensor q = leaf("q", {kSequences * kTokens, 4 * kHeadSize});
    const at::Tensor k = leaf("k", {kSequences * kTokens, kvHeads * kHeadSize});
    const at::Tensor v = leaf("v", {kSequences * kTokens, kvHeads * kHeadSize});
    const at::Tensor dC = values("dC", {kSequences * kTokens, 4 * kHeadSize});
    const at::Tensor c = attentionByHand(q, k, v);
    c.backward(dC);

    Step step = stepOf(StepKind::AttentionCore);
    step.attention = attentionSizes();
    const auto made = runKernel(step, {plain(q), plain(k), plain(v)}, false);
    QVERIFY(relative(made[0], plain(c)) < kExact);
    QVERIFY(made[1].sizes() == (at::IntArrayRef{kSequences, 4, kTokens, kTokens}));
    QVERIFY(at::allclose(made[1].sum(3), at::ones({kSequences, 4, kTokens}, at::kDouble)));
    QVERIFY(made[1].triu(1).eq(0).all().item<bool>());

    step.kind = StepKind::AttentionCoreBackward;
    const auto gradients = runKernel(step, {dC, plain(q), plain(k), plain(v), made[1]}, false);
    QVERIFY(relative(gradients[0], q.grad()) < kExact);
    QVERIFY(relative(gradients[1], k.grad()) < kExact);
    QVERIFY(relative(gradients[2], v.grad()) < kExact);
}

/// What tensor parallelism rests on: half of the heads alone give half of the columns.
void TestKernels::headsAreIndependent()
{
    const at::Tensor q = values("q", {kSequences * kTokens, 4 * kHeadSize});
    const at::Tensor k = values("k", {kSequences * kTokens, 2 * kHeadSize});
    const at::Tensor v = values("v", {kSequences * kTokens, 2 * kHeadSize});
    const at::Tensor whole = attentionCore(attentionSizes(), {q, k, v})[0];
    std::vector<at::Tensor> halves;
    for (const int half : {0, 1}) {
        const auto part = [half](const at::Tensor &matrix) { return matrix.chunk(2, 1)[half].contiguous(); };
        halves.push_back(attentionCore(attentionSizes(), {part(q), part(k), part(v)})[0]);
    }
    QVERIFY(relative(at::cat(halves, 1), whole) < kExact);
}

void TestKernels::decodeIsTheLastTokenOfPrefill()
{
    const at::Tensor q = values("q", {kSequences * kTokens, 4 * kHeadSize});
    const at::Tensor k = values("k", {kSequences * kTokens, 2 * kHeadSize});
    const at::Tensor v = values("v", {kSequences * kTokens, 2 * kHeadSize});
    const auto tokens = [](const at::Tensor &matrix, std::int64_t first, std::int64_t count) {
        return matrix.view({kSequences, kTokens, -1}).narrow(1, first, count).reshape({kSequences * count, -1});
    };
    const std::int64_t last = kTokens - 1;
    const auto decoded = attentionCore(attentionSizes(), {tokens(q, last, 1), tokens(k, last, 1), tokens(v, last, 1),
                                                          tokens(k, 0, last), tokens(v, 0, last)});
    const at::Tensor whole = attentionCore(attentionSizes(), {q, k, v})[0];
    QVERIFY(relative(decoded[0], tokens(whole, last, 1)) < kExact);
    QVERIFY(decoded[1].sizes() == (at::IntArrayRef{kSequences, 4, 1, kTokens}));
}

void TestKernels::embeddingOfAPartOfTheVocabulary()
{
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>{5, 0, 3, 5, 2, 7}, at::kLong); // 5 twice
    const at::Tensor e = leaf("e", {8, 6});
    const at::Tensor dX = values("dX", {6, 6});
    at::index_select(e, 0, ids).backward(dX);
    at::Tensor sum = at::zeros({6, 6}, at::kDouble);
    std::vector<at::Tensor> gradients;
    for (const std::int64_t first : {0, 4}) {
        KernelContext context;
        context.firstIndex = first;
        context.outputRows = 4;
        const at::Tensor rows = plain(e).narrow(0, first, 4);
        sum += runKernel(stepOf(StepKind::EmbeddingLookup), {ids, rows}, false, context)[0];
        gradients.push_back(runKernel(stepOf(StepKind::EmbeddingBackward), {ids, dX}, false, context)[0]);
    }
    QVERIFY(at::equal(sum, at::index_select(plain(e), 0, ids)));
    QVERIFY(relative(at::cat(gradients, 0), e.grad()) < kExact);
}

void TestKernels::crossEntropyOfAPartOfTheVocabulary()
{
    const std::int64_t tokens = 5;
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>{1, 6, 0, 11, 5}, at::kLong);
    const at::Tensor z = at::mul(values("z", {tokens, 12}), 30).requires_grad_(); // exp() alone would overflow in f32
    const at::Tensor loss = at::nll_loss(at::log_softmax(z, 1), ids, {}, at::Reduction::None);
    loss.mean().backward();

    std::vector<at::Tensor> parts;
    for (const at::Tensor &part : plain(z).chunk(3, 1))
        parts.push_back(part.contiguous());
    const auto context = [](std::size_t part) {
        KernelContext made;
        made.firstIndex = std::int64_t(part) * 4;
        return made;
    };
    at::Tensor m = at::full({tokens}, -1e300, at::kDouble);
    for (const at::Tensor &part : parts)
        m = at::maximum(m, runKernel(stepOf(StepKind::RowMax), {part}, false)[0]);
    at::Tensor s = at::zeros({tokens}, at::kDouble);
    at::Tensor t = at::zeros({tokens}, at::kDouble);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        s += runKernel(stepOf(StepKind::SumExp), {parts[i], m}, false)[0];
        t += runKernel(stepOf(StepKind::TargetLogit), {parts[i], m, ids}, false, context(i))[0];
    }
    QVERIFY(relative(runKernel(stepOf(StepKind::CrossEntropy), {s, t}, false)[0], plain(loss)) < kExact);
    Step backward = stepOf(StepKind::CrossEntropyBackward);
    backward.factor = 1.0 / double(tokens);
    std::vector<at::Tensor> dZ;
    for (std::size_t i = 0; i < parts.size(); ++i)
        dZ.push_back(runKernel(backward, {parts[i], m, s, ids}, false, context(i))[0]);
    QVERIFY(relative(at::cat(dZ, 1), z.grad()) < kExact);
    const at::Tensor narrow = parts[0].to(at::kBFloat16); // statistics stay wide
    QVERIFY(rowMax(narrow).scalar_type() == at::kFloat);
    QVERIFY(sumExp(narrow, rowMax(narrow)).scalar_type() == at::kFloat);
    QVERIFY(targetLogit(narrow, rowMax(narrow), ids, 0).scalar_type() == at::kFloat);
}

void TestKernels::lastPositionOfEachSequence()
{
    const at::Tensor x = values("x", {6, 4});
    KernelContext context;
    context.outputRows = 2; // sequences
    const at::Tensor last = runKernel(stepOf(StepKind::LastPosition), {x}, false, context)[0];
    QVERIFY(at::equal(last, at::stack({x[2], x[5]})));
    QVERIFY(!last.is_alias_of(x));
}

void TestKernels::adamAgainstItsFormula()
{
    Step step = stepOf(StepKind::Adam);
    step.factor = 1e-3;
    at::Tensor w = values("w", {4, 3});
    at::Tensor m = at::zeros({4, 3}, at::kDouble);
    at::Tensor v = at::zeros({4, 3}, at::kDouble);
    double weight = w[1][2].item<double>();
    double momentum = 0;
    double variance = 0;
    for (int n = 1; n <= 3; ++n) {
        const at::Tensor dW = values("gradient " + std::to_string(n), {4, 3});
        const double g = dW[1][2].item<double>();
        momentum = 0.9 * momentum + 0.1 * g;
        variance = 0.999 * variance + 0.001 * g * g;
        weight -= 1e-3 * (momentum / (1 - std::pow(0.9, n))) / (std::sqrt(variance / (1 - std::pow(0.999, n))) + 1e-8);
        KernelContext context;
        context.stepNumber = n;
        const auto updated = runKernel(step, {w, dW, m, v}, n == 2, context);
        w = updated[0];
        m = updated[1];
        v = updated[2];
        QVERIFY(std::abs(w[1][2].item<double>() - weight) < 1e-15);
        QVERIFY(std::abs(m[1][2].item<double>() - momentum) < 1e-15);
        QVERIFY(std::abs(v[1][2].item<double>() - variance) < 1e-15);
    }
}

void TestKernels::overwritesOnlyWhatItMay()
{
    const at::Tensor row = values("row", {4});
    const at::Tensor ids = at::zeros({4}, at::kLong);
    const auto run = [&](StepKind kind, const at::Tensor &first, bool may) {
        Step step = stepOf(kind);
        step.factor = 0.5;
        std::vector<at::Tensor> inputs{first};
        if (kind == StepKind::AddBias)
            inputs.push_back(row);
        if (kind == StepKind::CrossEntropyBackward)
            inputs.insert(inputs.end(), {row, row.abs() + 1, ids});
        if (kind == StepKind::Adam)
            inputs.insert(inputs.end(), {first.clone(), first.abs(), first.abs()});
        return runKernel(step, inputs, may)[0];
    };
    for (const StepKind kind : {StepKind::AddBias, StepKind::Scale, StepKind::CrossEntropyBackward, StepKind::Adam}) {
        const at::Tensor first = values("first", {4, 4});
        const at::Tensor kept = run(kind, first, false);
        QVERIFY2(at::equal(first, values("first", {4, 4})), name(kind).data());
        const at::Tensor taken = run(kind, first, true);
        QVERIFY2(taken.is_alias_of(first), name(kind).data());
        QVERIFY2(at::equal(taken, kept), name(kind).data());
    }
}

void TestKernels::padWaitsForTheRest()
{
    MeetingPlace nowhere(QDir(QDir::tempPath()).filePath("shardscope-pad").toStdString(), 1);
    CpuDevice device(nowhere);
    const NotedTime began = device.noteTime();
    device.holdUntil(began, std::chrono::milliseconds(5));
    device.holdUntil(began, std::chrono::milliseconds(20)); // from the beginning, not from now
    QVERIFY(Stopwatch::rawNs() - began->load() >= 20'000'000);
    const std::int64_t late = Stopwatch::rawNs();
    device.holdUntil(began, std::chrono::milliseconds(1));
    QVERIFY(Stopwatch::rawNs() - late < 1'000'000'000);
}

void TestKernels::everyDtypeIsTried()
{
    QVERIFY(dtypeWorks(DType::F32));
    QVERIFY(dtypeWorks(DType::F64));
    QVERIFY(dtypeWorks(DType::BF16));
    QVERIFY(!dtypeWorks(DType::I64)); // nothing is computed in integers
}

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"

// SPDX-License-Identifier: MIT
// The float64 reference of every scheme against LibTorch's own operations and autograd, in a forked process: the test
// itself stays without threads.
#include "tests/runtime/autograd_model.h"
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/plan/experiment_options.h"
#include "engine/runtime/reference.h"

#include <QtTest>

#include <cmath>

using namespace shardscope;

namespace {

/// Small, with sizes that cannot be mistaken for each other: 5 tokens a sequence, h 24, f 40, 4 heads of 6.
Experiment experimentOf(Scheme scheme, Phase phase = Phase::Training)
{
    Experiment experiment = smallExperiment(scheme, phase, 1, DType::F64);
    experiment.hidden = 24;
    experiment.ffn = 40;
    experiment.heads = 4;
    experiment.kvHeads = 4;
    experiment.vocabulary = 13; // ids occur several times
    experiment.cache = 7;
    return experiment;
}

Region regionOf(const at::Tensor &tensor)
{
    return {{0, tensor.size(0)}, {0, tensor.dim() == 2 ? tensor.size(1) : 1}};
}

/// A part that begins and ends inside.
Slice inner(std::int64_t size)
{
    return {size / 3, size - size / 3 - size / 4};
}

at::Tensor partOf(const at::Tensor &tensor, const Region &region)
{
    const at::Tensor rows = tensor.narrow(0, region.rows.begin, region.rows.length);
    return rows.dim() == 1 ? rows : rows.narrow(1, region.columns.begin, region.columns.length);
}

/// Gradients through the scores of attention are a remainder, that of a key's bias even zero: errors in them may be
/// held against more than their norm.
bool isRemainder(const std::string &name)
{
    return name.starts_with("dWq") || name.starts_with("dWk") || name.starts_with("dbq") || name.starts_with("dbk");
}

void comparePart(const Reference &reference, const std::string &name, const at::Tensor &whole, const Region &region,
                 const Expect &expect)
{
    const at::Tensor right = partOf(whole, region);
    const double norm = std::sqrt(reference.squaredNorm(name, region));
    const double trueNorm = right.norm().item<double>();
    expect(isRemainder(name) ? norm > 0.999 * trueNorm : std::abs(norm - trueNorm) <= 1e-12 * norm,
           name + ": the norm is " + std::to_string(norm) + ", not " + std::to_string(trueNorm));
    if (name.starts_with("dbk"))
        expect(trueNorm < 1e-12 * norm, "a key's bias has a gradient");
    const double limit = 1e-12 * norm;
    expect((reference.expected(name, region) - right).norm().item<double>() <= limit, name);
    at::Tensor difference = right.clone();
    reference.subtractFrom(difference, name, region);
    expect(difference.norm().item<double>() <= limit, name + " subtracted");
}

} // namespace

class TestReference : public QObject
{
    Q_OBJECT

private slots:
    void againstAutograd_data();
    void againstAutograd();
    void plainIsNear_data();
    void plainIsNear();
    void remaindersInDeepStacks();
    void coversItsResultsOnly();
};

void TestReference::againstAutograd_data()
{
    QTest::addColumn<Experiment>("experiment");
    const auto add = [](const char *title, Experiment experiment, const std::function<void(Experiment &)> &change) {
        change(experiment);
        QTest::newRow(title) << experiment;
    };
    const auto same = [](Experiment &) {};
    add("column", experimentOf(Scheme::Column), same);
    add("row", experimentOf(Scheme::Row), same);
    add("row, no bias", experimentOf(Scheme::Row), [](Experiment &e) { e.bias = false; });
    add("gelu", experimentOf(Scheme::Mlp), same);
    add("gelu, 3 layers", experimentOf(Scheme::Mlp), [](Experiment &e) { e.layers = 3; });
    add("swiglu, 2 layers, no bias", experimentOf(Scheme::Mlp), [](Experiment &e) {
        e.mlp = MlpKind::Swiglu;
        e.layers = 2;
        e.bias = false;
    });
    add("row-column", experimentOf(Scheme::Mlp), [](Experiment &e) { e.pair = Pair::RowColumn; });
    add("attention", experimentOf(Scheme::Attention), same);
    add("attention, 2 KV heads", experimentOf(Scheme::Attention), [](Experiment &e) { e.kvHeads = 2; });
    add("attention, 1 KV head, 2 layers, no bias", experimentOf(Scheme::Attention), [](Experiment &e) {
        e.kvHeads = 1;
        e.layers = 2;
        e.bias = false;
    });
    add("block", experimentOf(Scheme::Block), same);
    add("block, swiglu, 2 KV heads, 3 layers", experimentOf(Scheme::Block), [](Experiment &e) {
        e.mlp = MlpKind::Swiglu;
        e.kvHeads = 2;
        e.layers = 3;
    });
    add("parallel block, 2 layers", experimentOf(Scheme::Block), [](Experiment &e) {
        e.parallelBlock = true;
        e.layers = 2;
    });
    add("embedding", experimentOf(Scheme::Embedding), same);
    add("logits", experimentOf(Scheme::Logits), same);
    add("mlp, 3 micro-batches", experimentOf(Scheme::DataParallel), [](Experiment &e) { e.microBatches = 3; });
    add("block, 2 layers, 2 micro-batches, 2 replicas", experimentOf(Scheme::Zero2), [](Experiment &e) {
        e.layer = Layer::Block;
        e.layers = 2;
        e.microBatches = 2;
        e.mesh.setExtent(MeshAxis::Dp, 2);
    });
    for (const Phase phase : {Phase::Prefill, Phase::Decode}) {
        const std::string end = phase == Phase::Decode ? ", decode" : ", prefill";
        add(("mlp" + end).c_str(), experimentOf(Scheme::Mlp, phase), same);
        add(("attention, 2 KV heads" + end).c_str(), experimentOf(Scheme::Attention, phase),
            [](Experiment &e) { e.kvHeads = 2; });
        add(("block, 2 layers" + end).c_str(), experimentOf(Scheme::Block, phase), [](Experiment &e) { e.layers = 2; });
        add(("embedding" + end).c_str(), experimentOf(Scheme::Embedding, phase), same);
        add(("logits" + end).c_str(), experimentOf(Scheme::Logits, phase), same);
    }
}

void TestReference::againstAutograd()
{
    QFETCH(Experiment, experiment);
    verify(inRanks(1, [&](Communicator &, const Expect &expect) {
        const Plan plan = buildPlan(experiment);
        const ValueSource source(5);
        const NamedTensors right = autogradResults(plan, source);
        const Reference reference(plan, source);
        for (const auto &[name, value] : right) {
            comparePart(reference, name, value, regionOf(value), expect);
            const Region whole = regionOf(value);
            const Region part{inner(whole.rows.length), value.dim() == 2 ? inner(whole.columns.length) : Slice{0, 1}};
            comparePart(reference, name, value, part, expect);
        }
        for (const TensorId id : plan.results)
            expect(right.contains(plan.tensor(id).name), plan.tensor(id).name + " is a result that autograd lacks");
    }));
}

void TestReference::plainIsNear_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<double>("limit");
    QTest::newRow("f32") << int(DType::F32) << 2e-6;
    QTest::newRow("bf16") << int(DType::BF16) << 1.5e-2;
}

/// What one device computes in the run's dtype is the same mathematics.
void TestReference::plainIsNear()
{
    QFETCH(int, dtype);
    QFETCH(double, limit);
    verify(inRanks(1, [&](Communicator &, const Expect &expect) {
        for (const Scheme scheme : {Scheme::Column, Scheme::Mlp, Scheme::Attention, Scheme::Block, Scheme::Embedding,
                                    Scheme::Logits, Scheme::DataParallel})
            for (const Phase phase : {Phase::Training, Phase::Prefill, Phase::Decode}) {
                Experiment experiment = experimentOf(scheme, phase);
                experiment.dtype = DType(dtype);
                experiment.kvHeads = 2;
                experiment.microBatches = scheme == Scheme::DataParallel ? 3 : 1;
                const Plan plan = buildPlan(experiment);
                const ValueSource source(5);
                const Reference reference(plan, source);
                for (const TensorId id : plan.results) {
                    const std::string &name = plan.tensor(id).name;
                    const Region whole = wholeRegion(plan.tensor(id));
                    at::Tensor values = reference.unsharded(name, whole).to(at::kDouble);
                    reference.subtractFrom(values, name, whole);
                    const double error = values.norm().item<double>() / std::sqrt(reference.squaredNorm(name, whole));
                    expect(error < limit, commandLine(experiment) + ": " + name + " " + std::to_string(error));
                }
            }
    }));
}

/// Attention upon attention makes all tokens alike, until their scores have no gradient but for rounding errors.
void TestReference::remaindersInDeepStacks()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        for (const int layers : {1, 12}) {
            Experiment experiment = experimentOf(Scheme::Attention);
            experiment.dtype = DType::F32;
            experiment.layers = layers;
            const Plan plan = buildPlan(experiment);
            const Reference reference(plan, ValueSource(5));
            const Region whole{{0, 24}, {0, 24}};
            const std::string name = layers > 1 ? "dWk.12" : "dWk"; // of the last layer
            const at::Tensor exact = reference.expected(name, whole);
            const double trueNorm = exact.norm().item<double>();
            const double error = (reference.unsharded(name, whole) - exact).norm().item<double>();
            const double norm = std::sqrt(reference.squaredNorm(name, whole));
            expect(error < 1e-5 * norm, "an honest f32 computation fails");
            expect(layers > 1 ? error > 1e-5 * trueNorm : norm < 1.001 * trueNorm,
                   name + ": an error of " + std::to_string(error / trueNorm) + " is held against " +
                       std::to_string(norm / trueNorm));
        }
    }));
}

void TestReference::coversItsResultsOnly()
{
    verify(inRanks(1, [](Communicator &, const Expect &expect) {
        const Plan plan = buildPlan(experimentOf(Scheme::Row));
        const Reference reference(plan, ValueSource(1));
        expect(reference.covers("Y", {{0, 10}, {0, 24}}), "Y");
        expect(reference.covers("Y", {{4, 6}, {20, 4}}), "a part of Y");
        expect(!reference.covers("Y", {{0, 10}, {0, 25}}), "columns that Y has not");
        expect(!reference.covers("Y", {{5, 6}, {0, 24}}), "rows that Y has not");
        expect(!reference.covers("H", {{0, 1}, {0, 1}}), "a tensor that is no result");
    }));
}

QTEST_GUILESS_MAIN(TestReference)
#include "tst_reference.moc"

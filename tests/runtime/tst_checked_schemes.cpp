// SPDX-License-Identifier: MIT
// Every scheme, executed by forked ranks and held against the reference: the right ones pass, the bug lab fails by what
// its mistake costs, and Adam's updates are those of one device.
#include "tests/plan/plan_experiments.h"
#include "tests/runtime/autograd_model.h"
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/runtime/executor.h"
#include "engine/runtime/reference_check.h"
#include "engine/runtime/weights.h"

#include <QtTest>

#include <cmath>
#include <map>

using namespace shardscope;

namespace {

NamedTensors shards(const Plan &plan, const ValueSource &source, int rank)
{
    NamedTensors values;
    for (const Tensor &tensor : plan.tensors)
        if (tensor.generated && holds(tensor, plan.mesh(), rank))
            values[tensor.name] = generate(tensor, localRegion(tensor, plan.mesh(), rank), source);
    return values;
}

std::vector<CheckEvent> checksOf(const Experiment &experiment, Communicators &groups)
{
    const Plan plan = buildPlan(experiment);
    const ValueSource source(experiment.seed);
    Executor executor(plan, groups);
    executor.setInputs(shards(plan, source, groups.rank()));
    Trace trace;
    executor.run(trace);
    return checkResults(plan, executor, source, groups.world());
}

/// All of a plan's ranks hold the tensor's parts: no element is missing, and none is in two different parts.
void partsTileTheWhole(const Tensor &tensor, const Mesh &mesh)
{
    std::map<std::array<std::int64_t, 4>, int> parts;
    for (int rank = 0; rank < mesh.size(); ++rank) {
        if (!holds(tensor, mesh, rank))
            continue;
        const Region region = localRegion(tensor, mesh, rank);
        ++parts[{region.rows.begin, region.rows.length, region.columns.begin, region.columns.length}];
        const auto shape = localShape(tensor, mesh, rank);
        QCOMPARE(region.rows.length, shape[0]);
        QCOMPARE(region.columns.length, shape.size() > 1 ? shape[1] : 1);
    }
    std::vector<int> covered(std::size_t(tensor.elements()));
    const std::int64_t columns = tensor.shape.size() > 1 ? tensor.shape[1].size : 1;
    for (const auto &[part, holders] : parts) {
        QCOMPARE(holders, parts.begin()->second);
        for (std::int64_t row = part[0]; row < part[0] + part[1]; ++row)
            for (std::int64_t column = part[2]; column < part[2] + part[3]; ++column)
                ++covered[std::size_t(row * columns + column)];
    }
    for (const int times : covered)
        QCOMPARE(times, 1);
}

} // namespace

class TestCheckedSchemes : public QObject
{
    Q_OBJECT

private slots:
    void regionsTileTheWhole_data();
    void regionsTileTheWhole();
    void checkedExperimentIsSmall_data() { regionsTileTheWhole_data(); }
    void checkedExperimentIsSmall();
    void everySchemePasses_data();
    void everySchemePasses();
    void bugsCostWhatTheyCost_data();
    void bugsCostWhatTheyCost();
    void replicasThatDisagreeFail();
    void adamIsThatOfOneDevice_data();
    void adamIsThatOfOneDevice();
};

void TestCheckedSchemes::regionsTileTheWhole_data()
{
    QTest::addColumn<QString>("line");
    for (const std::string &line : everyScheme())
        QTest::newRow(line.c_str()) << QString::fromStdString(line);
}

void TestCheckedSchemes::regionsTileTheWhole()
{
    QFETCH(QString, line);
    const Plan plan = buildPlan(experimentOf(smallModel(line.toStdString())));
    for (const Tensor &tensor : plan.tensors)
        if (tensor.shape.size() < 3)
            partsTileTheWhole(tensor, plan.mesh());
}

void TestCheckedSchemes::checkedExperimentIsSmall()
{
    QFETCH(QString, line);
    for (const char *batch : {"1", "4", "64"}) {
        OptionValues given = optionsIn(line.toStdString());
        given["batch"] = batch;
        given["sequence"] = "64";
        const Experiment experiment = experimentOf(given);
        const Experiment checked = checkedExperiment(experiment);
        const auto problem = validate(checked);
        QVERIFY2(!problem, problem ? english(*problem).c_str() : "");
        const std::int64_t least =
            experiment.microBatches * experiment.extent(MeshAxis::Dp) * std::max(2, experiment.extent(MeshAxis::Tp));
        QVERIFY(checked.globalTokens() <= std::max(kCheckedTokens, least));
        QVERIFY(checked.globalTokens() >= std::min(experiment.globalTokens(), kCheckedTokens / 2));
        QVERIFY(checked.phase == Phase::Decode ? checked.cache <= kCheckedTokens : checked.sequence >= 2);
        Experiment same = checked;
        same.batch = experiment.batch;
        same.sequence = experiment.sequence;
        same.cache = experiment.cache;
        QCOMPARE(same, experiment); // nothing else is another one
    }
}

void TestCheckedSchemes::everySchemePasses_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 4, 8})
        QTest::addRow("f64, N = %d", ranks) << int(DType::F64) << ranks;
    QTest::newRow("f32, N = 4") << int(DType::F32) << 4;
    QTest::newRow("bf16, N = 4") << int(DType::BF16) << 4;
}

void TestCheckedSchemes::everySchemePasses()
{
    QFETCH(int, dtype);
    QFETCH(int, ranks);
    verify(inRanks(ranks, [&](Communicators &groups, const Expect &expect) {
        for (const std::string &line : everyScheme()) {
            Experiment experiment = experimentOf(smallModel(line));
            if (experiment.ranks() != groups.size())
                continue;
            experiment.dtype = DType(dtype);
            for (const CheckEvent &check : checksOf(experiment, groups))
                expect(check.passed, line + ": " + check.name + " is wrong by " + std::to_string(check.relativeError) +
                                         ", allowed " + std::to_string(check.limit));
        }
    }));
}

void TestCheckedSchemes::bugsCostWhatTheyCost_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("wrong"); // names and errors; all else is right
    const auto add = [](const char *line, const QStringList &wrong) { QTest::newRow(line) << line << wrong; };
    add("--scheme bug:row-bias-each-rank", {"Y", "-1"}); // depends on the bias's size
    add("--scheme bug:all-reduce-columns", {"Y", "1.73"});
    add("--scheme bug:average-instead-of-sum --bias off", {"Y", "0.75"});
    add("--scheme bug:concat-partials --bias off", {"Y", "-1"});
    add("--scheme bug:nonlinearity-on-partial --bias off --phase prefill", {"Y", "-1"});
    add("--scheme bug:nonlinearity-on-partial", {"Y", "-1", "dX", "-1", "dW1", "-1", "dW2", "-1"});
    add("--scheme bug:all-reduce-weight-gradient", {"dW1", "1.73"});
    add("--scheme bug:missing-input-gradient-reduce", {"dX", "0.87"});
    add("--scheme bug:unreduced-kv --kv-heads 2", {"dWk", "0.71", "dWv", "0.71", "dbv", "0.71"});
    add("--scheme bug:naive-exercise --bias off", {"Y", "1.73", "dW", "1.73", "dX", "0.87"});
    add("--scheme bug:unsharded-heads --heads 4 --phase prefill", {"Y", "-1"});
}

void TestCheckedSchemes::bugsCostWhatTheyCost()
{
    QFETCH(QString, line);
    QFETCH(QStringList, wrong);
    verify(inRanks(4, [&](Communicators &groups, const Expect &expect) {
        OptionValues given = smallModel(line.toStdString() + " --ranks 4 --hidden 256");
        const Experiment experiment = experimentOf(given);
        std::map<std::string, double> errors;
        for (int i = 0; i < wrong.size(); i += 2)
            errors[wrong[i].toStdString()] = wrong[i + 1].toDouble();
        for (const CheckEvent &check : checksOf(experiment, groups)) {
            const auto expected = errors.find(check.name);
            const std::string found = check.name + ": " + std::to_string(check.relativeError);
            if (expected == errors.end()) {
                expect(check.passed, found + " should be right");
                continue;
            }
            expect(!check.passed, found + " should be wrong");
            const double error = expected->second;
            expect(error < 0 || std::abs(check.relativeError / error - 1) < 0.1,
                   found + ", not " + std::to_string(error));
            errors.erase(expected);
        }
        for (const auto &[name, error] : errors)
            expect(false, name + " is no result");
    }));
}

/// Two ranks hold the same key head: one that is wrong by less than any limit is not the same bits.
void TestCheckedSchemes::replicasThatDisagreeFail()
{
    verify(inRanks(4, [](Communicators &groups, const Expect &expect) {
        const Plan plan = buildPlan(experimentOf(smallModel("--scheme attention --ranks 4 --kv-heads 2")));
        const ValueSource source(1);
        Executor executor(plan, groups);
        executor.setInputs(shards(plan, source, groups.rank()));
        Trace trace;
        executor.run(trace);
        bool found = false;
        for (const TensorId id : plan.results)
            if (plan.tensor(id).name == "dWk" && groups.rank() == 3) {
                at::Tensor dWk = executor.value(id);
                dWk[0][0].add_(1e-7);
            }
        for (const CheckEvent &check : checkResults(plan, executor, source, groups.world())) {
            const bool disagreement = check.name == "ranks agree: dWk";
            found = found || disagreement;
            expect(check.passed != disagreement, check.name);
        }
        expect(found, "nobody asks whether ranks that share a head agree");
    }));
}

void TestCheckedSchemes::adamIsThatOfOneDevice_data()
{
    QTest::addColumn<QString>("line");
    for (const char *line :
         {"--scheme data-parallel --ranks 2 --micro-batches 2", "--scheme zero1 --ranks 2", "--scheme zero2 --ranks 2",
          "--scheme zero2 --ranks 2 --micro-batches 2 --layers 2", "--scheme zero3 --ranks 2 --layer block",
          "--scheme zero3 --ranks 4 --micro-batches 2", "--scheme block --mesh tp=2,dp=2 --zero 3",
          "--scheme block --mesh tp=2,dp=2 --zero 1 --kv-heads 1 --sequence-parallel megatron",
          "--scheme mlp --mesh dp=2,pp=2 --micro-batches 4"})
        QTest::newRow(line) << line;
}

void TestCheckedSchemes::adamIsThatOfOneDevice()
{
    QFETCH(QString, line);
    const Experiment experiment = [&] {
        Experiment e = experimentOf(smallModel(line.toStdString()));
        e.dtype = DType::F64;
        return e;
    }();
    verify(inRanks(experiment.ranks(), [&](Communicators &groups, const Expect &expect) {
        constexpr int kSteps = 3;
        const Plan plan = buildPlan(experiment);
        const ValueSource source(1);
        Executor executor(plan, groups);
        executor.setInputs(shards(plan, source, groups.rank()));
        const NamedTensors first = wholeParameters(plan, source);
        NamedTensors weights = first;
        NamedTensors momentum;
        NamedTensors variance;
        for (int step = 1; step <= kSteps; ++step) {
            Trace trace;
            executor.run(trace);
            const NamedTensors results = autogradResults(plan, source, weights);
            for (auto &[name, w] : weights) { // Kingma and Ba 2014, algorithm 1
                const at::Tensor &g = results.at("d" + name);
                at::Tensor &m = momentum.try_emplace(name, at::zeros_like(w)).first->second;
                at::Tensor &v = variance.try_emplace(name, at::zeros_like(w)).first->second;
                m = 0.9 * m + 0.1 * g;
                v = 0.999 * v + 0.001 * g * g;
                const at::Tensor unbiased = m / (1 - std::pow(0.9, step));
                w = w - 1e-3 * unbiased / ((v / (1 - std::pow(0.999, step))).sqrt() + 1e-8);
            }
        }
        for (const auto &[name, right] : weights) {
            const Tensor &kept = plan.tensor(plan.versions(name).front()); // where the next step begins
            if (!holds(kept, plan.mesh(), groups.rank()))
                continue;
            const Region region = localRegion(kept, plan.mesh(), groups.rank());
            const auto partOf = [&](const at::Tensor &whole) {
                const at::Tensor rows = whole.narrow(0, region.rows.begin, region.rows.length);
                return rows.dim() == 1 ? rows : rows.narrow(1, region.columns.begin, region.columns.length);
            };
            expect(relative(executor.value(kept.id), partOf(right)) < 1e-5, name + " after three steps");
            // The step itself is only a thousandth of the weights: it must be right, too.
            const at::Tensor moved = partOf(right) - partOf(first.at(name));
            const at::Tensor error = executor.value(kept.id) - partOf(right);
            const bool still = name.starts_with("bk"); // without a gradient Adam follows rounding errors
            expect(still || (error.norm() / moved.norm()).item<double>() < 1e-6, name + "'s way");
        }
    }));
}

QTEST_GUILESS_MAIN(TestCheckedSchemes)
#include "tst_checked_schemes.moc"

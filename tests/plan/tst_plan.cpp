// SPDX-License-Identifier: MIT
#include "engine/plan/plan.h"

#include "engine/plan/traffic.h"
#include "tests/plan/plan_experiments.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;

namespace {

QByteArray label(const Experiment &e)
{
    return QByteArray::fromStdString("--ranks " + std::to_string(e.ranks()) + " " + commandLine(e));
}

/// The plans of every correct experiment for N from 1 to 64.
const std::vector<Plan> &everyPlan()
{
    static const std::vector<Plan> plans = [] {
        std::vector<Plan> all;
        for (int n = 1; n <= 64; ++n) {
            for (const Experiment &e : everyCorrectExperiment(n))
                all.push_back(buildPlan(e));
        }
        return all;
    }();
    return plans;
}

template <typename F>
void forEveryPlan(F f)
{
    for (const Plan &plan : everyPlan())
        f(plan);
}

QString names(const Plan &plan, const std::vector<TensorId> &ids)
{
    QStringList list;
    for (const TensorId id : ids)
        list << QString::fromStdString(plan.tensor(id).name);
    return list.join(" ");
}

bool isPlaced(const Plan &plan, std::string_view tensor, Placement p)
{
    return along(plan.tensor(plan.versions(tensor).back()).layout, MeshAxis::Tp) == p;
}

} // namespace

class TestPlan : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyPlanKeepsTheAlgebra();
    void publishedCounts_data();
    void publishedCounts();
    void oneRankCutsNothing();
    void weightGradientsNeverTravel();
    void weightGradientsDoNotWaitForTheAllReduce();
    void everyStepSaysWhatAndWhy();
    void resultsAreWhatTrainingChecks();
    void tensorsLiveFromMakerToLastUse();
    void savedForBackward();
    void workIsSharedByTheRanks();
    void sizesNearTheLimitsDoNotOverflow();
    void reasonsNameThisPlan();
    void reasonsOnAMeshNameTheGroup();
    void buildingIsPure();
};

void TestPlan::everyPlanKeepsTheAlgebra()
{
    int seen = 0;
    forEveryPlan([&](const Plan &plan) {
        ++seen;
        const auto broken = check(plan);
        QVERIFY2(!broken, label(plan.experiment) + (broken ? english(broken->rule).c_str() : ""));
        QVERIFY(plan.brokenRules.empty());
        for (const Step &step : plan.steps) {
            for (const int earlier : step.dependsOn)
                QVERIFY2(earlier < step.id, label(plan.experiment));
        }
    });
    QCOMPARE(seen, 64 * 3 * 3 * 8);
}

void TestPlan::publishedCounts_data()
{
    // tensor parallelism after Megatron-LM: mappings.py and layers.py, counted
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("forward");
    QTest::addColumn<QString>("backward");
    const auto row = [](const char *options, const char *forward, const char *backward) {
        QTest::newRow(options) << QString(options) << QString(forward) << QString(backward);
    };
    row("scheme=column", "", "all_reduce dX");
    row("scheme=column gather-output=on", "all_gather Y", "all_reduce dX");
    row("scheme=column input-gradient=off", "", "");
    row("scheme=column gather-output=on input-gradient=off", "all_gather Y", "");
    row("scheme=row", "all_reduce Y", "");
    row("scheme=row input-parallel=off", "all_reduce Y", "all_gather dX");
    row("scheme=row input-parallel=off input-gradient=off", "all_reduce Y", "");
    row("scheme=mlp", "all_reduce Y", "all_reduce dX");
    row("scheme=mlp input-gradient=off", "all_reduce Y", "");
    row("scheme=mlp mlp=swiglu", "all_reduce Y", "all_reduce dX");
    row("scheme=column phase=prefill", "", "");
    row("scheme=column phase=decode gather-output=on", "all_gather Y", "");
    row("scheme=row phase=prefill", "all_reduce Y", "");
    row("scheme=row phase=decode input-parallel=off", "all_reduce Y", "");
    row("scheme=mlp phase=prefill", "all_reduce Y", "");
    row("scheme=mlp phase=decode mlp=swiglu", "all_reduce Y", "");
}

void TestPlan::publishedCounts()
{
    QFETCH(QString, options);
    QFETCH(QString, forward);
    QFETCH(QString, backward);
    for (const char *bias : {"on", "off"}) {
        for (const char *ranks : {"2", "4", "64"}) {
            OptionValues given{{"bias", bias}, {"ranks", ranks}};
            for (const QString &option : options.split(' '))
                given[option.section('=', 0, 0).toStdString()] = option.section('=', 1).toStdString();
            const Plan plan = buildPlan(experimentOf(given));
            QCOMPARE(QString::fromStdString(collectivesOf(plan, Pass::Forward)), forward);
            QCOMPARE(QString::fromStdString(collectivesOf(plan, Pass::Backward)), backward);
        }
    }
}

void TestPlan::oneRankCutsNothing()
{
    for (const Experiment &e : everyCorrectExperiment(1)) {
        const Plan plan = buildPlan(e);
        for (const Tensor &tensor : plan.tensors)
            QVERIFY2(along(tensor.layout, MeshAxis::Tp) == Placement::replicated(), label(e));
        for (const Step &step : plan.steps) {
            QVERIFY2(step.kind != StepKind::Collective && step.kind != StepKind::Slice, label(e));
            QVERIFY2(step.reason.id == TextId::ReasonOneRank, label(e));
        }
    }
}

void TestPlan::weightGradientsNeverTravel()
{
    forEveryPlan([](const Plan &plan) {
        for (const Step &step : plan.steps) {
            if (step.collective)
                QVERIFY2(plan.tensor(step.inputs[0]).role != TensorRole::WeightGradient, label(plan.experiment));
        }
        // Each lies as its weight lies.
        for (const Tensor &tensor : plan.tensors) {
            if (tensor.role == TensorRole::WeightGradient)
                QVERIFY2(tensor.layout == plan.tensor(plan.versions(tensor.name.substr(1)).front()).layout,
                         label(plan.experiment));
        }
    });
}

void TestPlan::weightGradientsDoNotWaitForTheAllReduce()
{
    const Plan plan = buildPlan(experimentOf({{"ranks", "4"}}));
    const Step &reduce = stepNamed(plan, "AR dX");
    const Step &wgrad = stepNamed(plan, "dW1 = Xᵀ·dZ");
    QVERIFY(wgrad.id > reduce.id); // stated after it, as Megatron-LM runs it
    QVERIFY(std::find(wgrad.dependsOn.begin(), wgrad.dependsOn.end(), reduce.id) == wgrad.dependsOn.end());
    QCOMPARE(wgrad.dependsOn, std::vector<int>{stepNamed(plan, "dZ = dH·GELU'(Z)").id});
    QCOMPARE(reduce.dependsOn, std::vector<int>{stepNamed(plan, "dX = dZ·W1ᵀ").id});
    QVERIFY(reduce.stream == Stream::Communication);
    QVERIFY(wgrad.stream == Stream::Compute);
}

void TestPlan::everyStepSaysWhatAndWhy()
{
    // Every placeholder is filled, and no argument is said in vain.
    const auto complete = [](const Text &text) {
        const std::string_view pattern = englishTemplate(text.id);
        for (std::size_t i = 0; i < 10; ++i) {
            const bool used = pattern.find("{" + std::to_string(i) + "}") != std::string_view::npos;
            if (used != (i < text.args.size()))
                return false;
        }
        return text.id != TextId::NoReason &&
               std::none_of(text.args.begin(), text.args.end(), [](const std::string &arg) { return arg.empty(); });
    };
    forEveryPlan([&](const Plan &plan) {
        for (const Step &step : plan.steps) {
            QVERIFY2(complete(step.title), textName(step.title.id).data());
            QVERIFY2(complete(step.reason), textName(step.reason.id).data());
            QVERIFY(!step.label.empty());
        }
    });
}

void TestPlan::resultsAreWhatTrainingChecks()
{
    const auto results = [](const OptionValues &given) {
        const Plan plan = buildPlan(experimentOf(given));
        return names(plan, plan.results);
    };
    QCOMPARE(results({}), "Y dX dW2 db2 dW1 db1");
    QCOMPARE(results({{"bias", "off"}, {"input-gradient", "off"}}), "Y dW2 dW1");
    QCOMPARE(results({{"mlp", "swiglu"}}), "Y dX dW2 db2 dWg dbg dWu dbu");
    QCOMPARE(results({{"scheme", "column"}}), "Y dX dW db");
    QCOMPARE(results({{"scheme", "row"}, {"input-parallel", "off"}}), "Y dX dW db");
    QCOMPARE(results({{"phase", "decode"}}), "Y");
    // The last version of each, so that a reduced one is compared and not an addend.
    forEveryPlan([](const Plan &plan) {
        for (const TensorId id : plan.results) {
            QCOMPARE(plan.versions(plan.tensor(id).name).back(), id);
            QVERIFY(along(plan.tensor(id).layout, MeshAxis::Tp) != Placement::partial());
        }
    });
}

void TestPlan::tensorsLiveFromMakerToLastUse()
{
    forEveryPlan([](const Plan &plan) {
        for (const Tensor &tensor : plan.tensors) {
            int lastUse = -1;
            for (const Step &step : plan.steps) {
                if (std::count(step.inputs.begin(), step.inputs.end(), tensor.id) > 0)
                    lastUse = step.id;
            }
            const bool result = std::count(plan.results.begin(), plan.results.end(), tensor.id) > 0;
            QCOMPARE(tensor.generated, tensor.madeAt == -1);
            QCOMPARE(tensor.freedAfter, tensor.generated || result ? -1 : std::max(lastUse, tensor.madeAt));
            if (!tensor.generated && !result)
                QVERIFY2(lastUse > tensor.madeAt, label(plan.experiment)); // no step works for nobody
            if (tensor.madeAt >= 0) {
                const auto &outputs = plan.steps[static_cast<std::size_t>(tensor.madeAt)].outputs;
                QVERIFY(std::count(outputs.begin(), outputs.end(), tensor.id) == 1);
            }
        }
    });
}

void TestPlan::savedForBackward()
{
    const auto saved = [](const OptionValues &given) {
        const Plan plan = buildPlan(experimentOf(given));
        std::vector<TensorId> ids;
        for (const Tensor &tensor : plan.tensors) {
            if (tensor.savedForBackward)
                ids.push_back(tensor.id);
        }
        return names(plan, ids);
    };
    QCOMPARE(saved({}), "X Z H");
    QCOMPARE(saved({{"mlp", "swiglu"}}), "X G U H");
    QCOMPARE(saved({{"scheme", "column"}}), "X");
    QCOMPARE(saved({{"phase", "prefill"}}), "");
}

void TestPlan::workIsSharedByTheRanks()
{
    const Plan one = buildPlan(experimentOf({{"ranks", "1"}}));
    const Plan four = buildPlan(experimentOf({{"ranks", "4"}}));
    for (const char *product : {"Z = X·W1", "Y = H·W2", "dH = dY·W2ᵀ", "dX = dZ·W1ᵀ", "dW1 = Xᵀ·dZ"}) {
        QCOMPARE(stepNamed(one, product).flops, std::int64_t{2} * 256 * 1024 * 4096);
        QCOMPARE(stepNamed(four, product).flops, stepNamed(one, product).flops / 4);
    }
    // X [256, 1024] whole, W1 [1024, 1024] and Z [256, 1024] of the rank, four bytes each
    QCOMPARE(stepNamed(four, "Z = X·W1").memoryBytes, std::int64_t{4} * (256 * 1024 + 1024 * 1024 + 256 * 1024));
    QCOMPARE(stepNamed(four, "AR Y").flops, 0);
    // A slice reads and writes what it keeps: X [256, 1024] of [256, 4096], four bytes each.
    const Plan sliced =
        buildPlan(experimentOf({{"scheme", "row"}, {"input-parallel", "off"}, {"ranks", "4"}, {"phase", "prefill"}}));
    QCOMPARE(stepNamed(sliced, "slice X").memoryBytes, std::int64_t{2} * 4 * 256 * 1024);
}

void TestPlan::sizesNearTheLimitsDoNotOverflow()
{
    for (const char *batch : {"1", "1024", "4000"}) {
        for (const char *dtype : {"f64", "bf16"}) {
            const Plan plan = buildPlan(experimentOf({{"hidden", "99999999"},
                                                      {"ranks", "4"},
                                                      {"sequence", "512"},
                                                      {"batch", batch},
                                                      {"dtype", dtype},
                                                      {"algorithm", "direct"}}));
            QVERIFY(peakBytesPerRank(plan) > 0);
            for (const Tensor &tensor : plan.tensors)
                QVERIFY(tensor.bytes() > 0 && localBytes(tensor, plan.mesh(), 3) > 0);
            for (const Step &step : plan.steps) {
                QVERIFY(step.flops >= 0 && step.memoryBytes > 0);
                if (step.collective)
                    QVERIFY(step.collective->sentBytesPerRank > 0);
            }
        }
    }
}

void TestPlan::reasonsNameThisPlan()
{
    const Plan plan = buildPlan(experimentOf({{"ranks", "4"}}));
    QCOMPARE(english(stepNamed(plan, "AR Y").reason), "Each of 4 ranks holds an addend of Y [256, 1024]: the inner "
                                                      "dimension f is cut, so Y is their sum and needs an all-reduce.");
    const std::string wgrad = english(stepNamed(plan, "dW1 = Xᵀ·dZ").reason);
    QVERIFY(wgrad.find("dW1 needs no collective") != std::string::npos);
    const Plan swiglu = buildPlan(experimentOf({{"mlp", "swiglu"}}));
    QVERIFY(english(stepNamed(swiglu, "dX = dXg + dXu").reason).find("one collective") != std::string::npos);
    QVERIFY(isPlaced(plan, "H", Placement::shard(1)));
    QVERIFY(isPlaced(plan, "dX", Placement::replicated()));
}

/// Four replicas of 256 tokens each: what two ranks of one work at has the replica's tokens, and is whole on them only.
void TestPlan::reasonsOnAMeshNameTheGroup()
{
    const auto has = [](const Text &text, const std::string &words) {
        return english(text).find(words) != std::string::npos;
    };
    const Plan plan = buildPlan(experimentOf({{"layers", "2"}, {"mesh", "tp=2,dp=4"}}));
    const Step &sum = stepNamed(plan, "AR Y.1");
    QCOMPARE(sum.collective->payloadBytes, std::int64_t{256} * 1024 * 4);
    QVERIFY(has(sum.reason, "Each of 2 ranks holds an addend of Y.1 [256, 1024]"));
    QVERIFY(has(sum.title, "[256, 1024]"));
    const Step &backward = stepNamed(plan, "AR dY.1");
    QVERIFY(has(backward.reason, "[256, 1024]") && has(backward.reason, "along tp the gradient of a weight"));
    QVERIFY(has(stepNamed(plan, "Y.1 = H.1·W2.1").title, "[256, 1024]"));
    QVERIFY(has(stepNamed(plan, "Z.1 = X·W1.1").reason, "X is whole on each tp rank of its replica and W1.1 is cut"));
    const Text gradient = stepNamed(plan, "dW1.1 = Xᵀ·dZ.1").reason;
    QVERIFY(has(gradient, "Along tp dW1.1 needs no collective") && has(gradient, "Along dp it is an addend"));
    // Every replica has other tokens: no product is of what every rank has.
    const Plan alone = buildPlan(experimentOf({{"mesh", "tp=2,dp=2"}, {"bias", "off"}}));
    for (const Step &step : alone.steps)
        QVERIFY(!has(step.reason, "every rank") || step.kind != StepKind::MatMul);
    const Plan stages = buildPlan(experimentOf({{"scheme", "block"}, {"layers", "2"}, {"mesh", "tp=2,pp=2"}}));
    QVERIFY(has(stepNamed(stages, "Q.1 = N1.1·Wq.1").reason, "N1.1 is whole on every rank of its stage"));
}

void TestPlan::buildingIsPure()
{
    const Experiment e = experimentOf({{"ranks", "8"}, {"mlp", "swiglu"}});
    QCOMPARE(toText(buildPlan(e)), toText(buildPlan(e)));
    QVERIFY(buildPlan(e).experiment == e);
}

QTEST_GUILESS_MAIN(TestPlan)
#include "tst_plan.moc"

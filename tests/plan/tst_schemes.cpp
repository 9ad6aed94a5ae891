// SPDX-License-Identifier: MIT
#include "engine/plan/traffic.h"
#include "tests/plan/plan_experiments.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace shardscope;

namespace {

Plan planOf(const std::string &line)
{
    return buildPlan(experimentOf(optionsIn(line)));
}

/// "all_gather 2, reduce_scatter 2": how often each collective occurs in one pass.
QString counts(const Plan &plan, Pass pass)
{
    std::map<QString, int> seen;
    for (const Step &step : plan.steps) {
        if (step.collective && step.pass == pass)
            ++seen[QString::fromUtf8(name(step.collective->op).data())];
    }
    QStringList words;
    for (const auto &[op, count] : seen)
        words << QString("%1 %2").arg(op).arg(count);
    return words.join(", ");
}

double sentWithoutOptimizer(const Plan &plan)
{
    const Traffic all = traffic(plan);
    double sent = 0;
    for (const Pass pass : {Pass::Forward, Pass::Recompute, Pass::Backward})
        sent += static_cast<double>(all.passes[static_cast<std::size_t>(pass)].sentBytesPerRank);
    return sent;
}

/// Training against a forward pass of the same tokens.
double ratioToPrefill(const std::string &line, const std::string &trainingOnly)
{
    return sentWithoutOptimizer(planOf(line + trainingOnly)) / sentWithoutOptimizer(planOf(line + " --phase prefill"));
}

std::int64_t parameterBytes(const Plan &plan)
{
    std::int64_t bytes = 0;
    for (const Tensor &tensor : plan.tensors) {
        if (tensor.generated && (tensor.role == TensorRole::Weight || tensor.role == TensorRole::Bias))
            bytes += tensor.bytes();
    }
    return bytes;
}

} // namespace

class TestSchemes : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everySchemeKeepsTheAlgebra_data();
    void everySchemeKeepsTheAlgebra();
    void oneRankCutsNothing();
    void publishedCounts_data();
    void publishedCounts();
    void trainingToPrefill();
    void coalescedGradientsOfSequenceParallelism();
    void replicasOfKvHeads();
    void crossEntropySendsThreeNumbersPerToken();
    void dataParallelBytes();
    void zeroShardsStates();
    void pipelineMemory();
    void recomputationKeepsLess();
    void sendsGoBetweenNeighbours();
    void bugsCarryRuleAndRemedy_data();
    void bugsCarryRuleAndRemedy();
    void naiveExerciseSendsWeights();
};

void TestSchemes::everySchemeKeepsTheAlgebra_data()
{
    QTest::addColumn<bool>("dummy");
    for (const std::string &line : everyLargerScheme())
        QTest::newRow(line.c_str()) << true;
}

void TestSchemes::everySchemeKeepsTheAlgebra()
{
    const Experiment e = experimentOf(smallModel(QTest::currentDataTag()));
    const Plan plan = buildPlan(e);
    const auto broken = check(plan);
    QVERIFY2(!broken,
             broken ? (plan.steps[std::size_t(broken->step)].label + ": " + english(broken->rule)).c_str() : "");
    QVERIFY(readExperiment(optionsIn(commandLine(e))).ok());
    QVERIFY(*readExperiment(optionsIn(commandLine(e))) == e);
    QVERIFY(*readExperiment(allOptions(e), Unused::Allow) == e); // what the engine tells the rank host
    for (const Step &step : plan.steps) {
        for (const int earlier : step.dependsOn)
            QVERIFY(earlier < step.id);
        for (const Text &text : {step.title, step.reason}) {
            const std::string_view pattern = englishTemplate(text.id);
            for (std::size_t i = 0; i < 10; ++i)
                QCOMPARE(pattern.find("{" + std::to_string(i) + "}") != std::string_view::npos, i < text.args.size());
            QVERIFY2(text.id != TextId::NoReason, step.label.c_str());
        }
        QVERIFY(!step.label.empty());
        if (step.collective && step.collective->op != CollectiveOp::SendRecv)
            QVERIFY2(step.collective->sentBytesPerRank > 0, step.label.c_str());
    }
    // Every parameter's gradient is a result once, lies as the parameter at rest or as ZeRO cuts it, and no addend is
    // left anywhere.
    std::set<std::string> results;
    for (const TensorId id : plan.results) {
        QVERIFY(results.insert(plan.tensor(id).name).second);
        // The last version, apart from what recomputation makes again.
        std::vector<TensorId> versions = plan.versions(plan.tensor(id).name);
        std::erase_if(versions, [&](TensorId other) {
            const int madeAt = plan.tensor(other).madeAt;
            return madeAt >= 0 && plan.steps[std::size_t(madeAt)].pass == Pass::Recompute;
        });
        QCOMPARE(versions.back(), id);
    }
    for (const Tensor &tensor : plan.tensors) {
        const bool parameter =
            tensor.generated && (tensor.role == TensorRole::Weight || tensor.role == TensorRole::Bias);
        if (parameter && e.phase == Phase::Training)
            QVERIFY2(results.contains("d" + tensor.name), tensor.name.c_str());
    }
}

void TestSchemes::oneRankCutsNothing()
{
    for (std::string line : everyLargerScheme()) {
        OptionValues given = smallModel(line);
        given.erase("mesh");
        given["ranks"] = "1";
        for (const char *option : {"zero", "schedule", "stage-delay"})
            given.erase(option);
        const Plan plan = buildPlan(experimentOf(given));
        QVERIFY2(!check(plan), line.c_str());
        for (const Step &step : plan.steps)
            QVERIFY2(step.kind != StepKind::Collective && step.kind != StepKind::Slice, line.c_str());
        for (const Tensor &tensor : plan.tensors)
            QVERIFY2(tensor.layout == Layout{}, line.c_str());
    }
}

void TestSchemes::publishedCounts_data()
{
    QTest::addColumn<QString>("forward");
    QTest::addColumn<QString>("recompute");
    QTest::addColumn<QString>("backward");
    QTest::addColumn<QString>("optimizer");
    const auto row = [](const char *line, const char *forward, const char *recompute, const char *backward,
                        const char *optimizer = "") {
        QTest::newRow(line) << QString(forward) << QString(recompute) << QString(backward) << QString(optimizer);
    };
    // Narayanan 2021, section 3.2; Korthikanti 2022, sections 4 and 5; Megatron-LM, counted
    row("--scheme attention --ranks 4", "all_reduce 1", "", "all_reduce 1");
    row("--scheme block --ranks 4", "all_reduce 2", "", "all_reduce 2");
    row("--scheme block --ranks 4 --recompute selective", "all_reduce 2", "", "all_reduce 2");
    row("--scheme block --ranks 4 --recompute full", "all_reduce 2", "all_reduce 2", "all_reduce 2");
    row("--scheme block --ranks 4 --sequence-parallel megatron", "all_gather 2, reduce_scatter 2", "",
        "all_gather 4, reduce_scatter 2", "all_reduce 1");
    row("--scheme block --ranks 4 --sequence-parallel keep", "all_gather 2, reduce_scatter 2", "",
        "all_gather 2, reduce_scatter 2", "all_reduce 1");
    row("--scheme block --ranks 4 --sequence-parallel megatron --recompute full", "all_gather 2, reduce_scatter 2",
        "all_gather 2, reduce_scatter 2", "all_gather 4, reduce_scatter 2", "all_reduce 1");
    row("--scheme block --ranks 4 --parallel-block on", "all_reduce 1", "", "all_reduce 1");
    row("--scheme block --ranks 4 --parallel-block on --sequence-parallel megatron", "all_gather 1, reduce_scatter 1",
        "", "all_gather 2, reduce_scatter 1", "all_reduce 1");
    row("--scheme block --ranks 4 --parallel-block on --sequence-parallel keep", "all_gather 1, reduce_scatter 1", "",
        "all_gather 1, reduce_scatter 1", "all_reduce 1");
    row("--scheme block --ranks 4 --layers 3", "all_reduce 6", "", "all_reduce 6");
    row("--scheme mlp --ranks 4 --pair row-column", "all_gather 1, all_reduce 1", "", "all_gather 1, all_reduce 1");
    row("--scheme mlp --ranks 4 --pair column-column", "all_gather 2", "", "all_reduce 1, reduce_scatter 1");
    row("--scheme mlp --ranks 4 --pair row-row", "all_reduce 1, reduce_scatter 1", "", "all_gather 2");
    row("--scheme mlp --ranks 4 --reduce-to root", "broadcast 1, reduce 1", "", "broadcast 1, reduce 1");
    row("--scheme attention --ranks 4 --heads 8 --kv-heads 2", "all_reduce 1", "", "all_reduce 2");
    row("--scheme attention --ranks 4 --heads 8 --kv-heads 2 --phase prefill", "all_reduce 1", "", "");
    row("--scheme embedding --ranks 4", "all_reduce 1", "", "");
    row("--scheme embedding --ranks 4 --sequence-parallel keep", "reduce_scatter 1", "", "all_gather 1");
    row("--scheme logits --ranks 4", "all_reduce 3", "", "all_reduce 1");
    row("--scheme logits --ranks 4 --gather-output on", "all_gather 1", "", "all_reduce 1");
    row("--scheme logits --ranks 4 --phase decode", "all_gather 1", "", "");
    row("--scheme data-parallel --ranks 4 --layers 2", "", "", "all_reduce 2");
    row("--scheme zero1 --ranks 4", "", "", "reduce_scatter 1", "all_gather 1");
    row("--scheme zero2 --ranks 4 --micro-batches 3", "", "", "reduce_scatter 3", "all_gather 1");
    row("--scheme zero3 --ranks 4", "all_gather 1", "", "all_gather 1, reduce_scatter 1");
    row("--scheme data-parallel --ranks 4 --phase prefill", "", "", "");
}

void TestSchemes::publishedCounts()
{
    QFETCH(QString, forward);
    QFETCH(QString, recompute);
    QFETCH(QString, backward);
    QFETCH(QString, optimizer);
    const Plan plan = planOf(QTest::currentDataTag());
    QCOMPARE(counts(plan, Pass::Forward), forward);
    QCOMPARE(counts(plan, Pass::Recompute), recompute);
    QCOMPARE(counts(plan, Pass::Backward), backward);
    QCOMPARE(counts(plan, Pass::Optimizer), optimizer);
}

void TestSchemes::trainingToPrefill()
{
    const std::string block = "--scheme block --ranks 4";
    const std::string sequence = block + " --sequence-parallel megatron";
    QCOMPARE(ratioToPrefill(block, ""), 2.0);
    QCOMPARE(ratioToPrefill(block, " --recompute selective"), 2.0);
    QCOMPARE(ratioToPrefill(block, " --recompute full"), 3.0);
    QCOMPARE(ratioToPrefill(sequence, ""), 2.5);
    QCOMPARE(ratioToPrefill(sequence, " --recompute full"), 3.5);
    QCOMPARE(ratioToPrefill(block + " --sequence-parallel keep", ""), 2.0);
    QCOMPARE(ratioToPrefill(sequence + " --parallel-block on", ""), 2.5);
}

void TestSchemes::coalescedGradientsOfSequenceParallelism()
{
    for (const bool parallel : {false, true}) {
        const Plan plan =
            planOf("--scheme block --ranks 4 --hidden 256 --sequence-parallel megatron --parallel-block " +
                   std::string(parallel ? "on" : "off"));
        const auto last =
            std::ranges::find_if(plan.steps, [](const Step &s) { return s.collective && s.pass == Pass::Optimizer; });
        QVERIFY(last != plan.steps.end());
        const int vectors = parallel ? 4 : 6; // one norm's or two norms' scale and shift, two row layers' biases
        QCOMPARE(last->inputs.size(), std::size_t(vectors));
        QCOMPARE(last->collective->payloadBytes, vectors * 256 * 4);
    }
}

void TestSchemes::replicasOfKvHeads()
{
    const Plan plan = planOf("--scheme attention --ranks 4 --hidden 64 --heads 8 --kv-heads 2");
    const auto replicas =
        std::ranges::find_if(plan.steps, [](const Step &s) { return s.collective && s.collective->replicas > 0; });
    QVERIFY(replicas != plan.steps.end());
    QCOMPARE(replicas->collective->replicas, 2);
    QCOMPARE(plan.groupSize(*replicas->collective), 2);
    QCOMPARE(plan.mesh().group(3, MeshAxis::Tp, 2), (std::vector<int>{2, 3}));
    // dWk, dbk, dWv, dbv of one head of 8 columns: 2 · (64·8 + 8) numbers
    QCOMPARE(replicas->collective->payloadBytes, 2 * (64 * 8 + 8) * 4);
    // The cache per rank stops shrinking where ranks share a head.
    const auto cacheBytes = [](const char *ranks) {
        const Plan decode =
            planOf("--scheme attention --phase decode --heads 8 --kv-heads 2 --ranks " + std::string(ranks));
        return localBytes(decode.tensor(decode.versions("Kc").front()), decode.mesh(), 0);
    };
    QCOMPARE(cacheBytes("2"), cacheBytes("1") / 2);
    QCOMPARE(cacheBytes("4"), cacheBytes("2"));
    QCOMPARE(cacheBytes("8"), cacheBytes("2"));
}

void TestSchemes::crossEntropySendsThreeNumbersPerToken()
{
    const std::string line = "--scheme logits --ranks 4 --batch 1 --sequence 128 --vocabulary 32000";
    const Plan plan = planOf(line);
    const Traffic parallel = traffic(plan);
    QCOMPARE(parallel.passes[0].payloadBytes, 3 * 128 * 4);
    const Traffic naive = traffic(planOf(line + " --gather-output on"));
    QCOMPARE(naive.passes[0].payloadBytes, std::int64_t(128) * 32000 * 4);
    // Statistics are f32 in a bf16 run.
    const Plan bf16 = planOf(line + " --dtype bf16");
    QCOMPARE(traffic(bf16).passes[0].payloadBytes, 3 * 128 * 4);
    // Inference needs the last position's logits only.
    QCOMPARE(traffic(planOf(line + " --phase prefill")).passes[0].payloadBytes, 32000 * 4);
}

/// In units of rho·P·e, P the parameters.
void TestSchemes::dataParallelBytes()
{
    const auto units = [](const std::string &scheme, int microBatches) {
        const Plan plan = planOf("--scheme " + scheme + " --ranks 4 --micro-batches " + std::to_string(microBatches));
        return static_cast<double>(traffic(plan).total().sentBytesPerRank) /
               (0.75 * static_cast<double>(parameterBytes(plan)));
    };
    for (const int m : {1, 3, 4}) {
        QCOMPARE(units("data-parallel", m), 2.0);
        QCOMPARE(units("zero1", m), 2.0);
        QCOMPARE(units("zero2", m), m + 1.0);
        QCOMPARE(units("zero3", m), 3.0 * m);
    }
}

void TestSchemes::zeroShardsStates()
{
    const auto heldBytes = [](const char *scheme, TensorRole role) {
        const Plan plan = planOf("--ranks 4 --scheme " + std::string(scheme));
        std::int64_t bytes = 0;
        for (const Tensor &tensor : plan.tensors) {
            if (tensor.generated && tensor.role == role)
                bytes += localBytes(tensor, plan.mesh(), 0);
        }
        return bytes;
    };
    const std::int64_t states = heldBytes("data-parallel", TensorRole::OptimizerState);
    for (const char *scheme : {"zero1", "zero2", "zero3"})
        QCOMPARE(heldBytes(scheme, TensorRole::OptimizerState), states / 4);
    const std::int64_t weights = heldBytes("data-parallel", TensorRole::Weight);
    QCOMPARE(heldBytes("zero2", TensorRole::Weight), weights);
    QCOMPARE(heldBytes("zero3", TensorRole::Weight), weights / 4);
}

void TestSchemes::pipelineMemory()
{
    const std::string line = "--scheme pipeline --ranks 4 --micro-batches 8 --hidden 64 --sequence 256";
    QVERIFY(peakBytesPerRank(planOf(line)) < peakBytesPerRank(planOf(line + " --schedule gpipe")));
}

void TestSchemes::recomputationKeepsLess()
{
    const std::string line = "--scheme block --ranks 2 --hidden 128 --heads 8 --sequence 256 --layers 4";
    const std::int64_t all = peakBytesPerRank(planOf(line));
    const std::int64_t selective = peakBytesPerRank(planOf(line + " --recompute selective"));
    const std::int64_t full = peakBytesPerRank(planOf(line + " --recompute full"));
    QVERIFY(full < selective && selective < all);
    QVERIFY(peakBytesPerRank(planOf(line + " --sequence-parallel megatron")) < all);
}

void TestSchemes::sendsGoBetweenNeighbours()
{
    const Plan plan = planOf("--scheme pipeline --ranks 4 --micro-batches 3");
    int sends = 0;
    for (const Step &step : plan.steps) {
        if (!step.collective)
            continue;
        ++sends;
        QVERIFY(step.collective->op == CollectiveOp::SendRecv);
        QCOMPARE(step.collective->toStage - step.stage, step.pass == Pass::Forward ? 1 : -1);
        QCOMPARE(step.collective->payloadBytes, std::int64_t(256) * 1024 * 4); // b·s·h·e
        for (int rank = 0; rank < 4; ++rank)
            QCOMPARE(plan.runs(step, rank), rank == step.stage || rank == step.collective->toStage);
    }
    QCOMPARE(sends, 2 * 3 * 3);
    // A stage in the middle sends as much forward as backward; the ends send one way only.
    QCOMPARE(traffic(plan).total().sentBytesPerRank, std::int64_t(2 * 3) * 256 * 1024 * 4);
    const Plan two = planOf("--scheme pipeline --ranks 2 --micro-batches 3");
    QCOMPARE(traffic(two).total().sentBytesPerRank, std::int64_t(3) * 256 * 1024 * 4);
    // With replicas the stage before gets dX before the gradients are summed over them.
    const Plan meshed = planOf("--scheme mlp --mesh dp=2,pp=2");
    const auto at = [&](const std::string &label) { return stepNamed(meshed, label).id; };
    QVERIFY(at("send dY.1") < at("AR dW2.2 … db1.2"));
}

void TestSchemes::bugsCarryRuleAndRemedy_data()
{
    QTest::addColumn<QString>("rules");
    const auto row = [](const char *line, const char *rules) { QTest::newRow(line) << QString(rules); };
    row("--scheme bug:nonlinearity-on-partial --phase prefill", "RuleNonLinearOnPartial");
    row("--scheme bug:nonlinearity-on-partial", "RuleNonLinearOnPartial RuleNonLinearOnPartial");
    row("--scheme bug:all-reduce-weight-gradient", "RuleAllReduceOnColumns");
    row("--scheme bug:missing-input-gradient-reduce", "RuleResultPartial");
    row("--scheme bug:average-instead-of-sum", "RuleAverageOfAddends");
    row("--scheme bug:concat-partials", "RuleSliceNeedsWhole");
    row("--scheme bug:unsharded-heads", "RuleHeadsCut RuleHeadsCut");
    row("--scheme bug:unreduced-kv --heads 8 --kv-heads 2",
        "RuleResultPartial RuleResultPartial RuleResultPartial RuleResultPartial");
    row("--scheme bug:naive-exercise", "RuleAllReduceOnColumns RuleAllReduceOnColumns RuleResultPartial");
}

void TestSchemes::bugsCarryRuleAndRemedy()
{
    QFETCH(QString, rules);
    const Plan plan = planOf(QTest::currentDataTag() + std::string(" --ranks 4"));
    QStringList found;
    for (const BrokenRule &broken : plan.brokenRules) {
        found << QString::fromUtf8(textName(broken.rule.id).data());
        QVERIFY(broken.remedy.id != TextId::NoReason);
    }
    QCOMPARE(found.join(' '), rules);
    QVERIFY(plan.rightScheme.has_value());
    const auto first = check(plan);
    QVERIFY(first.has_value());
    QVERIFY(first->rule == plan.brokenRules.front().rule);
    QCOMPARE(first->step, plan.brokenRules.front().step);
}

void TestSchemes::naiveExerciseSendsWeights()
{
    // Its training sends 1 + h/tokens times what its forward does.
    const std::string line = "--scheme bug:naive-exercise --ranks 4 --hidden 512 --batch 1";
    QCOMPARE(ratioToPrefill(line, ""), 1.0 + 512.0 / 64.0);
}

QTEST_GUILESS_MAIN(TestSchemes)
#include "tst_schemes.moc"

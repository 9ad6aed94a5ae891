// SPDX-License-Identifier: MIT
#include "engine/plan/plan_builder.h"
#include "tests/plan/plan_experiments.h"

#include <QTest>
#include <rapidcheck.h>

using namespace shardscope;

class TestPlanCheck : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void bugsBreakTheRuleThatTheyCarry();
    void checkFindsASpoiltPlan();
    void theBuilderRefusesWhatTheAlgebraRefuses();
};

void TestPlanCheck::bugsBreakTheRuleThatTheyCarry()
{
    const auto bug = [](const char *scheme, int ranks, const char *phase) {
        return buildPlan(
            experimentOf({{"scheme", scheme}, {"ranks", std::to_string(ranks)}, {"phase", phase}, {"ffn", "64"}}));
    };
    for (const int ranks : {2, 4, 64}) {
        for (const char *phase : {"training", "prefill", "decode"}) {
            const Plan bias = bug("bug:row-bias-each-rank", ranks, phase);
            QVERIFY(check(bias).has_value());
            QVERIFY(check(bias)->rule == bias.brokenRules.front().rule);
            QVERIFY(check(bias)->rule.id == TextId::RuleBiasOnPartial);
            QCOMPARE(check(bias)->step, bias.brokenRules.front().step);
            QCOMPARE(bias.steps[static_cast<std::size_t>(bias.brokenRules.front().step)].label, "Y + b");

            const Plan columns = bug("bug:all-reduce-columns", ranks, phase);
            QVERIFY(check(columns).has_value());
            QVERIFY(check(columns)->rule == columns.brokenRules.front().rule);
            QVERIFY(check(columns)->rule.id == TextId::RuleAllReduceOnColumns);
            QCOMPARE(check(columns)->step, columns.brokenRules.front().step);
            QCOMPARE(columns.steps[static_cast<std::size_t>(columns.brokenRules.front().step)].label, "AR Y");
        }
    }
    // What travels there is the rank's own columns, not Y.
    const Plan columns = bug("bug:all-reduce-columns", 4, "prefill");
    QCOMPARE(stepNamed(columns, "AR Y").collective->payloadBytes, 4 * 256 * 16);
}

void TestPlanCheck::checkFindsASpoiltPlan()
{
    QVERIFY(rc::check("another placement of any made tensor is noticed", [] {
        const int ranks = *rc::gen::inRange(2, 9);
        const auto all = everyCorrectExperiment(ranks);
        Plan plan = buildPlan(all[*rc::gen::inRange<std::size_t>(0, all.size())]);
        std::vector<TensorId> made;
        for (const Tensor &tensor : plan.tensors) {
            if (!tensor.generated && plan.steps[static_cast<std::size_t>(tensor.madeAt)].kind != StepKind::Slice)
                made.push_back(tensor.id);
        }
        Tensor &spoilt = plan.tensors[static_cast<std::size_t>(made[*rc::gen::inRange<std::size_t>(0, made.size())])];
        const Placement other =
            *rc::gen::element(Placement::replicated(), Placement::partial(), Placement::shard(0), Placement::shard(1));
        RC_PRE(other != along(spoilt.layout, MeshAxis::Tp));
        along(spoilt.layout, MeshAxis::Tp) = other;
        const auto broken = check(plan);
        RC_ASSERT(broken.has_value());
        RC_ASSERT(broken->step == spoilt.madeAt);
    }));

    Plan order = buildPlan(experimentOf({}));
    std::swap(order.steps[0].inputs[0], order.steps[3].inputs[0]);
    QVERIFY(check(order)->rule.id == TextId::RuleUsedBeforeMade);
    Plan twice = buildPlan(experimentOf({}));
    twice.steps.push_back(twice.steps.back());
    QVERIFY(check(twice)->rule.id == TextId::RuleMadeTwice);
    Plan shapes = buildPlan(experimentOf({}));
    shapes.tensors[1].shape[0].size += 1;
    QVERIFY(check(shapes)->rule.id == TextId::RuleShapesDoNotFit);
    Plan second = buildPlan(experimentOf({{"mlp", "swiglu"}}));
    second.tensors[static_cast<std::size_t>(second.versions("dU").front())].shape[0].size += 1;
    QVERIFY(check(second)->rule.id == TextId::RuleShapesDoNotFit);
    QCOMPARE(check(second)->step, stepNamed(second, "dG, dU from dH").id); // where it is made, not where it is used
    Plan withoutReduce = buildPlan(experimentOf({}));
    for (Step &step : withoutReduce.steps) {
        if (step.label == "AR Y")
            step.kind = StepKind::Add, step.inputs = {step.inputs[0], step.inputs[0]};
    }
    QVERIFY(check(withoutReduce)->rule.id == TextId::RulePlacementDiffers);
    QCOMPARE(english(check(withoutReduce)->rule), "Y is said to be replicated, but the algebra gives partial.");
}

void TestPlanCheck::theBuilderRefusesWhatTheAlgebraRefuses()
{
    PlanBuilder plan(experimentOf({{"ranks", "4"}}), Transport::Gloo);
    const TensorId x = plan.activation("X", {plan.tokens(), plan.ffn()}, plan.columns());
    const TensorId w = plan.weight("W", {plan.ffn(), plan.hidden()}, plan.rows());
    const TensorId b = plan.bias("b", plan.hidden(), plan.whole(), plan.ffn().size);
    const TensorId y = plan.matMul("Y", x, w);
    QVERIFY_EXCEPTION_THROWN(plan.addBias(y, b), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(plan.elementwise(StepKind::Gelu, "H", {y}, "H"), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(plan.sum(x), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(plan.allGather(y, 1), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(plan.slice(x, 1), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(plan.unreducedResult(x, {}), std::logic_error);
    plan.breakRule(Placement::replicated(), {}); // but all-reducing a partial sum breaks nothing
    QVERIFY_EXCEPTION_THROWN(plan.sum(y), std::logic_error);
}

QTEST_GUILESS_MAIN(TestPlanCheck)
#include "tst_plan_check.moc"

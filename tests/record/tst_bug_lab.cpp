// SPDX-License-Identifier: MIT
#include "engine/record/bug_lab.h"

#include "engine/plan/experiment_options.h"
#include "engine/plan/traffic.h"

#include <QtTest>
#include <cmath>

using namespace shardscope;

namespace {

Plan planOf(const OptionValues &options)
{
    const Expected<Experiment> read = readExperiment(options);
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return buildPlan(*read);
}

OptionValues naive(const char *hidden, const char *batch)
{
    return {{"scheme", "bug:naive-exercise"}, {"ranks", "4"}, {"hidden", hidden}, {"batch", batch}, {"bias", "off"}};
}

/// An experiment in which the bug can show.
OptionValues showing(Scheme scheme)
{
    OptionValues options{{"scheme", std::string(name(scheme))}, {"ranks", "4"}, {"hidden", "256"}, {"heads", "4"}};
    if (scheme == Scheme::BugNaiveExercise)
        options["bias"] = "off";
    if (scheme == Scheme::BugNonlinearityOnPartial) {
        options["bias"] = "off";
        options["phase"] = "prefill";
    }
    if (!readExperiment(options))
        options.erase("heads"); // not of linear layers
    return options;
}

} // namespace

class TestBugLab : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void thereAreTen()
    {
        QCOMPARE(bugSchemes().size(), std::size_t{10});
        for (const Scheme scheme : bugSchemes())
            QVERIFY(isBug(scheme));
    }

    /// Where ranks must share heads, they do without being told so, and as many ranks share one as few.
    void sharedHeadsNeedNoOption()
    {
        const auto headsOn = [](const char *ranks, const char *heads) {
            return planOf({{"scheme", "bug:unreduced-kv"}, {"ranks", ranks}, {"heads", heads}, {"hidden", "256"}})
                .experiment.kvHeads;
        };
        QCOMPARE(headsOn("4", "4"), 2);
        QCOMPARE(headsOn("2", "4"), 1);
        QCOMPARE(headsOn("8", "16"), 4);
    }

    /// dbk is marked as left unreduced and passes its check: it is zero, and that is said.
    void theKeyBiasIsRightAllTheSame()
    {
        const auto texts = [](const char *bias) {
            return rightAllTheSame(planOf({{"scheme", "bug:unreduced-kv"}, {"ranks", "4"}, {"bias", bias}}));
        };
        QCOMPARE(texts("on").size(), 1U);
        QCOMPARE(texts("on").front().id, TextId::BugRightKeyBias);
        QVERIFY(texts("off").empty());
        QVERIFY(rightAllTheSame(planOf(naive("64", "1"))).empty());
    }

    /// Every bug names each broken rule once, with the steps that break it, and has a right version to stand beside.
    void everyBugHasMistakesAndARightVersion()
    {
        for (const Scheme scheme : bugSchemes()) {
            const Plan plan = planOf(showing(scheme));
            const std::vector<Mistake> mistakes = mistakesOf(plan);
            QVERIFY2(!mistakes.empty(), name(scheme).data());
            std::size_t steps = 0;
            for (const Mistake &mistake : mistakes)
                steps += mistake.steps.size();
            QCOMPARE(steps, plan.brokenRules.size());
            const std::optional<Experiment> right = rightExperiment(plan);
            QVERIFY2(right, name(scheme).data());
            QVERIFY(!isBug(right->scheme));
            QVERIFY(mistakesOf(buildPlan(*right)).empty());
        }
        QVERIFY(!rightExperiment(planOf({{"scheme", "mlp"}})));
    }

    /// Two gradients, weight and bias, are left as addends for one reason.
    void alikeMistakesAreOne()
    {
        const Plan plan = planOf(showing(Scheme::BugUnreducedKv));
        QVERIFY(plan.brokenRules.size() > 1);
        QCOMPARE(mistakesOf(plan).size(), std::size_t{1});
        QCOMPARE(mistakesOf(planOf(naive("512", "1"))).size(), std::size_t{3});
    }

    void errorsAreDerived()
    {
        const std::vector<ExpectedError> errors = expectedErrors(planOf(naive("512", "1")));
        QCOMPARE(errors.size(), std::size_t{3});
        QCOMPARE(errors[0].result, std::string("Y"));
        QCOMPARE(*errors[0].value, std::sqrt(3.0));
        QCOMPARE(*errors[1].value, std::sqrt(3.0));
        QCOMPARE(*errors[2].value, std::sqrt(0.75));
        const auto first = [](Scheme scheme) { return expectedErrors(planOf(showing(scheme))).front(); };
        QCOMPARE(*first(Scheme::BugAverageInsteadOfSum).value, 0.75);
        QCOMPARE(*first(Scheme::BugUnreducedKv).value, std::sqrt(0.5));
        QVERIFY(std::abs(*first(Scheme::BugRowBiasEachRank).value - 3 / std::sqrt(1025.0)) < 1e-12);
        QVERIFY(expectedErrors(planOf(showing(Scheme::BugUnshardedHeads))).empty());
    }

    /// What prefill does not compute is not expected of it.
    void prefillHasNoGradients()
    {
        OptionValues options = naive("512", "1");
        options["phase"] = "prefill";
        QCOMPARE(expectedErrors(planOf(options)).size(), std::size_t{1});
    }

    void theNaiveRatioIsOnePlusHiddenOverTokens()
    {
        const Experiment experiment = planOf(naive("512", "1")).experiment;
        QCOMPARE(*trainingToPrefillBytes(experiment, Transport::Gloo), 9.0);
        QVERIFY(english(ratioOfBug(experiment, 9)).find("1 + 512/64") != std::string::npos);
        QCOMPARE(*trainingToPrefillBytes(planOf(naive("1024", "4")).experiment, Transport::Gloo), 5.0);
        // It is in the backward pass: there is no prefill to divide by.
        const Plan backward = planOf(showing(Scheme::BugMissingInputGradientReduce));
        QVERIFY(!trainingToPrefillBytes(backward.experiment, Transport::Gloo));
    }
};

QTEST_APPLESS_MAIN(TestBugLab)
#include "tst_bug_lab.moc"

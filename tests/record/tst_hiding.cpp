// SPDX-License-Identifier: MIT
// Whether a collective could run beside compute: which steps stand beside it, and what bandwidth that would need.
#include "engine/record/hiding.h"
#include "tests/record/record_fixtures.h"

#include <QTest>

#include <algorithm>

using namespace shardscope;
using namespace shardscope::test;

namespace {

constexpr std::int64_t kCollectiveNs = 250'000;

Run timed(OptionValues options, std::int64_t collectiveNs = kCollectiveNs)
{
    Run run = makeRun(options);
    addIterations(run, 3, collectivesTake([=](int, int) { return collectiveNs; }));
    return run;
}

std::vector<std::string> labelsOf(const Run &run, const std::vector<int> &steps)
{
    std::vector<std::string> labels;
    for (const int step : steps)
        labels.push_back(run.plan.steps[static_cast<std::size_t>(step)].label);
    return labels;
}

/// Of the collective with that label, the first of several.
Hiding hidingOf(const Run &run, const std::string &label)
{
    for (const Hiding &hiding : hidings(run, summarize(run))) {
        if (run.plan.steps[static_cast<std::size_t>(hiding.step)].label == label)
            return hiding;
    }
    qFatal("no collective %s", label.c_str());
}

using Labels = std::vector<std::string>;

} // namespace

class TestHiding : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theInputGradientHidesUnderTheWeightGradient()
    {
        const Run run = timed(layer("mlp", "training", 2));
        const Hiding hiding = hidingOf(run, "AR dX");
        QCOMPARE(labelsOf(run, hiding.beside), (Labels{"dW1 = Xᵀ·dZ", "db1 = Σ dZ"}));
        QCOMPARE(hiding.needs, -1);
        QCOMPARE(hiding.computeNs, 2.0 * kComputeNs);
        // 2 (N-1)/N of 256 tokens of 1024 f32, over the time.
        const double sent = 256 * 1024 * 4;
        QCOMPARE(hiding.requiredGBs, sent / (2 * kComputeNs));
        QCOMPARE(hiding.availableGBs, sent / kCollectiveNs);
        QVERIFY(!hiding.possible());
        const auto text = couldBeHidden(run, hiding);
        QVERIFY(text && text->id == TextId::HidePart);
        QVERIFY(english(*text).find("At most 80 % of it") == 0);
        QVERIFY(english(*text).find("dW1, db1") != std::string::npos);
        QVERIFY(english(*text).find("1 MiB") != std::string::npos);
        QVERIFY(english(*text).find("5.24 GB/s; measured 4.19 GB/s") != std::string::npos);
    }

    void aFasterLinkHidesIt()
    {
        const Run run = timed(layer("mlp", "training", 2), 150'000);
        QVERIFY(hidingOf(run, "AR dX").possible());
        QCOMPARE(couldBeHidden(run, hidingOf(run, "AR dX"))->id, TextId::HideYes);
    }

    void aPredictionSaysSo()
    {
        Run run = timed(layer("mlp", "training", 2));
        run.source = Source::Predicted;
        QCOMPARE(couldBeHidden(run, hidingOf(run, "AR dX"))->id, TextId::HidePartPredicted);
    }

    void aForwardSumIsNeededAtOnce()
    {
        const Run run = timed(layer("mlp", "training", 2));
        const Hiding hiding = hidingOf(run, "AR Y");
        QVERIFY(hiding.beside.empty());
        QVERIFY(!hiding.possible());
        const auto text = couldBeHidden(run, hiding);
        QCOMPARE(text->id, TextId::HideNeededAtOnce);
        QCOMPARE(text->args, (Labels{"Y + b2"}));
    }

    /// The last bucket to go back has no layer behind it; those before have.
    void gradientBucketsHideUnderTheLayersThatFollow()
    {
        OptionValues options = layer("data-parallel", "training", 2);
        options["layers"] = "2";
        const Run run = timed(options);
        const std::vector<Hiding> all = hidings(run, summarize(run));
        QCOMPARE(all.size(), 2U);
        const Labels first = labelsOf(run, all[0].beside);
        QVERIFY(std::ranges::find(first, "dH.1 = dY.1·W2.1ᵀ") != first.end());
        QVERIFY(std::ranges::none_of(first, [](const std::string &label) { return label.find("Adam") == 0; }));
        QVERIFY(all[1].beside.empty());
    }

    /// Parameters are there before the layer that needs them: they may be fetched under the one before it.
    void zero3FetchesUnderTheLayerBefore()
    {
        OptionValues options = layer("zero3", "prefill", 2);
        options["layers"] = "2";
        const Run run = timed(options);
        const std::vector<Hiding> all = hidings(run, summarize(run));
        QCOMPARE(all.size(), 2U);
        QVERIFY(all[0].beside.empty()); // nothing comes before the first
        const Labels second = labelsOf(run, all[1].beside);
        QVERIFY(std::ranges::find(second, "Z.1 = X·W1.1") != second.end());
    }

    /// Megatron's second all-gather of X does not depend on dZ; that of dY waits for backward to begin.
    void sequenceParallelGathersUnderBackward()
    {
        OptionValues options = layer("mlp", "training", 2);
        options["sequence-parallel"] = "megatron";
        const Run run = timed(options);
        QVERIFY(hidingOf(run, "AG dY").beside.empty());
        const auto all = hidings(run, summarize(run));
        const auto again = std::ranges::find_if(all, [&](const Hiding &hiding) {
            const Step &step = run.plan.steps[static_cast<std::size_t>(hiding.step)];
            return step.label == "AG X" && step.pass == Pass::Backward;
        });
        QVERIFY(again != all.end());
        const Labels beside = labelsOf(run, again->beside);
        QVERIFY(std::ranges::find(beside, "dH = dY·W2ᵀ") != beside.end());
    }

    void messagesAndUntimedRunsHaveNone()
    {
        QVERIFY(hidings(makeRun(layer("mlp", "training", 2)), summarize(makeRun(layer("mlp", "training", 2)))).empty());
        const Run pipeline = timed(layer("pipeline", "prefill", 2));
        QVERIFY(hidings(pipeline, summarize(pipeline)).empty());
    }

    void oneCollectiveGivesTheSameSentence()
    {
        const Run run = timed(layer("mlp", "training", 2));
        const RunSummary summary = summarize(run);
        for (const CollectiveSummary &collective : summary.collectives) {
            const auto alone = couldBeHidden(run, collective);
            const auto listed = couldBeHidden(run, hidingOf(run, run.plan.steps[std::size_t(collective.step)].label));
            QVERIFY(alone && listed && *alone == *listed);
        }
    }
};

QTEST_APPLESS_MAIN(TestHiding)
#include "tst_hiding.moc"

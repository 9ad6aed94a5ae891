// SPDX-License-Identifier: MIT
// Whether a collective could run beside compute: which steps stand beside it, and what bandwidth that would need.
#include "engine/record/hiding.h"
#include "tests/record/record_fixtures.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

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

    /// dY does not exist before Y is complete, so no compute of the same layer's backward pass is beside Y.
    void whatALayerHandsOnHidesUnderNothing_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("label");
        QTest::newRow("row") << "row"
                             << "bias"
                             << "off"
                             << "AR Y";
        QTest::newRow("mlp") << "mlp"
                             << "bias"
                             << "off"
                             << "AR Y";
        QTest::newRow("attention") << "attention"
                                   << "bias"
                                   << "off"
                                   << "AR Y";
        QTest::newRow("column") << "column"
                                << "gather-output"
                                << "on"
                                << "AG Y";
        QTest::newRow("row-column") << "mlp"
                                    << "pair"
                                    << "row-column"
                                    << "AG Y";
        QTest::newRow("naive") << "bug:naive-exercise"
                               << "ranks"
                               << "2"
                               << "AR Y";
        QTest::newRow("embedding") << "embedding"
                                   << "ranks"
                                   << "2"
                                   << "AR Y";
    }

    void whatALayerHandsOnHidesUnderNothing()
    {
        QFETCH(QString, scheme);
        QFETCH(QString, option);
        QFETCH(QString, value);
        QFETCH(QString, label);
        for (const char *phase : {"training", "prefill"}) {
            OptionValues options = layer(scheme.toStdString(), phase, 2);
            if (scheme == "mlp" || scheme == "column")
                options["bias"] = "off"; // else the bias needs it first
            options[option.toStdString()] = value.toStdString();
            const Run run = timed(options);
            const Hiding hiding = hidingOf(run, label.toStdString());
            QVERIFY(hiding.beside.empty() && hiding.computeNs == 0);
            QCOMPARE(couldBeHidden(run, hiding)->id, TextId::HideNeededByNext);
        }
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

    /// Four layers: parameters come beside the layer before them in the same pass, gradients go beside the one after.
    void zero3HidesUnderTheNeighboursOfItsPass()
    {
        OptionValues options = layer("zero3", "training", 4);
        options["layers"] = "4";
        const Run run = timed(options);
        const std::vector<Hiding> all = hidings(run, summarize(run));
        std::map<std::string, int> hidden;
        for (const Hiding &hiding : all) {
            const Step &step = run.plan.steps[static_cast<std::size_t>(hiding.step)];
            const std::string kind = std::string(name(step.pass)) + ' ' + std::string(name(step.collective->op));
            hidden[kind] += hiding.computeNs > 0 ? 1 : 0;
            for (const int beside : hiding.beside)
                QCOMPARE(run.plan.steps[static_cast<std::size_t>(beside)].pass, step.pass);
            if (hiding.beside.empty())
                QCOMPARE(hiding.whyNot, step.collective->op == CollectiveOp::ReduceScatter
                                            ? WhyNotHidden::NothingLeft
                                            : WhyNotHidden::NothingBefore);
        }
        QCOMPARE(hidden, (std::map<std::string, int>{
                             {"forward all_gather", 3}, {"backward all_gather", 3}, {"backward reduce_scatter", 3}}));
        const auto layersBeside = [&](const std::string &label, Pass pass) {
            std::set<int> layers;
            for (const Hiding &hiding : all) {
                const Step &step = run.plan.steps[static_cast<std::size_t>(hiding.step)];
                if (step.label != label || step.pass != pass)
                    continue;
                for (const int beside : hiding.beside)
                    layers.insert(run.plan.steps[static_cast<std::size_t>(beside)].layer - step.layer);
            }
            return layers;
        };
        QCOMPARE(layersBeside("AG W1.3 … b2.3", Pass::Forward), (std::set<int>{-1}));
        QCOMPARE(layersBeside("AG W1.3 … b2.3", Pass::Backward), (std::set<int>{1}));
        QCOMPARE(layersBeside("RS dW2.3 … db1.3", Pass::Backward), (std::set<int>{-1}));
    }

    /// After its layer's update only the next step's forward is left.
    void updatedParametersWaitForTheNextStep()
    {
        const Run run = timed(layer("zero1", "training", 2));
        const std::vector<Hiding> all = hidings(run, summarize(run));
        QCOMPARE(all.back().whyNot, WhyNotHidden::NextStep);
        QVERIFY(all.back().beside.empty());
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

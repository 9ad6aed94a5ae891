// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/page_runs.h"

#include "engine/plan/traffic.h"
#include "ui/pages/crossover_page.h"
#include "ui/pages/crossover_sheet.h"

using namespace shardscope;

namespace {

CrossoverValues valuesFor(const OptionValues &options, bool measured)
{
    const Experiment asked = experimentOf(options);
    const std::vector<CrossoverPoints> points = crossoverPoints(asked);
    std::vector<RunPtr> runs;
    for (const CrossoverPoints &curve : points) {
        for (const CrossoverPoint &point : curve.measured)
            runs.push_back(measured ? measuredRun(point.experiment) : nullptr);
    }
    return crossoverValues(asked, points, runs, lookupsFor(8, measured));
}

/// On the slide.
bool says(const CrossoverValues &values, const QString &words)
{
    const Sheet sheet = crossoverSheet(values, kPageViews[0].area, Theme::light(), 1.5);
    return std::ranges::any_of(sheet.texts, [&](const TextBox &text) { return text.text.contains(words); });
}

const OptionValues kNarrow{{"ranks", "4"}, {"hidden", "128"}};

const OptionValues kLayers[] = {
    kNarrow,
    {{"ranks", "2"}},
    {{"scheme", "block"}, {"ranks", "4"}, {"hidden", "256"}},
    {{"scheme", "block"}, {"ranks", "2"}, {"hidden", "256"}, {"parallel-block", "on"}},
    {{"scheme", "zero3"}, {"layer", "block"}, {"ranks", "4"}, {"hidden", "256"}},
    {{"scheme", "row"}, {"ranks", "8"}, {"hidden", "512"}},
    {{"ranks", "4"}, {"hidden", "256"}, {"sequence-parallel", "megatron"}, {"recompute", "full"}, {"overlap", "on"}},
};

} // namespace

class TestCrossover : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// What the plans send crosses where the formula says (tensor-parallelism.md, 5, #21).
    void countsCrossWhereTheFormulaSays()
    {
        for (const OptionValues &options : kLayers) {
            const CrossoverValues values = valuesFor(options, false);
            QCOMPARE(values.places.size(), 2u);
            for (const CrossoverPlace &place : values.places) {
                QVERIFY(place.counted > 0);
                QVERIFY2(std::abs(place.counted / place.tokens - 1) < 0.01, qPrintable(place.formula));
            }
            QCOMPARE(values.places[1].tokens, 1.5 * values.places[0].tokens);
        }
    }

    void theFormulaIsThatOfTheLayer()
    {
        QCOMPARE(valuesFor(kLayers[1], false).places[0].formula, QStringLiteral("P/(2\u00b7L\u00b7h)"));
        QCOMPARE(valuesFor(kLayers[2], false).places[0].formula, QStringLiteral("P/(4\u00b7L\u00b7h)"));
        QCOMPARE(valuesFor(kLayers[3], false).places[0].formula, QStringLiteral("P/(2\u00b7L\u00b7h)"));
        // f + 1/2 + f/h/2: the biases are parameters too.
        QCOMPARE(valuesFor(kLayers[1], false).places[0].tokens, 4096 + 0.5 + 2);
    }

    /// Sent directly to every peer an all-gather costs what an all-reduce does, and the formula of rings does not hold.
    void otherAlgorithmsCrossWhereTheirBytesDo()
    {
        const auto values =
            valuesFor({{"scheme", "mlp"}, {"ranks", "4"}, {"hidden", "64"}, {"algorithm", "direct"}}, false);
        for (const CrossoverPlace &place : values.places)
            QVERIFY2(std::abs(place.tokens / place.counted - 1) < 0.02, qPrintable(place.formula));
        QVERIFY(std::ranges::any_of(values.places, [](const CrossoverPlace &place) {
            return place.formula == QStringLiteral("by the bytes of direct");
        }));
    }

    /// NCCL sends bf16 as it is, and the formulas hold; Gloo sends sums in f32 and parameters in bf16.
    void bytesAreThoseOfWhatCarriesThem()
    {
        const OptionValues block{{"scheme", "block"}, {"ranks", "4"}, {"hidden", "256"}, {"dtype", "bf16"}};
        const CrossoverValues predicted = valuesFor(block, false);
        QCOMPARE(predicted.places[0].formula, QStringLiteral("P/(4\u00b7L\u00b7h)"));
        QCOMPARE(predicted.places[1].formula, QStringLiteral("1.5 \u00b7 P/(4\u00b7L\u00b7h)"));
        const CrossoverValues measured = valuesFor(block, true);
        const auto bytes = [](const CrossoverValues &values, Scheme scheme) {
            const auto curve = std::ranges::find(values.curves, scheme, &CrossoverCurve::scheme);
            return static_cast<double>(curve->points.front().plannedBytes);
        };
        QCOMPARE(bytes(measured, Scheme::DataParallel) / bytes(predicted, Scheme::DataParallel), 2.0);
        QVERIFY(measured.measured > 0 && measured.asCounted == measured.measured);
        QVERIFY(std::ranges::any_of(measured.places, [](const CrossoverPlace &place) {
            return place.formula == QStringLiteral("by the bytes of Gloo, which sends sums in f32");
        }));
    }

    /// Options change what tensor parallelism sends: Megatron 5 quarters, full recomputation 6, both 7.
    void theFormulaFollowsTheOptions()
    {
        struct Case {
            OptionValues options;
            QString formula;
        };
        const OptionValues block{{"scheme", "block"}, {"ranks", "4"}, {"hidden", "256"}};
        const auto with = [](OptionValues options, const OptionValues &more) {
            options.insert(more.begin(), more.end());
            return options;
        };
        const Case cases[] = {
            {with(kNarrow, {{"sequence-parallel", "megatron"}}), QStringLiteral("P/(2.5\u00b7L\u00b7h)")},
            {with(kNarrow, {{"recompute", "full"}}), QStringLiteral("P/(3\u00b7L\u00b7h)")},
            {with(block, {{"sequence-parallel", "megatron"}}), QStringLiteral("P/(5\u00b7L\u00b7h)")},
            {with(block, {{"recompute", "full"}}), QStringLiteral("P/(6\u00b7L\u00b7h)")},
            {with(block, {{"sequence-parallel", "megatron"}, {"recompute", "full"}}),
             QStringLiteral("P/(7\u00b7L\u00b7h)")},
        };
        for (const auto &[options, formula] : cases) {
            const CrossoverValues values = valuesFor(options, false);
            QCOMPARE(values.places[0].formula, formula);
            for (const CrossoverPlace &place : values.places)
                QVERIFY2(std::abs(place.counted / place.tokens - 1) < 0.01, qPrintable(place.formula));
            for (const auto &[option, value] : options) {
                if (option == "sequence-parallel" || option == "recompute") {
                    QCOMPARE(findOption(option)->get(values.experiment), value);
                    QVERIFY(crossoverSetting(values).contains(QString::fromStdString(value)));
                }
            }
        }
    }

    /// Every curve is of the same tokens and the same layers.
    void schemesShareTheWork()
    {
        for (const CrossoverPoints &curve : crossoverPoints(experimentOf(kNarrow))) {
            QVERIFY(curve.points.size() > 5);
            for (const CrossoverPoint &point : curve.points) {
                QVERIFY(!validate(point.experiment));
                QCOMPARE(point.experiment.globalTokens(), point.tokens);
                QCOMPARE(point.experiment.layers, std::int64_t{4});
                QCOMPARE(point.experiment.ranks(), 4);
            }
            QVERIFY(curve.measured.size() <= 4 && !curve.measured.empty());
        }
    }

    /// Also where a plan cannot have as many micro-batches as stages.
    void manyRanksHaveEveryScheme()
    {
        const auto curves = crossoverPoints(experimentOf({{"scheme", "block"}, {"ranks", "64"}, {"hidden", "4096"}}));
        QCOMPARE(curves.size(), 4u);
        for (const CrossoverPoints &curve : curves) {
            QVERIFY(!curve.points.empty());
            for (const CrossoverPoint &point : curve.points)
                QCOMPARE(point.experiment.globalTokens(), point.tokens);
        }
    }

    void whyNothingCanBeMeasuredStandsThere()
    {
        const std::vector<CrossoverPoints> points = crossoverPoints(experimentOf(kNarrow));
        std::vector<RunPtr> none(16);
        const CrossoverValues values = crossoverValues(experimentOf(kNarrow), points, none, lookupsFor(0, false),
                                                       QStringLiteral("too many ranks"));
        QVERIFY(says(values, QStringLiteral("Nothing is measured: too many ranks.")));
    }

    /// Only what takes about a second is measured; why the crossing is not, stands on the page.
    void largeStepsAreNotMeasured()
    {
        const CrossoverValues wide = valuesFor(kLayers[1], true);
        QVERIFY(static_cast<double>(wide.affordable) < wide.places[0].tokens);
        const CrossoverValues narrow = valuesFor(kNarrow, true);
        QVERIFY(static_cast<double>(narrow.affordable) > narrow.places[1].tokens);
        const QString words = QStringLiteral("choose a smaller h");
        QVERIFY(says(wide, words));
        QVERIFY(!says(narrow, words));
    }

    void observedBytesAreHeldAgainstThePlans()
    {
        CrossoverValues values = valuesFor(kNarrow, true);
        QVERIFY(values.measured >= 12);
        QCOMPARE(values.asCounted, values.measured);
        QVERIFY(!values.showsPredicted()); // for GPUs, beside CPU ranks
        QCOMPARE(valuesFor(kNarrow, false).measured, 0);
        QVERIFY(valuesFor(kNarrow, false).showsPredicted());
    }

    void oneRankHasNothingToCross()
    {
        const CrossoverValues values = valuesFor({{"ranks", "1"}}, false);
        QVERIFY(values.curves.empty());
        QVERIFY(crossoverFinding(values).contains("two or more ranks"));
        QCOMPARE(crossoverProvenance(values), QStringLiteral("nothing is drawn"));
        QVERIFY(says(values, QStringLiteral("Choose another number of ranks")));
    }

    void whyALayerCannotBeSharedStandsThere()
    {
        const CrossoverValues values =
            valuesFor({{"scheme", "zero3"}, {"layer", "block"}, {"ranks", "16"}, {"hidden", "512"}}, false);
        QVERIFY(values.curves.empty());
        QVERIFY(says(values, QStringLiteral("--heads 8: tp = 16 ranks cannot share it evenly")));
    }

    /// No picture passes for the experiment that was asked for where it is another one.
    void whatIsNotAsInTheWorkbenchIsSaid()
    {
        const QString row =
            crossoverSetting(valuesFor({{"scheme", "row"}, {"phase", "decode"}, {"ranks", "4"}}, false));
        QVERIFY2(row.contains("Not as in the workbench: scheme mlp instead of row, phase training instead of decode, "
                              "layers 4 instead of 1"),
                 qPrintable(row));
        QVERIFY(!row.contains("steps"));
        const QString measured = crossoverSetting(valuesFor(kNarrow, true));
        QVERIFY2(measured.endsWith("Not as in the workbench: layers 4 instead of 1, steps 5 instead of 20, warmup 1 "
                                   "instead of 3"),
                 qPrintable(measured));
        QVERIFY(!crossoverSetting(valuesFor({{"ranks", "4"}, {"layers", "4"}}, false)).contains("workbench"));
    }

    /// Times that differ less than they vary name no winner.
    void noiseHasNoFastest()
    {
        CrossoverValues values = valuesFor(kNarrow, true);
        QVERIFY(says(values, QStringLiteral("fastest at")));
        for (CrossoverCurve &curve : values.curves) {
            for (CrossoverValue &point : curve.points)
                point.measuredStep = {.median = point.measuredStep.median,
                                      .p10 = point.measuredStep.p10,
                                      .p90 = 1000 * point.measuredStep.p90,
                                      .samples = 5};
        }
        QVERIFY(!says(values, QStringLiteral("fastest at")));
    }

    void textsKeepApart()
    {
        for (const OptionValues &options : kLayers) {
            for (const bool measured : {false, true}) {
                const CrossoverValues values = valuesFor(options, measured);
                QCOMPARE(textProblemIn(crossoverSheet, values), QString());
            }
        }
    }

    void theButtonMeasuresPoints()
    {
        CrossoverPage page;
        checkMeasureButton(page, experimentOf(kNarrow), 4);
    }

    void mlp()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(crossoverSheet, valuesFor(kNarrow, true), Theme::projector()),
                                  "crossover-mlp");
    }
    void blockInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(crossoverSheet, valuesFor(kLayers[2], false), Theme::dark()),
                                  "crossover-block-dark");
    }
};

QTEST_MAIN(TestCrossover)
#include "tst_crossover.moc"

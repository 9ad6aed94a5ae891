// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/page_runs.h"

#include "ui/pages/low_load_page.h"
#include "ui/pages/low_load_sheet.h"

using namespace shardscope;

namespace {

LowLoadValues valuesFor(const OptionValues &options, Phase phase, bool measured)
{
    const Experiment experiment = experimentOf(options);
    const std::vector<Experiment> points = lowLoadPoints(experiment, phase, true);
    const std::vector<RunPtr> runs = measured ? allMeasured(points) : std::vector<RunPtr>(points.size());
    return lowLoadValues(experiment, phase, runs, lookupsFor(8, measured));
}

const OptionValues kLayers[] = {
    {{"ranks", "4"}, {"hidden", "4096"}, {"dtype", "bf16"}},
    {{"ranks", "2"}},
    {{"scheme", "block"}, {"ranks", "8"}, {"hidden", "2048"}},
    {{"scheme", "zero3"}, {"ranks", "4"}},
    {{"ranks", "64"}, {"hidden", "4096"}},
};

} // namespace

class TestLowLoad : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void pointsAreOfOneLayer()
    {
        for (const OptionValues &options : kLayers) {
            for (const Experiment &point : lowLoadPoints(experimentOf(options), Phase::Decode, false)) {
                QVERIFY(!validate(point));
                QVERIFY(point.phase == Phase::Decode);
                QCOMPARE(point.extent(MeshAxis::Tp), point.ranks());
                QCOMPARE(point.hidden, experimentOf(options).hidden);
            }
        }
    }

    /// The curves hold what the runs say, and the place is the first batch at which all larger ones are faster.
    void theCrossingIsThatOfTheTimes()
    {
        const LowLoadValues values = valuesFor({{"ranks", "4"}}, Phase::Prefill, true);
        QCOMPARE(values.measured.curves.size(), 3u);
        QCOMPARE(values.measured.crossings.size(), 2u);
        const LowLoadSide::Crossing &widest = *values.measured.widest();
        QCOMPARE(widest.ranks, 4);
        const LowLoadCurve &one = values.measured.curves.front();
        const LowLoadCurve &four = values.measured.curves.back();
        for (std::size_t i = 0; i < one.points.size(); ++i) {
            QCOMPARE(one.points[i].batch, four.points[i].batch);
            if (widest.from && one.points[i].batch >= *widest.from)
                QVERIFY(four.points[i].step.p90 < one.points[i].step.p10);
        }
        QVERIFY(lowLoadFinding(values).startsWith("Measured here on CPU ranks: 4 ranks"));
    }

    /// With small matrices latency eats what many ranks save; that is said where the numbers show it.
    void theCauseIsNamed()
    {
        const LowLoadValues values = valuesFor({{"ranks", "2"}, {"hidden", "256"}}, Phase::Decode, false);
        QVERIFY(values.measured.curves.empty());
        QVERIFY(lowLoadFinding(values).startsWith("Predicted for 8 x H100 SXM 80 GB: "));
        const LowLoadSide::Crossing &widest = *values.predicted.widest();
        QVERIFY(!widest.from);
        QVERIFY2(widest.cause.contains("communication adds"), qPrintable(widest.cause));
    }

    void measuredAndPredictedKeepApart()
    {
        const LowLoadValues values = valuesFor(kLayers[1], Phase::Decode, true);
        for (const LowLoadCurve &curve : values.measured.curves) {
            for (const LowLoadCurve::Point &point : curve.points)
                QVERIFY(!point.run->isPrediction());
        }
        for (const LowLoadCurve &curve : values.predicted.curves) {
            for (const LowLoadCurve::Point &point : curve.points)
                QVERIFY(point.run->isPrediction());
        }
    }

    /// A point whose step takes minutes is none that a page measures.
    void largeStepsAreNotMeasured()
    {
        const OptionValues logits{{"scheme", "logits"}, {"ranks", "4"}};
        const std::vector<Experiment> points = lowLoadPoints(experimentOf(logits), Phase::Training, true);
        QVERIFY(!points.empty());
        for (const Experiment &point : points)
            QVERIFY(point.batch < 4); // 64 tokens by 32000 words by h = 1024, three times: 12.6 GFLOP a sequence
        QCOMPARE(lowLoadPoints(experimentOf(logits), Phase::Training, false).back().batch, std::int64_t{64});
        QVERIFY(lowLoadBeyond(valuesFor(logits, Phase::Training, false)).contains("Beyond batch 1 "));
        QVERIFY(lowLoadBeyond(valuesFor(logits, Phase::Decode, false)).isEmpty());
    }

    /// One batch alone crosses nothing, but it is not nothing.
    void oneBatchIsSaid()
    {
        const OptionValues logits{{"scheme", "logits"}, {"ranks", "4"}};
        const LowLoadValues values = valuesFor(logits, Phase::Training, true);
        QVERIFY(values.measured.crossings.empty());
        QVERIFY2(values.measured.single.startsWith("At batch 1, the only one known of several N, a step takes"),
                 qPrintable(values.measured.single));
        QVERIFY(values.measured.single.contains("with N = 1") && values.measured.single.contains("with N = 4"));
        QVERIFY(lowLoadFinding(values).startsWith("Predicted for")); // several batches say more than one
        QCOMPARE(textProblemIn(lowLoadSheet, values), QString());
    }

    void whatIsNotAsInTheWorkbenchIsSaid()
    {
        const QString zero3 = lowLoadSetting(valuesFor(kLayers[3], Phase::Decode, false));
        QVERIFY2(zero3.contains("Not as in the workbench: scheme mlp instead of zero3, phase decode instead of "
                                "training"),
                 qPrintable(zero3));
        const QString decode = lowLoadSetting(valuesFor({{"ranks", "2"}, {"phase", "decode"}}, Phase::Decode, false));
        QVERIFY2(!decode.contains("workbench"), qPrintable(decode));
    }

    void textsKeepApart()
    {
        for (const OptionValues &options : kLayers) {
            for (const bool measured : {false, true}) {
                const LowLoadValues values = valuesFor(options, Phase::Decode, measured);
                QCOMPARE(textProblemIn(lowLoadSheet, values), QString());
            }
        }
    }

    void thePageKeepsItsPhase()
    {
        LowLoadPage page;
        QCOMPARE(page.options(), QStringLiteral("--phase decode"));
        page.setOptions(QStringLiteral("--phase prefill"));
        QCOMPARE(page.options(), QStringLiteral("--phase prefill"));
        page.setOptions(QStringLiteral("--phase nonsense"));
        QCOMPARE(page.options(), QStringLiteral("--phase prefill"));
        page.setInput(inputOf(experimentOf(kLayers[1]), lookupsFor(8, false)));
        for (const Experiment &point : page.wantedRuns())
            QVERIFY(point.phase == Phase::Prefill);
    }

    void theButtonMeasuresPoints()
    {
        LowLoadPage page;
        checkMeasureButton(page, experimentOf(kLayers[4]), 4);
    }

    void prefill()
    {
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(lowLoadSheet, valuesFor(kLayers[1], Phase::Prefill, true), Theme::projector()),
            "low-load-prefill");
    }
    void decodeInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(lowLoadSheet, valuesFor(kLayers[0], Phase::Decode, false), Theme::dark()),
                                  "low-load-decode-dark");
    }
};

QTEST_MAIN(TestLowLoad)
#include "tst_low_load.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/page_runs.h"

#include "ui/pages/phases_page.h"
#include "ui/pages/phases_sheet.h"

using namespace shardscope;

namespace {

PhasesValues valuesFor(const OptionValues &options, bool measured)
{
    const Experiment experiment = experimentOf(options);
    const std::vector<PhasePoint> points = phasePoints(experiment);
    std::vector<RunPtr> runs;
    for (const PhasePoint &point : points)
        runs.push_back(measured ? measuredRun(point.experiment) : nullptr);
    return phasesValues(experiment, points, runs, lookupsFor(8, measured));
}

std::vector<double> ratiosOf(const PhasesValues &values)
{
    std::vector<double> ratios;
    for (const PhaseRow &row : values.rows) {
        if (row.point.experiment.phase == Phase::Training)
            ratios.push_back(row.toPrefill.value_or(0));
    }
    return ratios;
}

const OptionValues kLayers[] = {
    {{"ranks", "4"}},
    {{"scheme", "block"}, {"ranks", "4"}},
    {{"scheme", "block"}, {"ranks", "4"}, {"sequence-parallel", "megatron"}},
    {{"scheme", "attention"}, {"ranks", "4"}, {"heads", "8"}, {"kv-heads", "2"}, {"hidden", "512"}},
    {{"scheme", "pipeline"}, {"ranks", "4"}, {"micro-batches", "8"}},
    {{"scheme", "zero1"}, {"ranks", "4"}},
    {{"scheme", "column"}, {"ranks", "2"}},
    {{"scheme", "logits"}, {"ranks", "4"}},
    {{"ranks", "1"}},
};

} // namespace

class TestPhases : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// tensor-parallelism.md, 1g: bytes of a training step over those of a prefill.
    void theRatiosOfABlock()
    {
        QCOMPARE(ratiosOf(valuesFor(kLayers[1], false)), (std::vector<double>{2, 2, 3}));
        QCOMPARE(ratiosOf(valuesFor(kLayers[2], false)), (std::vector<double>{2.5, 2.5, 3.5}));
        QCOMPARE(ratiosOf(valuesFor(kLayers[0], false)), (std::vector<double>{2, 3}));
    }

    void everyRatioHasItsReason()
    {
        const PhasesValues values = valuesFor(kLayers[2], false);
        QCOMPARE(values.reasons.size(), 3u);
        QCOMPARE(values.reasons[0].ratio, QStringLiteral("2.5\u00d7"));
        QVERIFY(values.reasons[0].words.contains("gathers the input"));
        QVERIFY(values.reasons[1].words.contains("core attention"));
        QCOMPARE(values.reasons[2].ratio, QStringLiteral("3.5\u00d7"));
        QVERIFY(values.reasons[2].words.contains("runs forward once more"));
        QVERIFY(!values.reasons[2].words.contains("gathers the input"));
    }

    /// Bytes and time are told apart, and a prediction never passes for a measurement.
    void theFindingSaysWhatItIsOf()
    {
        const PhasesValues predicted = valuesFor(kLayers[1], false);
        QVERIFY(predicted.finding.startsWith("Predicted for 8 x H100 SXM 80 GB: "));
        QVERIFY(predicted.finding.contains("2.0\u00d7 the bytes"));
        QVERIFY(predicted.finding.contains("communication time of training"));
        QVERIFY(std::ranges::all_of(predicted.rows, &PhaseRow::predicted));
        const PhasesValues measured = valuesFor(kLayers[1], true);
        QVERIFY(measured.finding.startsWith("Measured here on CPU ranks: "));
        QVERIFY(std::ranges::none_of(measured.rows, &PhaseRow::predicted));
        QVERIFY(phasesProvenance(measured).startsWith("measured"));
        QVERIFY(phasesProvenance(predicted).startsWith("predicted"));
    }

    void onlyWhatTheSchemeHasIsARow()
    {
        QCOMPARE(phasePoints(experimentOf(kLayers[0])).size(), 4u); // no attention: nothing selective
        QCOMPARE(phasePoints(experimentOf(kLayers[1])).size(), 5u);
        for (const PhasePoint &point : phasePoints(experimentOf(kLayers[6])))
            QVERIFY(!point.title.startsWith(QLatin1Char('+')));
    }

    void aPipelinesBubbleIsSaid()
    {
        const QString bubble = valuesFor(kLayers[4], false).bubble;
        QVERIFY(bubble.contains("(p-1)/(m+p-1)"));
        QVERIFY2(bubble.contains(". Up to ") && bubble.contains("is sending and receiving"), qPrintable(bubble));
        QVERIFY(valuesFor(kLayers[1], false).bubble.isEmpty());
    }

    /// Measured and predicted times stand beside each other only as what they are.
    void aRowThatIsNotMeasuredIsHollow()
    {
        const Experiment experiment = experimentOf(kLayers[0]);
        const std::vector<PhasePoint> points = phasePoints(experiment);
        std::vector<RunPtr> runs(points.size());
        runs.front() = measuredRun(points.front().experiment);
        const PhasesValues values = phasesValues(experiment, points, runs, lookupsFor(8, false));
        QVERIFY(!values.rows.front().predicted());
        QVERIFY(values.rows.back().predicted());
        QVERIFY(values.finding.startsWith("Predicted for 8 x H100 SXM 80 GB: "));
        QVERIFY(phasesProvenance(values).contains("hollow: predicted"));
    }

    /// A recorded training step says nothing beside a predicted prefill: over Gloo bf16 travels as f32, over NCCL not.
    void onlyLikeIsHeldAgainstLike()
    {
        const Experiment experiment = experimentOf({{"ranks", "4"}, {"dtype", "bf16"}});
        const std::vector<PhasePoint> points = phasePoints(experiment);
        std::vector<RunPtr> runs(points.size());
        auto recorded = std::make_shared<Run>(*measuredRun(points.front().experiment));
        recorded->source = Source::Recorded;
        runs.front() = recorded;
        PhasesValues values = phasesValues(experiment, points, runs, lookupsFor(8, false));
        const PhaseRow &training = values.rows.front();
        const double shown = static_cast<double>(training.sums().sentBytesPerRank);
        const double prefill = static_cast<double>(values.find(Phase::Prefill)->sums().sentBytesPerRank);
        QCOMPARE(shown / prefill, 4.0); // what is drawn
        QCOMPARE(training.toPrefill, std::optional(2.0));
        QVERIFY(training.ratioPredicted);
        QVERIFY(!values.rows.back().ratioPredicted);
        QVERIFY2(values.finding.startsWith("Predicted for 8 x H100 SXM 80 GB: ") &&
                     values.finding.contains("2.0\u00d7 the bytes"),
                 qPrintable(values.finding));
        QCOMPARE(textProblemIn(phasesSheet, values), QString());

        // Recorded as a whole it is compared as what it is; beside what was measured here it is not.
        for (std::size_t i = 0; i < points.size(); ++i) {
            auto run = std::make_shared<Run>(*measuredRun(points[i].experiment));
            run->source = Source::Recorded;
            runs[i] = run;
        }
        values = phasesValues(experiment, points, runs, lookupsFor(8, false));
        QVERIFY(values.finding.startsWith("Recorded elsewhere on CPU ranks: "));
        runs.back() = measuredRun(points.back().experiment);
        values = phasesValues(experiment, points, runs, lookupsFor(8, false));
        QVERIFY(values.finding.startsWith("Predicted for"));
    }

    void textsKeepApart()
    {
        for (const OptionValues &options : kLayers) {
            for (const bool measured : {false, true}) {
                const PhasesValues values = valuesFor(options, measured);
                QCOMPARE(textProblemIn(phasesSheet, values), QString());
            }
        }
    }

    /// What a file holds was not measured here: the page says so, and can measure it.
    void whatIsRecordedIsNotMeasuredHere()
    {
        const auto recorded = [](const Experiment &e) {
            auto run = std::make_shared<Run>(*measuredRun(e));
            run->source = Source::Recorded;
            return run;
        };
        PhasesPage page;
        page.setInput(inputOf(experimentOf(kLayers[0]), RunLookups(recorded, {}, {}, *findHardware("h100-8"))));
        const QList<QLabel *> labels = page.findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
            return label->text() == QStringLiteral("0 of 4 measured here. 4 recorded elsewhere.");
        }));
        QSignalSpy asked(&page, &Page::runsWanted);
        page.findChild<QPushButton *>()->click();
        QCOMPARE(asked.last().first().value<std::vector<Experiment>>().size(), 4u);
    }

    void theButtonMeasuresAll()
    {
        PhasesPage page;
        checkMeasureButton(page, experimentOf(kLayers[1]), 8);
    }

    void block()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(phasesSheet, valuesFor(kLayers[2], true), Theme::projector()),
                                  "phases-block");
    }
    void predictedInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(phasesSheet, valuesFor(kLayers[1], false), Theme::dark()),
                                  "phases-predicted-dark");
    }
};

QTEST_MAIN(TestPhases)
#include "tst_phases.moc"

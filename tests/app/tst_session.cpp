// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "engine/plan/experiment_options.h"
#include "tests/app/session_setup.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

namespace {

using Setup = tests::SessionSetup;
using tests::withRanks;

} // namespace

class TestSession : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void predictionsAreThereBeforeAnythingRuns()
    {
        Setup setup;
        QTRY_COMPARE(setup.session.results().predicted.size(), 3u);
        QVERIFY(!setup.session.results().pending);
        QVERIFY(setup.session.results().predictedOne);
        QCOMPARE(setup.measured(), 0u);
        QVERIFY(setup.session.status().state == RunStatus::State::Predicted);
        QVERIFY(setup.session.status().text.contains(QStringLiteral("H100")));
        // Of a prediction for GPUs nothing shares a core.
        QCOMPARE(setup.session.status().honesty, QStringLiteral("Not measured yet: 4 ranks on 2 cores here"));
    }

    void aRestingSliderMeasuresThreePhasesAndOneRank()
    {
        Setup setup;
        setup.session.begin();
        QTRY_COMPARE(setup.measured(), 3u);
        QTRY_VERIFY(setup.session.results().measuredOne);
        QTRY_VERIFY(setup.idle());
        QVERIFY(setup.session.status().state == RunStatus::State::Measured);
        QVERIFY2(setup.session.status().text.startsWith(QStringLiteral("4 ranks on 2 cores, measured ")),
                 qPrintable(setup.session.status().text));
        QCOMPARE(setup.session.results().measured.at(Phase::Decode)->experiment().phase, Phase::Decode);
        QCOMPARE(setup.session.results().measuredOne->experiment().ranks(), 1);
        QCOMPARE(setup.sent("run"), 4);
        QCOMPARE(setup.session.measuredRuns().size(), 4u);
    }

    void thisMachineIsMeasuredOnceInTheBackground()
    {
        Setup setup;
        QSignalSpy known(&setup.session, &Session::thisMachineChanged);
        setup.session.begin();
        QTRY_COMPARE(known.size(), 1);
        QVERIFY(setup.session.predictor().knowsThisMachine(DType::F32));
        QTRY_VERIFY(setup.idle());
        setup.session.change(withRanks(2), 0);
        QTRY_COMPARE(setup.sent("run"), 7); // one rank is known already
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.sent("measure"), 1);
    }

    void aChangeMakesResultsStaleAndPredicts()
    {
        Setup setup;
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        QSignalSpy changed(&setup.session, &Session::experimentChanged);
        Experiment wider = withRanks(4);
        wider.hidden = 2048;
        wider.ffn = 8192;
        setup.session.change(wider, 0);
        QCOMPARE(changed.size(), 1);
        QVERIFY(setup.session.results().stale);
        QCOMPARE(setup.measured(), 3u);
        QCOMPARE(setup.session.plan()->experiment.hidden, 2048);
        QVERIFY2(setup.session.results().predicted.empty(), "the old prediction is not the new one's");
        QVERIFY(setup.session.results().pending);
        QVERIFY(setup.session.status().state == RunStatus::State::Stale);
        QTRY_VERIFY(!setup.session.results().pending);
        QCOMPARE(setup.session.results().predicted.at(Phase::Training)->experiment().hidden, 2048);
        QTRY_VERIFY(!setup.session.results().stale);
        QTRY_COMPARE(setup.measured(), 3u);
        QCOMPARE(setup.session.results().measured.at(Phase::Training)->experiment().hidden, 2048);
    }

    /// Who moves a slider of the largest does not wait for a plan, let alone for predictions; the newest wish wins.
    void longPlansAreBuiltOutsideTheGuiThread()
    {
        Setup setup("", tests::longest(64));
        QVERIFY(!setup.session.plan());
        QVERIFY(setup.session.results().pending);
        QSignalSpy shown(&setup.session, &Session::experimentChanged);
        setup.session.change(tests::longest(32), 0);
        QVERIFY(!setup.session.plan());
        QCOMPARE(shown.size(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(shown.size(), 1, 60000);
        QCOMPARE(setup.session.plan()->mesh().size(), 32);
        QTRY_VERIFY_WITH_TIMEOUT(!setup.session.results().pending, 60000);
        QCOMPARE(setup.session.results().predicted.at(Phase::Training)->experiment().ranks(), 32);
        // What leaves the window is whole.
        setup.session.change(tests::longest(64), 0);
        QVERIFY(!setup.session.plan());
        setup.session.predictNow();
        QCOMPARE(setup.session.plan()->mesh().size(), 64);
        QVERIFY(!setup.session.results().pending);
        // A short one is there at once.
        setup.session.change(withRanks(8), 0);
        QCOMPARE(setup.session.plan()->mesh().size(), 8);
    }

    void goingBackShowsWhatWasMeasured()
    {
        Setup setup;
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        setup.session.setAutoRun(false);
        setup.session.change(withRanks(2), 0);
        QVERIFY(setup.session.results().stale);
        setup.session.undo();
        QVERIFY(!setup.session.results().stale);
        QCOMPARE(setup.measured(), 3u);
        QVERIFY(setup.session.status().state == RunStatus::State::Measured);
    }

    void withoutAutoRunOnlyTheButtonRuns()
    {
        Setup setup;
        setup.session.setAutoRun(false);
        setup.session.begin();
        QTRY_VERIFY(setup.sent("measure") == 1 && setup.idle());
        QCOMPARE(setup.sent("run"), 0);
        setup.session.runNow();
        QTRY_COMPARE(setup.sent("run"), 4);
        QTRY_VERIFY(setup.idle());
    }

    void tooManyRanksArePredictedAndItIsSaid()
    {
        Setup setup;
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        const int before = setup.sent("run");
        setup.session.change(withRanks(64), 0);
        QVERIFY(!setup.session.status().canRun);
        QVERIFY(setup.session.status().whyNot.contains(QStringLiteral("64 ranks")));
        QVERIFY(setup.session.status().state == RunStatus::State::Predicted);
        QTRY_COMPARE(setup.session.results().predicted.size(), 3u);
        QTest::qWait(700);
        QCOMPARE(setup.sent("run"), before);
    }

    void cancelStopsWithinASecond()
    {
        Setup setup("slow");
        setup.session.begin();
        QTRY_COMPARE(setup.sent("run"), 1);
        QVERIFY(!setup.idle());
        setup.session.cancel();
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.sent("cancel"), 1);
        QVERIFY2(setup.messages.empty(), "what the user asked for is no news");
        QCOMPARE(setup.sent("run"), 1);
    }

    void movingOnCancelsWhatRunsAndRunsTheNewSetting()
    {
        Setup setup("slow");
        setup.session.begin();
        QTRY_COMPARE(setup.sent("run"), 1);
        setup.session.change(withRanks(2), 0);
        QTRY_COMPARE(setup.sent("run"), 2);
        QCOMPARE(setup.sent("cancel"), 1);
    }

    void anEngineThatEndsLeavesTheLastResults()
    {
        Setup setup;
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        qputenv("SHARDSCOPE_FAKE_MODE", "crash");
        setup.session.restartEngine();
        setup.session.runNow();
        QTRY_COMPARE(setup.messages.size(), 1u);
        QVERIFY(setup.messages.front().actions.contains(MessageAction::RestartEngine));
        QVERIFY(setup.messages.front().actions.contains(MessageAction::ShowLog));
        QCOMPARE(setup.measured(), 3u);
        QVERIFY(setup.idle());
        qputenv("SHARDSCOPE_FAKE_MODE", "");
        setup.session.restartEngine();
        setup.session.runNow();
        QTRY_VERIFY(setup.idle() && setup.session.status().state == RunStatus::State::Measured);
        QCOMPARE(setup.messages.size(), 1u);
    }

    void aFailedRunSaysWhyAndStops()
    {
        Setup setup("fail");
        setup.session.begin();
        QTRY_COMPARE(setup.messages.size(), 1u);
        QVERIFY(setup.messages.front().text.contains(QStringLiteral("rank 2 stopped")));
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.sent("run"), 1);
        QCOMPARE(setup.measured(), 0u);
    }

    void aFailedCheckStillShowsItsNumbers()
    {
        Setup setup("check");
        setup.session.begin();
        QTRY_COMPARE(setup.measured(), 3u);
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        const CheckVerdict &checks = setup.session.status().checks;
        QVERIFY(checks.failed());
        QCOMPARE(checks.line,
                 QStringLiteral("check failed: Y, relative error 3.2e-02, limit 1.0e-05 (4 of 8 checks failed)"));
        QVERIFY(checks.details.contains(QStringLiteral("decode, N = 4: FAILED Y, relative error 3.2e-02")));
        QVERIFY(checks.rule.isEmpty());
        QVERIFY(setup.said(UserMessage::Level::Error, QStringLiteral("check failed: Y, relative error 3.2e-02")));
        // Of other settings the old verdict says nothing.
        setup.session.setAutoRun(false);
        setup.session.change(withRanks(2), 0);
        QVERIFY(setup.session.status().checks.state == CheckVerdict::State::Unchecked);
    }

    void aWrongSchemeNamesTheRuleThatItBreaks()
    {
        Experiment wrong = withRanks(4);
        wrong.scheme = Scheme::BugRowBiasEachRank;
        Setup setup("check", wrong);
        setup.session.begin();
        QTRY_VERIFY(setup.session.status().checks.failed());
        QCOMPARE(setup.session.status().checks.rule,
                 QString::fromStdString(english(buildPlan(wrong).brokenRules.front().rule)));
        QVERIFY(setup.said(UserMessage::Level::Warning, QStringLiteral("broken rule: ")));
    }

    void checksThatPassedAreCountedAndNamed()
    {
        Setup setup("checked");
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        const CheckVerdict &checks = setup.session.status().checks;
        QVERIFY(checks.state == CheckVerdict::State::Passed);
        QCOMPARE(checks.line, QStringLiteral("8 of 8 checks passed"));
        QVERIFY(checks.details.contains(QStringLiteral(
            "training, N = 4: Y, relative error 2.0e-07, limit 1.0e-05; ranks agree: Y: bit for bit; collectives")));
    }

    void aSmallerSizeIsSmaller()
    {
        Experiment large = withRanks(2);
        large.hidden = 8192;
        large.ffn = 32768;
        Setup setup("", large);
        setup.session.useSmallerSize();
        QVERIFY(setup.session.experiment().hidden < 8192);
        QVERIFY(!validate(setup.session.experiment()));
    }

    void recordedRunsAreShownAsRecordedAndNotRunAgain()
    {
        Setup first;
        first.session.begin();
        QTRY_VERIFY(first.session.results().measuredOne && first.idle());
        RunFile file = readRuns(writeRuns(first.session.measuredRuns()));
        QCOMPARE(file.runs.size(), 4u);
        Setup setup("", withRanks(2));
        setup.session.showRecorded(std::move(file.runs), QStringLiteral("a.shardscope"));
        QCOMPARE(setup.session.experiment().ranks(), 4);
        QCOMPARE(setup.measured(), 3u);
        QVERIFY(setup.session.status().state == RunStatus::State::Recorded);
        QVERIFY(setup.session.status().text.contains(QStringLiteral("Recorded on")));
        QTest::qWait(700);
        QCOMPARE(setup.sent("run"), 0);
        setup.session.undo();
        QCOMPARE(setup.session.experiment().ranks(), 2);
    }

    void aNamedPresetIsPredicted()
    {
        Setup setup;
        const double before = setup.session.predictor().hardwareFor(DType::F32).memoryBytesPerSecond;
        setup.session.setHardware("a100-8");
        QVERIFY(setup.session.predictor().hardwareFor(DType::F32).memoryBytesPerSecond < before);
        setup.session.setHardware("abacus");
        QCOMPARE(setup.session.predictor().chosen(), std::string("a100-8"));
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"

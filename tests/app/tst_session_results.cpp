// SPDX-License-Identifier: GPL-3.0-or-later
// Which results stand on screen: never those of other settings, never two origins in one comparison.
#include "app/session.h"

#include "app/hardware_list.h"
#include "app/points.h"
#include "tests/app/session_setup.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;
using Setup = tests::SessionSetup;
using tests::withRanks;

namespace {

constexpr auto kInfo = UserMessage::Level::Info;
constexpr auto kWarning = UserMessage::Level::Warning;
constexpr auto kError = UserMessage::Level::Error;

Experiment inPhaseOf(const Experiment &experiment, Phase phase)
{
    return inPhase(experiment, phase).value();
}

/// What a session saves, read back as from a file.
std::vector<Run> savedRuns(const char *mode = "")
{
    Setup setup(mode);
    setup.session.begin();
    const bool done = QTest::qWaitFor([&] { return setup.session.results().measuredOne && setup.idle(); });
    return done ? readRuns(writeRuns(setup.session.measuredRuns())).runs : std::vector<Run>();
}

} // namespace

class TestSessionResults : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aDragShowsOnlyTheLastPrediction()
    {
        Setup setup;
        setup.session.setAutoRun(false);
        setup.session.setHardware("a100-8"); // nothing is to be measured
        QTRY_VERIFY(!setup.session.results().pending);
        std::vector<std::int64_t> shown;
        connect(&setup.session, &Session::resultsChanged, this, [&] {
            for (const auto &[phase, run] : setup.session.results().predicted)
                shown.push_back(run->experiment().hidden);
        });
        for (const std::int64_t hidden : {1536, 2048, 3072, 4096}) {
            Experiment experiment = setup.session.experiment();
            experiment.hidden = hidden;
            experiment.ffn = 4 * hidden;
            setup.session.change(experiment, 7);
            QVERIFY(setup.session.results().predicted.empty());
        }
        QTRY_VERIFY(!setup.session.results().pending);
        QCOMPARE(shown, std::vector<std::int64_t>(3, 4096));
    }

    void whatMustBeWholeIsPredictedAtOnce()
    {
        Setup setup;
        setup.session.change(withRanks(8), 0);
        setup.session.predictNow();
        QVERIFY(!setup.session.results().pending);
        QCOMPARE(setup.session.results().predicted.at(Phase::Decode)->experiment().ranks(), 8);
        QSignalSpy changed(&setup.session, &Session::resultsChanged);
        QTest::qWait(100);
        QCOMPARE(changed.size(), 0);
    }

    void lookingAtAnotherPhaseKeepsWhatRuns()
    {
        Setup setup("slow");
        setup.session.begin();
        QTRY_COMPARE(setup.sent("run"), 1);
        setup.session.change(inPhaseOf(setup.session.experiment(), Phase::Decode), 0);
        QTest::qWait(600);
        QCOMPARE(setup.sent("cancel"), 0);
        QVERIFY(!setup.idle());
    }

    void anotherPhasesOneRankIsMeasuredToo()
    {
        Setup setup;
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        setup.session.change(inPhaseOf(setup.session.experiment(), Phase::Decode), 0);
        QVERIFY(!setup.session.results().stale);
        QCOMPARE(setup.measured(), 3u);
        QVERIFY(!setup.session.results().measuredOne);
        QTRY_VERIFY(setup.session.results().measuredOne);
        QCOMPARE(setup.session.results().measuredOne->experiment().phase, Phase::Decode);
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.sent("run"), 5);
    }

    void aRecordingStaysWhenAnotherPhaseIsLookedAt()
    {
        std::vector<Run> runs = savedRuns();
        Setup setup("", withRanks(2));
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        QCOMPARE(setup.measured(), 3u);
        setup.session.change(inPhaseOf(setup.session.experiment(), Phase::Prefill), 0);
        QVERIFY(setup.session.status().state == RunStatus::State::Recorded);
        QVERIFY(!setup.session.results().stale);
        QTest::qWait(700);
        QCOMPARE(setup.sent("run"), 0);
        QVERIFY(setup.session.results().measured.at(Phase::Training)->source == Source::Recorded);
    }

    void undoComesBackToTheRecording()
    {
        std::vector<Run> runs = savedRuns();
        Setup setup("", withRanks(2));
        setup.session.setAutoRun(false);
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        setup.session.change(withRanks(8), 0);
        QVERIFY(setup.session.results().stale);
        setup.session.undo();
        QVERIFY(!setup.session.results().stale);
        QVERIFY(setup.session.status().state == RunStatus::State::Recorded);
        QVERIFY(setup.session.results().measuredOne);
    }

    void measuringReplacesARecordingAsAWhole()
    {
        std::vector<Run> runs = savedRuns();
        Setup setup("", withRanks(2));
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        connect(&setup.session, &Session::resultsChanged, this, [&] {
            const RunsByPhase &measured = setup.session.results().measured;
            for (const auto &[phase, run] : measured)
                QVERIFY(run->source == measured.begin()->second->source);
        });
        setup.session.runNow();
        QTRY_VERIFY(setup.session.status().state == RunStatus::State::Measured && setup.measured() == 3);
    }

    void aRecordingsRanksAreThoseOfItsOwnMachine()
    {
        std::vector<Run> runs = savedRuns();
        for (Run &run : runs)
            run.machine.notes = {"4 ranks share 3 cores; not GPU times"};
        Setup setup("", withRanks(2));
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        QCOMPARE(setup.session.status().honesty, QStringLiteral("2 cores, fake; 4 ranks share 3 cores; not GPU times"));
    }

    void oneRankIsFoundWhereTheMachineChoseTheThreads()
    {
        std::vector<Run> runs = savedRuns("resolved");
        QCOMPARE(runs.size(), 4u);
        QVERIFY(runs.front().experiment().threads > 0);
        Setup setup("", withRanks(2));
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        QVERIFY(setup.session.results().measuredOne);
        QCOMPARE(setup.session.experiment().threads, 0);
    }

    void aSavedPredictionIsNoRecording()
    {
        Setup setup("", withRanks(2));
        QTRY_VERIFY(!setup.session.results().pending);
        Run prediction = *setup.session.results().predicted.at(Phase::Training);
        RunFile file = readRuns(writeRuns({prediction}));
        QCOMPARE(file.runs.size(), 1u);
        setup.session.showRecorded(std::move(file.runs), QStringLiteral("p.shardscope"));
        QVERIFY2(setup.session.status().text.contains(QStringLiteral("prediction")),
                 qPrintable(setup.session.status().text));
        QVERIFY(setup.session.status().honesty.contains(QStringLiteral("H100")));
    }

    void eachPhaseWaitsForTheButtonByItself()
    {
        // Decode is short on any machine; the training step of the same layer is not.
        Experiment wide = withRanks(2);
        wide.phase = Phase::Decode;
        wide.hidden = 2048;
        wide.ffn = 8192;
        wide.sequence = 4096;
        Setup setup("", wide, {2, std::int64_t{64'000'000'000}});
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measured.contains(Phase::Decode) && setup.idle());
        QVERIFY(!setup.session.results().measured.contains(Phase::Training));
        QVERIFY2(setup.session.status().honesty.contains(QStringLiteral("prefill is predicted")) ||
                     setup.session.status().honesty.contains(QStringLiteral("training is predicted")),
                 qPrintable(setup.session.status().honesty));
        setup.session.runNow();
        QTRY_VERIFY(setup.session.results().measured.contains(Phase::Training) && setup.idle());
    }

    void aFormatThatIsNotMeasuredIsNamedAndMeasured()
    {
        Setup setup("", withRanks(16));
        setup.session.begin();
        QTRY_VERIFY(setup.session.predictor().knowsThisMachine(DType::F32) && setup.idle());
        Experiment wide = withRanks(16);
        wide.dtype = DType::F64;
        setup.session.change(wide, 0);
        QVERIFY2(setup.session.status().text.contains(QStringLiteral("H100")) &&
                     setup.session.status().text.contains(QStringLiteral("f64 is not measured here")),
                 qPrintable(setup.session.status().text));
        const QString listed = hardwareList(setup.session.predictor(), DType::F64).front().second;
        QCOMPARE(listed, QStringLiteral("This machine; until f64 is measured, 8 x H100 SXM 80 GB"));
        QCOMPARE(hardwareList(setup.session.predictor(), DType::F32).front().second, QStringLiteral("This machine"));
        QTRY_VERIFY(setup.session.predictor().knowsThisMachine(DType::F64) && setup.idle());
        QTRY_VERIFY2(setup.session.status().text.contains(QStringLiteral("this machine")),
                     qPrintable(setup.session.status().text));
        QVERIFY(!setup.session.status().canMeasure);
    }

    void whereNothingRunsTheMachineCanStillBeMeasured()
    {
        EngineLink link(QStringLiteral("/nonexistent/engine"));
        Session session(withRanks(16), link, tests::kComputer);
        QSignalSpy messages(&session, &Session::messageRaised);
        session.begin();
        QTRY_COMPARE(messages.size(), 1);
        QVERIFY(!session.status().canRun && session.status().canMeasure);
        session.runNow();
        QTRY_COMPARE(messages.size(), 2);
    }

    void aRunThatIsCutOffIsNotSimplyMeasured()
    {
        Setup setup("cutoff");
        setup.session.begin();
        QTRY_VERIFY(setup.said(kError, QStringLiteral("status 7")));
        QCOMPARE(setup.measured(), 1u);
        QVERIFY(setup.session.status().incomplete);
        QVERIFY2(
            setup.session.status().text.endsWith(QStringLiteral("training 5 of 20 steps; prefill, decode predicted")),
            qPrintable(setup.session.status().text));
    }

    void aRecordingOfFewerStepsSaysSo()
    {
        std::vector<Run> runs = savedRuns();
        for (Run &run : runs)
            run.plan.experiment.steps = 5;
        Setup whole("", withRanks(2));
        whole.session.showRecorded(runs, QStringLiteral("a.shardscope"));
        QVERIFY(!whole.session.status().incomplete);
        runs.front().plan.experiment.steps = 8;
        Setup cut("", withRanks(2));
        cut.session.showRecorded(runs, QStringLiteral("a.shardscope"));
        QVERIFY(cut.session.status().incomplete);
        QVERIFY2(cut.session.status().text.endsWith(QStringLiteral("training 5 of 8 steps")),
                 qPrintable(cut.session.status().text));
    }

    void aChoiceForTrainingStaysWhilePrefillIsLookedAt()
    {
        Experiment first = withRanks(2);
        first.inputGradient = false;
        first.steps = 5;
        Setup setup("", first);
        setup.session.begin();
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        QVERIFY(!setup.session.status().incomplete);
        Experiment prefill = first;
        prefill.phase = Phase::Prefill;
        setup.session.change(prefill, 0);
        QVERIFY(!setup.session.results().stale);
        QVERIFY(!setup.session.results().measured.at(Phase::Training)->experiment().inputGradient);
        QTRY_VERIFY(setup.session.results().measuredOne && setup.idle());
        QVERIFY(setup.session.results().measuredOne->experiment().phase == Phase::Prefill);
        QTRY_VERIFY(!setup.session.results().pending);
        QVERIFY(!setup.session.results().predicted.at(Phase::Training)->experiment().inputGradient);
    }

    void impossibleRecordsAreSaid()
    {
        Setup setup("impossible");
        setup.session.begin();
        QTRY_VERIFY(setup.said(kWarning, QStringLiteral("1 impossible record ")));
        QTRY_COMPARE(setup.measured(), 3u);
        QVERIFY(setup.messages.front().actions.contains(MessageAction::Run));
        QVERIFY(!setup.messages.front().remedy.isEmpty());
    }

    void impossibleRecordsOfAFileAreSaid()
    {
        std::vector<Run> runs = savedRuns();
        runs[0].rejected = 2;
        runs[1].rejected = 1;
        Setup setup;
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        QVERIFY(setup.said(kInfo, QStringLiteral("a.shardscope")));
        QVERIFY(setup.said(kWarning, QStringLiteral("3 impossible records ")));
    }

    void anUnreadableLineIsSaidOnce()
    {
        Setup setup("garbage");
        setup.session.begin();
        QTRY_COMPARE(setup.measured(), 3u);
        QTRY_VERIFY(setup.idle());
        QVERIFY(setup.said(kWarning, QStringLiteral("cannot be read")));
        QCOMPARE(setup.messages.size(), 1u);
        QVERIFY(setup.link.log().contains(QStringLiteral("line ")));
    }

    void aNewerEngineIsRefusedAtOnce()
    {
        Setup setup("newer");
        setup.session.begin();
        QTRY_VERIFY(setup.said(kError, QStringLiteral("cannot be read")));
        QVERIFY(setup.idle());
        QVERIFY(setup.messages.front().remedy.contains(QStringLiteral("--engine")));
    }

    void anEngineThatIsNotThereIsNotStartedByEachSlider()
    {
        EngineLink link(QStringLiteral("/nonexistent/engine"));
        Session session(withRanks(4), link, tests::kComputer);
        QSignalSpy messages(&session, &Session::messageRaised);
        session.begin();
        QTRY_COMPARE(messages.size(), 1);
        QVERIFY(messages.front().front().value<UserMessage>().remedy.contains(QStringLiteral("--engine")));
        session.change(withRanks(8), 0);
        QTest::qWait(700);
        QCOMPARE(messages.size(), 1);
        session.runNow();
        QTRY_COMPARE(messages.size(), 2);
    }

    void aSmallerSizeFitsAlsoWhenTheTokensAreMany()
    {
        Experiment many = withRanks(3);
        many.hidden = 768;
        many.ffn = 3072;
        many.batch = 64;
        many.sequence = 8192;
        const Computer small{2, std::int64_t{4'000'000'000}};
        Setup setup("", many, small);
        QVERIFY(!setup.session.status().canRun);
        setup.session.useSmallerSize();
        QVERIFY(setup.session.status().canRun);
        QCOMPARE(setup.session.experiment().ranks(), 3);
    }

    void aMachineThatIsNotTheKeptOneIsMeasuredAgain()
    {
        Setup first;
        QSignalSpy known(&first.session, &Session::thisMachineChanged);
        first.session.begin();
        QTRY_COMPARE(known.size(), 1);
        std::string kept = known.front().front().value<std::string>();
        const auto at = kept.find("2 cores, fake");
        QVERIFY(at != std::string::npos);
        kept.replace(at, 13, "2 cores, other");
        Setup setup;
        QVERIFY(setup.session.predictor().restoreThisMachine(kept, 2));
        setup.session.begin();
        QTRY_COMPARE(setup.sent("measure"), 1);
    }
};

QTEST_GUILESS_MAIN(TestSessionResults)
#include "tst_session_results.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that pages ask for, beside those of the workbench.
#include "app/session.h"

#include "engine/plan/experiment_options.h"
#include "tests/app/session_setup.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

namespace {

using Setup = tests::SessionSetup;
using tests::withRanks;

Experiment zero3(int ranks)
{
    Experiment experiment;
    experiment.scheme = Scheme::Zero3;
    experiment.mesh = meshAlong(MeshAxis::Dp, ranks);
    return experiment;
}

} // namespace

class TestSessionPages : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatAPageWantsLeavesTheWorkbenchAsItIs()
    {
        Setup setup;
        setup.session.setAutoRun(false);
        QSignalSpy stored(&setup.session, &Session::runStored);
        QSignalSpy changed(&setup.session, &Session::experimentChanged);
        const RunLookups lookups = setup.session.lookups();
        QVERIFY(!lookups.measured(zero3(2)));
        setup.session.runBeside({zero3(2), zero3(4)});
        QVERIFY(setup.session.status().state == RunStatus::State::Running);
        QVERIFY(!setup.session.status().canRun);
        QTRY_COMPARE(stored.size(), 2);
        QTRY_VERIFY(setup.idle());
        QVERIFY(lookups.measured(zero3(4)));
        QCOMPARE(lookups.measured(zero3(4))->experiment().scheme, Scheme::Zero3);
        QVERIFY(lookups.measured(zero3(2)) != lookups.measured(zero3(4)));
        QCOMPARE(setup.measured(), 0u);
        QCOMPARE(setup.session.experiment(), withRanks(4));
        QVERIFY(setup.messages.empty());
    }

    /// How often a step is repeated is no other experiment.
    void fewerStepsAreTheSamePoint()
    {
        Setup setup;
        setup.session.setAutoRun(false);
        Experiment few = zero3(2);
        few.steps = 5;
        few.warmup = 1;
        setup.session.runBeside({few});
        QTRY_VERIFY(setup.session.lookups().measured(zero3(2)));
    }

    void theWorkbenchFindsItsOwnPoint()
    {
        Setup setup;
        setup.session.setAutoRun(false);
        setup.session.runBeside({withRanks(4)});
        QTRY_COMPARE(setup.measured(), 1u);
    }

    /// Behind what the workbench runs, not in its place; and asked for twice it runs once.
    void aPageWaitsForTheWorkbench()
    {
        Setup setup;
        setup.session.runNow();
        setup.session.runBeside({zero3(2)});
        setup.session.runBeside({zero3(2)});
        QTRY_VERIFY(setup.session.lookups().measured(zero3(2)));
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.measured(), 3u);
        QVERIFY(setup.session.results().measuredOne);
        QCOMPARE(setup.sent("cancel"), 0);
        QCOMPARE(setup.sent("run"), 5);
    }

    /// A file on screen is no reason to show nothing of what was measured here meanwhile; and it stays on screen.
    void pagesShowWhatTheyMeasureBesideAFile()
    {
        Setup source;
        source.session.setAutoRun(false);
        source.session.runNow();
        QTRY_VERIFY(source.idle() && source.measured() == 3u);
        std::vector<Run> runs = source.session.measuredRuns();
        for (Run &run : runs)
            run.source = Source::Recorded;

        Setup setup;
        setup.session.setAutoRun(false);
        setup.session.showRecorded(std::move(runs), QStringLiteral("a.shardscope"));
        const RunLookups lookups = setup.session.lookups();
        QVERIFY(lookups.measured(withRanks(4))->source == Source::Recorded);
        setup.session.runBeside({withRanks(4), zero3(2)});
        QTRY_VERIFY(lookups.measured(zero3(2)));
        QTRY_VERIFY(setup.idle());
        QVERIFY(lookups.measured(withRanks(4))->source == Source::Measured);
        QVERIFY(setup.session.status().state == RunStatus::State::Recorded);
        // Another file is another beginning.
        std::vector<Run> again{*setup.session.results().measured.begin()->second};
        setup.session.showRecorded(std::move(again), QStringLiteral("b.shardscope"));
        QVERIFY(!lookups.measured(zero3(2)));
    }

    void moreRanksThanRunAreRefusedAndTheRestRuns()
    {
        Setup setup;
        setup.session.setAutoRun(false);
        QVERIFY(setup.session.lookups().refusal(zero3(4)).isEmpty());
        QVERIFY(setup.session.lookups().refusal(zero3(64)).contains(QStringLiteral("up to 8 ranks")));
        setup.session.runBeside({zero3(2), zero3(64)});
        QVERIFY(setup.said(UserMessage::Level::Info, QStringLiteral("64 ranks would share 2 cores")));
        QTRY_VERIFY(setup.session.lookups().measured(zero3(2)));
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.sent("run"), 1);
        setup.session.runBeside({zero3(64)});
        QVERIFY(setup.idle());
        QVERIFY(setup.said(UserMessage::Level::Info, QStringLiteral("Predicted, not measured")));
    }

    void cancelStopsAllOfThem()
    {
        Setup setup("slow");
        setup.session.setAutoRun(false);
        setup.session.runBeside({zero3(2), zero3(4)});
        QTRY_COMPARE(setup.sent("run"), 1);
        setup.session.cancel();
        QTRY_VERIFY(setup.idle());
        QCOMPARE(setup.sent("run"), 1);
        QVERIFY(!setup.session.lookups().measured(zero3(2)));
    }

    void whoClosesTheWindowWaitsForNoPrediction()
    {
        Setup setup;
        const RunLookups lookups = setup.session.lookups();
        QVERIFY(lookups.predicted(zero3(2)));
        setup.session.stopPredicting();
        QVERIFY(!lookups.predicted(zero3(2)));
        QVERIFY(!lookups.predicted(zero3(64)));
    }

    void predictionsAreMadeOnceForEachMachine()
    {
        Setup setup;
        const RunLookups before = setup.session.lookups();
        const RunPtr first = before.predicted(zero3(64));
        QVERIFY(first);
        QVERIFY(first->source == Source::Predicted);
        QCOMPARE(before.predicted(zero3(64)), first);
        QCOMPARE(setup.session.lookups().predicted(zero3(64)), first);
        setup.session.setHardware("pcie5-8");
        const RunLookups after = setup.session.lookups();
        QCOMPARE(after.hardware().name, std::string("pcie5-8"));
        QCOMPARE(after.predicted(zero3(64))->hardware, std::string("pcie5-8"));
        QCOMPARE(before.predicted(zero3(64)), first);
        Experiment wrong;
        wrong.mesh.extents = {3, 1, 1};
        QVERIFY(!after.predicted(wrong));
    }
};

QTEST_GUILESS_MAIN(TestSessionPages)
#include "tst_session_pages.moc"

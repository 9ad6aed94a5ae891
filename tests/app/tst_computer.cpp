// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/computer.h"

#include <QTest>

using namespace shardscope;

namespace {

Experiment withRanks(int ranks)
{
    Experiment experiment;
    experiment.mesh.extents = {ranks, 1, 1};
    return experiment;
}

const Computer kSmall{2, std::int64_t{8'000'000'000}};

} // namespace

class TestComputer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void upToEightRanksRunForReal()
    {
        QVERIFY(runPermission(withRanks(8), kSmall, 0.1).automatic);
        const RunPermission refused = runPermission(withRanks(16), kSmall, 0.1);
        QVERIFY(!refused.allowed);
        QVERIFY(refused.why.contains(QStringLiteral("16 ranks")));
        QVERIFY(runPermission(withRanks(16), {16, std::int64_t{8'000'000'000}}, 0.1).allowed);
    }

    void moreMemoryThanIsFreeIsPredicted()
    {
        Experiment large = withRanks(2);
        large.hidden = 16384;
        large.ffn = 65536;
        const RunPermission refused = runPermission(large, {2, std::int64_t{1'000'000'000}}, 0.1);
        QVERIFY(!refused.allowed);
        QVERIFY2(refused.why.contains(QStringLiteral("1.0 GB")), qPrintable(refused.why));
        QVERIFY(runPermission(large, {2, std::nullopt}, 0.1).allowed);
    }

    void aSlowStepWaitsForTheButton()
    {
        const RunPermission permission = runPermission(withRanks(2), kSmall, 2.5);
        QVERIFY(permission.allowed);
        QVERIFY(!permission.automatic);
        QVERIFY(permission.why.contains(QStringLiteral("2.5 s")));
    }

    void theNoteIsHonest()
    {
        QCOMPARE(honestyNote(4, 2), QStringLiteral("4 ranks share 2 cores; not GPU times"));
        QCOMPARE(honestyNote(2, 1), QStringLiteral("2 ranks share one core; not GPU times"));
        QCOMPARE(honestyNote(2, 4), QStringLiteral("CPU ranks; not GPU times"));
        QCOMPARE(ranksOnCoresWord(1, {2, {}, {}}), QStringLiteral("1 rank on 2 cores"));
        QCOMPARE(ranksOnCoresWord(4, {8, {}, QStringLiteral("gpu1")}), QStringLiteral("4 ranks on 8 cores of gpu1"));
    }

    void anotherComputerIsNamed()
    {
        HelloEvent hello;
        hello.machine.host = "4 cores, one of ours";
        hello.machine.remote = "gpu1";
        const Computer silent = Computer::of(hello);
        QCOMPARE(silent.cores, 4);
        QVERIFY2(!silent.availableBytes, "an older engine does not say it");
        hello.availableBytes = 1'000'000'000;
        const Computer there = Computer::of(hello);
        QCOMPARE(*there.availableBytes, 1'000'000'000);
        const QString why = runPermission(withRanks(64), there, 0).why;
        QVERIFY2(why.endsWith(QStringLiteral("up to 8 ranks run for real on gpu1")), qPrintable(why));
        QVERIFY(runPermission(withRanks(2), there, 2.5).why.contains(QStringLiteral("2.5 s on gpu1")));
        const RunPermission unknown = runPermission(withRanks(2), {0, {}, QStringLiteral("gpu1")}, 0);
        QVERIFY(unknown.allowed && !unknown.automatic);
        QVERIFY(unknown.why.contains(QStringLiteral("Not connected to gpu1")));
    }

    void thisComputerIsKnown()
    {
        const Computer here = Computer::thisOne();
        QVERIFY(here.cores >= 1);
        QVERIFY(here.availableBytes && *here.availableBytes > 0);
    }
};

QTEST_GUILESS_MAIN(TestComputer)
#include "tst_computer.moc"

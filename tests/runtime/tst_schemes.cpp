// SPDX-License-Identifier: MIT
// Every scheme in all its variants, run by real ranks as a command runs it: what their communicators counted is what
// the plan says, collective by collective, and every rank has one span for each step that is its own.
#include "tests/plan/plan_experiments.h"
#include "tests/runtime/compare_run.h"

#include <QtTest>

using namespace shardscope;

namespace {

Experiment shortRun(const std::string &line)
{
    Experiment experiment = experimentOf(smallModel(line));
    experiment.backend = Backend::Cpu;
    experiment.threads = 1;
    experiment.steps = 1;
    experiment.warmup = 1;
    experiment.timeoutSeconds = 20;
    return experiment;
}

/// As few repetitions of the baselines as a run may have.
constexpr double kShortBudgetSeconds = 0.01;

} // namespace

class TestSchemesOnRanks : public QObject
{
    Q_OBJECT

private slots:
    void everySchemeDoesWhatItPlans_data();
    void everySchemeDoesWhatItPlans();
    void bugsDoWhatTheyPlan();
};

void TestSchemesOnRanks::everySchemeDoesWhatItPlans_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 4, 8})
        QTest::addRow("N = %d", ranks) << ranks;
}

void TestSchemesOnRanks::everySchemeDoesWhatItPlans()
{
    QFETCH(int, ranks);
    ForkedRanks group(ranks);
    int runs = 0;
    for (const std::string &line : everyScheme()) {
        const Experiment experiment = shortRun(line);
        if (experiment.ranks() != ranks)
            continue;
        ++runs;
        compareRun(experiment, group.run(experiment, kShortBudgetSeconds));
        if (QTest::currentTestFailed())
            QFAIL(line.c_str());
    }
    QVERIFY(runs > 0);
    QCOMPARE(group.leave(), std::vector<int>(std::size_t(ranks), 0));
}

void TestSchemesOnRanks::bugsDoWhatTheyPlan()
{
    ForkedRanks group(4);
    for (const std::string &line : everyBug()) {
        const Experiment experiment = shortRun(line);
        compareRun(experiment, group.run(experiment, kShortBudgetSeconds), false);
        if (QTest::currentTestFailed())
            QFAIL(line.c_str());
    }
}

QTEST_GUILESS_MAIN(TestSchemesOnRanks)
#include "tst_schemes.moc"

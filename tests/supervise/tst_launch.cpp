// SPDX-License-Identifier: MIT
// What the variables of launchers say of a process: its rank, how many there are, and where they meet.
#include "engine/supervise/launch.h"

#include <QtTest>
#include <map>

using namespace shardscope;

namespace {

using Values = std::map<std::string, std::string>;

Expected<std::optional<Launch>> launchOf(const Values &values)
{
    return readLaunch([&](const char *name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    });
}

Values with(Values values, const Values &more)
{
    for (const auto &[name, value] : more)
        values[name] = value;
    return values;
}

const Values kByHand{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "10.0.0.1"}};
const Values kTorchrun{{"RANK", "5"},
                       {"WORLD_SIZE", "8"},
                       {"LOCAL_RANK", "1"},
                       {"LOCAL_WORLD_SIZE", "4"},
                       {"MASTER_ADDR", "node1"},
                       {"MASTER_PORT", "29400"},
                       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                       {"TORCHELASTIC_RUN_ID", "none"},
                       {"TORCHELASTIC_RESTART_COUNT", "2"}};
const Values kMpirun{{"OMPI_COMM_WORLD_RANK", "3"},
                     {"OMPI_COMM_WORLD_SIZE", "4"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                     {"PMIX_NAMESPACE", "973471745"}};
const Values kSrun{{"SLURM_PROCID", "4"},
                   {"SLURM_STEP_NUM_TASKS", "5"},
                   {"SLURM_LOCALID", "0"},
                   {"SLURM_NODEID", "2"},
                   {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
                   {"SLURM_STEP_NODELIST", "gpu[07-09]"},
                   {"SLURM_JOB_NODELIST", "gpu[01-20]"},
                   {"SLURM_JOB_ID", "4711"},
                   {"SLURM_STEP_ID", "0"}};

} // namespace

class TestLaunch : public QObject
{
    Q_OBJECT

private slots:
    void aloneIsNoLaunch()
    {
        QVERIFY(!*launchOf({}));
        // Batch systems set their variables for single programs too, and for the script of a job.
        QVERIFY(!*launchOf({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}));
        QVERIFY(!*launchOf({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
        QVERIFY(!*launchOf({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}, {"SLURM_JOB_NODELIST", "a"}}));
    }

    void byHand()
    {
        const Launch launch = **launchOf(kByHand);
        QCOMPARE(launch.rank, 1);
        QCOMPARE(launch.worldSize, 4);
        QCOMPARE(launch.localRank, 0);
        QCOMPARE(launch.localWorldSize, 1); // nobody says otherwise
        QCOMPARE(launch.store.host, std::string("10.0.0.1"));
        QCOMPARE(launch.store.port, 29500);
        QVERIFY(!launch.store.agentServes);
        const Launch here = **launchOf(with(kByHand, {{"MASTER_ADDR", "127.0.0.1"}}));
        QCOMPARE(here.localWorldSize, 4);
        QCOMPARE(here.localRank, 1);
    }

    void torchrun()
    {
        const Launch launch = **launchOf(kTorchrun);
        QCOMPARE(launch.rank, 5);
        QCOMPARE(launch.worldSize, 8);
        QCOMPARE(launch.localRank, 1);
        QCOMPARE(launch.localWorldSize, 4);
        QCOMPARE(launch.store.host, std::string("node1"));
        QCOMPARE(launch.store.port, 29400);
        QVERIFY(launch.store.agentServes);
        // A restart meets at another place than what went before.
        QVERIFY(launch.store.run != (*launchOf(with(kTorchrun, {{"TORCHELASTIC_RESTART_COUNT", "3"}})))->store.run);
        const Launch own = **launchOf(with(kTorchrun, {{"SHARDSCOPE_PORT", "31000"}}));
        QCOMPARE(own.store.port, 31000);
        QVERIFY(!own.store.agentServes);
    }

    void mpirun()
    {
        const Launch launch = **launchOf(kMpirun);
        QCOMPARE(launch.rank, 3);
        QCOMPARE(launch.localWorldSize, 4);
        QCOMPARE(launch.store.host, std::string("127.0.0.1"));
        QVERIFY(launch.store.port >= 12000 && launch.store.port < 28000);
        // The same for every rank of the job, another for the next job.
        QCOMPARE((*launchOf(with(kMpirun, {{"OMPI_COMM_WORLD_RANK", "0"}})))->store.port, launch.store.port);
        QVERIFY((*launchOf(with(kMpirun, {{"PMIX_NAMESPACE", "973471746"}})))->store.port != launch.store.port);
        // On several hosts it does not say where rank 0 runs.
        const auto several =
            launchOf(with(kMpirun, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}));
        QVERIFY(!several);
        QCOMPARE(several.problem().id, TextId::LaunchNoMaster);
    }

    void srun()
    {
        const Launch launch = **launchOf(kSrun);
        QCOMPARE(launch.rank, 4);
        QCOMPARE(launch.worldSize, 5);
        QCOMPARE(launch.localWorldSize, 1);
        QCOMPARE(launch.store.host, std::string("gpu07")); // of the step, not of the job
        QCOMPARE((*launchOf(with(kSrun, {{"SLURM_NODEID", "1"}})))->localWorldSize, 2);
        // mpirun within a job starts its helpers by srun; its own numbers count.
        QCOMPARE((*launchOf(with(kSrun, kMpirun)))->rank, 3);
    }

    void firstHosts_data()
    {
        QTest::addColumn<QString>("list");
        QTest::addColumn<QString>("host");
        for (const auto &[list, host] : std::map<const char *, const char *>{{"a", "a"},
                                                                             {"a,b", "a"},
                                                                             {"a[1-3,7],b", "a1"},
                                                                             {"a[7]", "a7"},
                                                                             {"a[007-010]-ib", "a007-ib"},
                                                                             {"rack[2,5]n[01-08],x", "rack2n01"},
                                                                             {"a.b-c,d", "a.b-c"},
                                                                             {"", ""},
                                                                             {"a[", "a"}})
            QTest::newRow(list) << list << host;
    }

    void firstHosts()
    {
        QFETCH(QString, list);
        QFETCH(QString, host);
        QCOMPARE(QString::fromStdString(firstHost(list.toStdString())), host);
    }

    void tasksOfNodes()
    {
        QCOMPARE(tasksOfNode("2(x2),1", 0), 2);
        QCOMPARE(tasksOfNode("2(x2),1", 1), 2);
        QCOMPARE(tasksOfNode("2(x2),1", 2), 1);
        QCOMPARE(tasksOfNode("2(x2),1", 3), 0);
        QCOMPARE(tasksOfNode("16", 0), 16);
        QCOMPARE(tasksOfNode("", 0), 0);
        QCOMPARE(tasksOfNode("x(x", 0), 0);
    }

    void brokenVariables_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("allowed");
        QTest::newRow("too large") << "RANK"
                                   << "4"
                                   << "0 to 3";
        QTest::newRow("negative") << "RANK"
                                  << "-1"
                                  << "0 to 3";
        QTest::newRow("a word") << "RANK"
                                << "one"
                                << "0 to 3";
        QTest::newRow("trailing") << "WORLD_SIZE"
                                  << "4 "
                                  << "1 to";
        QTest::newRow("fraction") << "WORLD_SIZE"
                                  << "2.5"
                                  << "1 to";
        QTest::newRow("no ranks") << "WORLD_SIZE"
                                  << "0"
                                  << "1 to";
        QTest::newRow("beyond") << "WORLD_SIZE"
                                << "99999999999999"
                                << "1 to";
        QTest::newRow("port") << "MASTER_PORT"
                              << "65536"
                              << "1 to 65535";
        QTest::newRow("own port") << "SHARDSCOPE_PORT"
                                  << "http"
                                  << "1 to 65535";
        QTest::newRow("local size") << "LOCAL_WORLD_SIZE"
                                    << "5"
                                    << "1 to 4";
        QTest::newRow("local rank") << "LOCAL_RANK"
                                    << "1"
                                    << "0 to 0";
        QTest::newRow("seconds") << "SHARDSCOPE_JOIN_SECONDS"
                                 << "soon"
                                 << "1 to 86400";
    }

    void brokenVariables()
    {
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(QString, allowed);
        const auto launch = launchOf(with(kByHand, {{name.toStdString(), value.toStdString()}}));
        QVERIFY(!launch);
        const QString said = QString::fromStdString(english(launch.problem()));
        QVERIFY2(said.startsWith(name + '=' + value + ": "), qPrintable(said));
        QVERIFY2(said.contains("allowed: " + allowed), qPrintable(said));
    }

    void halvesAreRefused()
    {
        for (const char *half : {"RANK", "WORLD_SIZE"}) {
            const auto launch = launchOf({{half, "1"}});
            QVERIFY(!launch);
            QCOMPARE(launch.problem().id, TextId::LaunchHalf);
            QCOMPARE(launch.problem().args.front(), std::string(half));
        }
    }

    void networksAreLookedAt()
    {
        Launch launch = **launchOf(with(kByHand, {{"MASTER_ADDR", "127.0.0.1"}, {"GLOO_SOCKET_IFNAME", "lo"}}));
        QVERIFY(!refuseNetwork(launch));
        launch.store.interface = "nowhere0";
        QCOMPARE(refuseNetwork(launch)->id, TextId::LaunchInterfaceUnknown);
        launch.store.interface.clear();
        launch.store.host = "no-such-host.invalid";
        QCOMPARE(refuseNetwork(launch)->id, TextId::LaunchMasterUnknown);
    }
};

QTEST_APPLESS_MAIN(TestLaunch)
#include "tst_launch.moc"

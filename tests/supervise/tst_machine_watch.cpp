// SPDX-License-Identifier: MIT
// Runs with a fake of NVIDIA's management library in the loader's path.
#include "engine/supervise/machine_watch.h"
#include "engine/supervise/process_table.h"

#include <QtTest>

#include <poll.h>
#include <unistd.h>

using namespace shardscope;

namespace {

/// Waits for what the child tells, at most a while.
bool readUntil(MachineWatch &watch, const std::function<bool()> &enough)
{
    QElapsedTimer timer;
    timer.start();
    bool done = false;
    while (!(done = enough()) && timer.elapsed() < 20000) {
        pollfd entry{watch.toldFd(), POLLIN, 0};
        if (watch.toldFd() >= 0 && ::poll(&entry, 1, 100) > 0)
            watch.read();
    }
    return done;
}

} // namespace

class TestMachineWatch : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        qunsetenv("FAKE_GPUS");
        qunsetenv("FAKE_NVML_HANGS");
    }
    void coresAreCounted();
    void ticksAreRead();
    void thisMachineHasCores();
    void withoutGpusTheChildGoes();
    void gpusAndTheirPathsAreTold();
    void loadsComeWhileRanksCompute();
    void aLibraryThatHangsHoldsUpNothing();
};

void TestMachineWatch::coresAreCounted()
{
    QCOMPARE(coresInList("0-3,8\n"), 5);
    QCOMPARE(coresInList("0"), 1);
    QCOMPARE(coresInList("0-63,128-191"), 128);
    for (const char *none : {"", "\n", "x", "3-1", "-"})
        QCOMPARE(coresInList(none), 0);
}

void TestMachineWatch::ticksAreRead()
{
    // user 10, nice 1, system 4, idle 80, iowait 5, irq 2, softirq 3, steal 100
    const auto ticks = parseCpuTicks("cpu  10 1 4 80 5 2 3 100 0 0\ncpu0 1 1 1 1\n");
    QVERIFY(ticks);
    QCOMPARE(ticks->busy, std::int64_t{20});
    QCOMPARE(ticks->all, std::int64_t{105});
    for (const char *none : {"", "cpu", "cpu 1 2", "intr 1 2 3 4"})
        QVERIFY(!parseCpuTicks(none));
}

void TestMachineWatch::thisMachineHasCores()
{
    const std::vector<NumaNode> nodes = readNumaNodes();
    int cores = 0;
    for (const NumaNode &node : nodes) {
        QVERIFY(node.cores > 0);
        QVERIFY(node.memoryBytes > 0);
        cores += node.cores;
    }
    QCOMPARE(cores, int(::sysconf(_SC_NPROCESSORS_ONLN)));
}

void TestMachineWatch::withoutGpusTheChildGoes()
{
    MachineWatch watch({});
    QVERIFY(readUntil(watch, [&] { return watch.toldFd() < 0; }));
    QVERIFY(watch.topology());
    QVERIFY(watch.topology()->gpus.empty() && watch.topology()->paths.empty());
    QVERIFY(watch.topology()->nodes == readNumaNodes());
}

void TestMachineWatch::gpusAndTheirPathsAreTold()
{
    qputenv("FAKE_GPUS", "2");
    MachineWatch watch({});
    QVERIFY(!watch.topology());
    QVERIFY(readUntil(watch, [&] { return watch.topology().has_value(); }));
    const Topology &topology = *watch.topology();
    QCOMPARE(topology.gpus.size(), std::size_t{2});
    QVERIFY(topology.gpus[1] == (GpuState{"0000FAKE:01:00.0", "Fake GPU B", std::int64_t{8} << 30,
                                          std::int64_t{6} << 30, 0, -1, 5, 16, 2, 4}));
    QVERIFY(topology.paths == (std::vector<GpuPath>{{0, 1, "NV2", 50}})); // 25 GB/s a link of version 4
    QVERIFY(watch.toldFd() >= 0);
}

void TestMachineWatch::loadsComeWhileRanksCompute()
{
    qputenv("FAKE_GPUS", "1");
    MachineWatch watch({});
    QVERIFY(readUntil(watch, [&] { return watch.topology().has_value(); }));
    const auto now = MachineWatch::Clock::now();
    QVERIFY(!watch.isDue(now + std::chrono::hours(1)));
    watch.begin(now, 0);
    QVERIFY(!watch.isDue(now));
    QVERIFY(watch.isDue(now + std::chrono::seconds(1)));
    LoadEvent load;
    QVERIFY(readUntil(watch, [&] {
        load = watch.take(now, std::numeric_limits<std::int64_t>::max() / 1000);
        return !load.gpus.empty() && load.cpuPercent > 0;
    }));
    QCOMPARE(load.gpus.size(), std::size_t{1});
    QVERIFY(load.gpus[0].busyPercent >= 10 && load.gpus[0].freeBytes == std::int64_t{6} << 30);
    QVERIFY(load.cpuPercent <= 100 && load.ranksPercent <= load.cpuPercent);
    QVERIFY(load.freeBytes > 0);
    watch.rest();
    QVERIFY(!watch.isDue(now + std::chrono::hours(1)));
}

void TestMachineWatch::aLibraryThatHangsHoldsUpNothing()
{
    qputenv("FAKE_GPUS", "1");
    qputenv("FAKE_NVML_HANGS", "1");
    QElapsedTimer timer;
    timer.start();
    {
        MachineWatch watch({});
        watch.begin(MachineWatch::Clock::now(), 0);
        QVERIFY(watch.take(MachineWatch::Clock::now(), 0).gpus.empty());
        QVERIFY(!watch.topology());
    }
    QVERIFY(timer.elapsed() < 10000);
    QVERIFY(childrenOf(::getpid()).empty());
}

QTEST_GUILESS_MAIN(TestMachineWatch)
#include "tst_machine_watch.moc"

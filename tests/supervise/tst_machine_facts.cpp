// SPDX-License-Identifier: MIT
// What is read from /proc, the memory rule and the choice of BLAS kernels.
#include "engine/supervise/host_environment.h"
#include "engine/supervise/kernel_file.h"
#include "engine/supervise/machine_facts.h"
#include "engine/supervise/process_table.h"

#include <QTest>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardscope {

class MachineFactsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void memAvailable();
    void containerMemory();
    void memoryRule();
    void aRefusalNamesBothSizes();
    void cores();
    void processStat();
    void processThatGoesWhileItIsRead();
    void ownProcess();
    void betterCore_data();
    void betterCore();
    void userValuesWin();
};

void MachineFactsTest::memAvailable()
{
    QCOMPARE(parseMemAvailable("MemTotal: 100 kB\nMemAvailable:   24117248 kB\nCached: 1 kB\n"),
             std::int64_t{24117248} * 1024);
    QCOMPARE(parseMemAvailable("MemTotal: 100 kB\n"), std::int64_t{0});
    QVERIFY(availableMemoryBytes() > 0);
}

void MachineFactsTest::containerMemory()
{
    const char *stat = "anon 300\nfile 5000\ninactive_file 4000\nactive_file 600\n";
    QVERIFY(!parseContainerMemoryLeft("max\n", "5300\n", stat));
    QVERIFY(!parseContainerMemoryLeft("", "", "")); // no cgroup
    // 5300 of 6000 in use, 4600 of them pages of files, which the kernel gives up.
    QCOMPARE(parseContainerMemoryLeft("6000\n", "5300\n", stat).value_or(-1), std::int64_t{5300});
    QCOMPARE(parseContainerMemoryLeft("6000\n", "7000\n", "").value_or(-1), std::int64_t{0});
}

void MachineFactsTest::memoryRule()
{
    const auto refused = refuseForMemory(6'000'000'000, 4, 24'000'000'000);
    QVERIFY(refused.has_value());
    QVERIFY(refused->args == (std::vector<std::string>{"4", "22.4 GiB", "22.4 GiB"}));
    QVERIFY(!refuseForMemory(4'800'000'000, 4, 24'000'000'000)); // 80 % exactly
    QVERIFY(refuseForMemory(4'800'000'001, 4, 24'000'000'000));
    QVERIFY(!refuseForMemory(1, 1, 0)); // unknown memory refuses nothing
    // A giant beyond 64 bits is refused too.
    QVERIFY(refuseForMemory(std::int64_t{1} << 62, 64, 24'000'000'000));
    QVERIFY(rc::check("what much memory refuses, less refuses too", [] {
        const auto bytes = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
        const auto ranks = *rc::gen::inRange(1, 64);
        const auto available = *rc::gen::inRange<std::int64_t>(1, 10'000'000);
        if (refuseForMemory(bytes, ranks, available * 2))
            RC_ASSERT(refuseForMemory(bytes, ranks, available));
    }));
}

/// In the units of every other size on the screen.
void MachineFactsTest::aRefusalNamesBothSizes()
{
    const auto refusal = refuseForMemory(std::int64_t{6} << 30, 4, std::int64_t{24} << 30);
    QVERIFY(refusal);
    QCOMPARE(english(*refusal),
             std::string("4 ranks need about 24 GiB of memory, 24 GiB are available; up to 80 % of that may be used"));
}

void MachineFactsTest::cores()
{
    QVERIFY(allowedCores() >= 1);
    QCOMPARE(defaultThreads(1), allowedCores());
    QCOMPARE(defaultThreads(100000), 1);
    QCOMPARE(english(ranksOnCores(4, 2)), std::string("4 ranks share 2 cores; not GPU times"));
    QCOMPARE(english(ranksOnCores(1, 2)), std::string("1 rank on 2 cores; not GPU times"));
    QCOMPARE(ranksOnCores(2, 2).id, TextId::RanksOnCores);
}

void MachineFactsTest::processStat()
{
    // proc(5); the name is as unpleasant as it may be.
    const auto facts =
        parseProcessStat("4711 (a) b (c) T 42 4711 4711 0 -1 4194304 1 2 3 4 150 25 0 0 20 0 1 0 998877 1 "
                         "2 3");
    QVERIFY(facts.has_value());
    QCOMPARE(facts->pid, 4711);
    QCOMPARE(facts->name, std::string("a) b (c"));
    QCOMPARE(facts->state, 'T');
    QCOMPARE(facts->parent, 42);
    QCOMPARE(facts->cpuTicks, std::int64_t{175});
    QCOMPARE(facts->startTime, std::int64_t{998877});
    QVERIFY(!parseProcessStat(""));
    QVERIFY(!parseProcessStat("4711 (short) T 42"));
}

void MachineFactsTest::processThatGoesWhileItIsRead()
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    QVERIFY(stat.is_open());
    QCOMPARE(::kill(child, SIGKILL), 0);
    QCOMPARE(::waitpid(child, nullptr, 0), child);
    QCOMPARE(textOf(stat), std::string());
    QVERIFY(!processFacts(child));
    QCOMPARE(kernelFile("/proc/nothing-of-this-name"), std::string());
}

void MachineFactsTest::ownProcess()
{
    const auto self = processFacts(::getpid());
    QVERIFY(self.has_value());
    QCOMPARE(self->parent, ::getppid());
    const auto siblings = childrenOf(::getppid());
    QVERIFY(std::ranges::any_of(siblings, [&](const ProcessFacts &facts) { return facts.pid == ::getpid(); }));
    QVERIFY(!processFacts(-1));
}

void MachineFactsTest::betterCore_data()
{
    QTest::addColumn<QByteArray>("flags");
    QTest::addColumn<QByteArray>("core");
    QTest::addColumn<QByteArray>("better");
    const QByteArray avx512 = " fpu avx2 fma avx512f avx512dq avx512bw avx512vl ";
    QTest::newRow("new CPU, old library") << avx512 << QByteArray("Prescott") << QByteArray("SkylakeX");
    QTest::newRow("Zen kernels, AVX-512") << avx512 << QByteArray("Zen") << QByteArray("SkylakeX");
    QTest::newRow("recognised") << avx512 << QByteArray("Cooperlake") << QByteArray();
    QTest::newRow("AVX2 only") << QByteArray("fpu avx2 fma") << QByteArray("Nehalem") << QByteArray("Haswell");
    QTest::newRow("already") << QByteArray("fpu avx2 fma") << QByteArray("Zen") << QByteArray();
    QTest::newRow("half of AVX-512") << QByteArray("avx2 fma avx512f avx512dq") << QByteArray("Haswell")
                                     << QByteArray();
    QTest::newRow("a flag within a word")
        << QByteArray("xavx2 fma4 avx2_vnni") << QByteArray("Prescott") << QByteArray();
    QTest::newRow("old CPU") << QByteArray("fpu sse3") << QByteArray("Prescott") << QByteArray();
    QTest::newRow("newer library") << avx512 << QByteArray("GraniteRapids") << QByteArray();
    QTest::newRow("no OpenBLAS") << avx512 << QByteArray() << QByteArray();
}

void MachineFactsTest::betterCore()
{
    QFETCH(QByteArray, flags);
    QFETCH(QByteArray, core);
    QFETCH(QByteArray, better);
    QCOMPARE(betterBlasCore(flags.toStdString(), core.toStdString()).value_or(""), better.toStdString());
}

void MachineFactsTest::userValuesWin()
{
    const auto valueOf = [](const char *name) -> std::string {
        for (const auto &[key, value] : hostEnvironment()) {
            if (key == name)
                return value;
        }
        return "unset";
    };
    ::unsetenv("OMP_WAIT_POLICY");
    ::unsetenv("OPENBLAS_NUM_THREADS");
    QCOMPARE(valueOf("OMP_WAIT_POLICY"), std::string("passive"));
    QCOMPARE(valueOf("OPENBLAS_NUM_THREADS"), std::string("1"));
    ::setenv("OMP_WAIT_POLICY", "active", 1);
    ::setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
    QCOMPARE(valueOf("OMP_WAIT_POLICY"), std::string("unset")); // nothing to add: it is inherited
    QCOMPARE(valueOf("OPENBLAS_CORETYPE"), std::string("unset"));
}

} // namespace shardscope

QTEST_GUILESS_MAIN(shardscope::MachineFactsTest)
#include "tst_machine_facts.moc"

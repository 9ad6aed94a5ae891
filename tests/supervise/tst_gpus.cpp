// SPDX-License-Identifier: MIT
#include "engine/supervise/child_report.h"
#include "engine/supervise/file_descriptor.h"
#include "engine/supervise/gpu_probe.h"
#include "engine/supervise/gpu_ranks.h"
#include "engine/supervise/gpu_topology.h"

#include <QtTest>

#include <csignal>
#include <unistd.h>

using namespace shardscope;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

std::vector<GpuFacts> gpus(int count)
{
    std::vector<GpuFacts> result;
    for (int i = 0; i < count; ++i)
        result.push_back({"NVIDIA H200", 140 * kGiB, "0000:1" + std::to_string(i) + ":00.0", 9, 0});
    return result;
}

QString textOf(const std::optional<Text> &text)
{
    return text ? QString::fromStdString(english(*text)) : QString();
}

} // namespace

class TestGpus : public QObject
{
    Q_OBJECT

private slots:
    void aChildsReportIsBounded();
    void theDriversReportIsRead();
    void whatIsMissingIsSaid();
    void autoTakesGpus();
    void memoryIsOfTheGpuThatHoldsMost();
    void sharingIsSaid();
    void pathsCarryTheirSpecification();
    void linesThatAreNone();
};

void TestGpus::aChildsReportIsBounded()
{
    QCOMPARE(childReport([](int fd) { writeAll(fd, "all of it\n"); }, std::chrono::seconds(10)),
             std::string("all of it\n"));
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(childReport(
                 [](int fd) {
                     writeAll(fd, "begun");
                     ::pause();
                 },
                 std::chrono::milliseconds(200)),
             std::string("begun"));
    QVERIFY(timer.elapsed() < 5000);
    QCOMPARE(childReport([](int) { ::raise(SIGSEGV); }, std::chrono::seconds(10)), std::string());
}

void TestGpus::theDriversReportIsRead()
{
    const GpuProbe probe = parseGpuReport("driver 13000\n"
                                          "gpu NVIDIA H200\t150754820096\t0000:1b:00.0\t9\t0\n"
                                          "gpu NVIDIA A100 80GB PCIe\t85899345920\t0000:86:00.0\t8\t0\n");
    QVERIFY(!probe.problem);
    QCOMPARE(cudaVersionText(probe.driverCuda), std::string("13.0"));
    QCOMPARE(probe.gpus.size(), std::size_t{2});
    QVERIFY(probe.gpus[1] == (GpuFacts{"NVIDIA A100 80GB PCIe", 85899345920, "0000:86:00.0", 8, 0}));
}

void TestGpus::whatIsMissingIsSaid()
{
    QCOMPARE(parseGpuReport("").problem->text.id, TextId::GpuNoDriver);
    const GpuProbe none = parseGpuReport("driver 12040\nnone no CUDA-capable device is detected\n");
    QCOMPARE(QString::fromStdString(english(none.problem->text)),
             "the NVIDIA driver finds no GPU: no CUDA-capable device is detected");
    QCOMPARE(none.problem->remedy.id, TextId::GpuNoneRemedy);
    // One that cannot be opened does not hide the others.
    const GpuProbe some = parseGpuReport("driver 12040\nnone GPU 0: out of memory\ngpu B\t1\tbus\t9\t0\n");
    QVERIFY(!some.problem && some.gpus.size() == 1);
}

void TestGpus::autoTakesGpus()
{
    QVERIFY(resolvedBackend(Backend::Auto, {}) == Backend::Cpu);
    QVERIFY(resolvedBackend(Backend::Auto, gpus(1)) == Backend::Cuda);
    QVERIFY(resolvedBackend(Backend::Cpu, gpus(1)) == Backend::Cpu);
    QVERIFY(!refuseBackend(Backend::Cuda, gpus(1)));
    QVERIFY(!refuseBackend(Backend::Cpu, {}));
    QVERIFY(refuseBackend(Backend::Cuda, {}));
}

void TestGpus::memoryIsOfTheGpuThatHoldsMost()
{
    QVERIFY(!refuseForGpuMemory(112 * kGiB, 2, gpus(2)));
    QVERIFY(refuseForGpuMemory(113 * kGiB, 2, gpus(2)));
    // Three ranks on two GPUs: the first holds two of them.
    QVERIFY(!refuseForGpuMemory(56 * kGiB, 3, gpus(2)));
    QCOMPARE(textOf(refuseForGpuMemory(60 * kGiB, 3, gpus(2))),
             "2 ranks need about 120 GiB on a GPU that has 140 GiB free; up to 80 % of that may be used");
    auto uneven = gpus(2);
    uneven[1].memoryBytes = 10 * kGiB;
    QCOMPARE(textOf(refuseForGpuMemory(9 * kGiB, 2, uneven)),
             "1 rank needs about 9 GiB on a GPU that has 10 GiB free; up to 80 % of that may be used");
    QVERIFY(!refuseForGpuMemory(9 * kGiB, 1, uneven));
}

void TestGpus::sharingIsSaid()
{
    QVERIFY(!ranksOnGpus(2, 2));
    QCOMPARE(textOf(ranksOnGpus(4, 1)), "ranks share one GPU: times are not those of separate GPUs");
    QCOMPARE(textOf(ranksOnGpus(4, 2)), "4 ranks share 2 GPUs: times are not those of separate GPUs");
    const Machine machine = machineOfGpuRanks({}, 3, gpus(2));
    QCOMPARE(machine.backend, std::string("nccl"));
    QCOMPARE(machine.devices, (std::vector<std::string>{"rank 0: GPU 0, NVIDIA H200", "rank 1: GPU 1, NVIDIA H200",
                                                        "rank 2: GPU 0, NVIDIA H200"}));
    QCOMPARE(machine.notes.size(), std::size_t{1});
    QVERIFY(machineOfGpuRanks({}, 2, gpus(2)).notes.empty());
}

void TestGpus::pathsCarryTheirSpecification()
{
    const auto report = [](const char *links) {
        std::string text;
        for (const char *bus : {"00000000:1B:00.0", "00000000:43:00.0", "00000000:52:00.0"})
            text += "gpu " + std::string(bus) + "\tNVIDIA H100\t85899345920\t80000000000\t0\t1\t5\t16\t" + links + '\n';
        return text;
    };
    const GpuTopology switched = parseGpuTopology(report("18\t4") + "path 0\t1\t50\t18\npath 0\t2\t50\t18\n");
    QCOMPARE(switched.paths.size(), std::size_t{2});
    QCOMPARE(switched.paths[0].word, std::string("NV18"));
    QCOMPARE(switched.paths[0].expectedGBps, 450.0); // H100 SXM: 900 GB/s both ways together
    const GpuTopology pcie = parseGpuTopology(report("0\t0") + "path 0\t1\t10\t0\npath 1\t2\t50\t0\n");
    QCOMPARE(pcie.paths[0].word, std::string("PIX"));
    QCOMPARE(pcie.paths[1].word, std::string("SYS"));
    QVERIFY(std::abs(pcie.paths[1].expectedGBps - 63.0) < 0.1); // PCIe 5.0 x16
    QVERIFY(std::abs(pcieLaneGBps(4) * 16 - 31.5) < 0.1);
    QCOMPARE(nvlinkGBps(3) * 12, 300.0); // A100 SXM
    QCOMPARE(nvlinkGBps(5) * 18, 900.0); // B200
}

void TestGpus::linesThatAreNone()
{
    for (const char *report :
         {"", "gpu", "gpu a\tb", "path 0\t1\t10\t0", "gpu x\ty\nnonsense", "driver x\ngpu \t\t\t\t"}) {
        QVERIFY(parseGpuTopology(report).paths.empty());
        QVERIFY(parseGpuReport(report).gpus.empty());
    }
    // A path needs both its ends; what is unknown is no number.
    const GpuTopology one = parseGpuTopology("gpu bus\tname\t-1\t-1\t-1\t-1\t-1\t-1\t0\t0\npath 0\t1\t10\t0\n");
    QVERIFY(one.gpus.size() == 1 && one.paths.empty());
    const GpuTopology unknown = parseGpuTopology(
        "gpu a\tn\t-1\t-1\t-1\t-1\t-1\t-1\t0\t0\ngpu b\tn\t-1\t-1\t-1\t-1\t-1\t-1\t0\t0\npath 0\t1\t-1\t0\n");
    QVERIFY(unknown.paths[0] == (GpuPath{0, 1, "?", -1}));
}

QTEST_GUILESS_MAIN(TestGpus)
#include "tst_gpus.moc"

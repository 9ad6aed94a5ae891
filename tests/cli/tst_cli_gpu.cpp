// SPDX-License-Identifier: MIT
// What is said where there is no GPU to run on, with a driver that the test stands in for.
#include "tests/cli/engine_program.h"

namespace {

/// A machine as the engine sees it.
QProcessEnvironment machine(const QString &rankHost, const QString &driverFolder = {}, int gpus = 0, int error = 0)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SHARDSCOPE_RANK_HOST_CUDA", rankHost);
    environment.insert("FAKE_GPUS", QString::number(gpus));
    environment.insert("FAKE_CUDA_ERROR", QString::number(error));
    if (!driverFolder.isEmpty())
        environment.insert("LD_LIBRARY_PATH", driverFolder);
    return environment;
}

const QString kNoHost = "/no/such/shardscope-rank-host-cuda";
const QString kSomeHost = "/bin/true"; // there, and the loader finds all that it needs
const QString kSmall = " --hidden 32 --sequence 4 --steps 1 --warmup 0";

QJsonObject findingOf(const QJsonObject &doctor, const QString &area)
{
    for (const QJsonValue &finding : doctor["findings"].toArray())
        if (finding["area"].toString() == area)
            return finding.toObject();
    return {};
}

} // namespace

class TestCliGpu : public QObject
{
    Q_OBJECT

private slots:
    void cudaIsRefusedWithTheReason_data();
    void cudaIsRefusedWithTheReason();
    void autoRunsOnTheCpuAndSaysSo();
    void cpuAsksNoDriver();
    void doctorNamesGpusAndWhatIsMissing();
};

void TestCliGpu::cudaIsRefusedWithTheReason_data()
{
    QTest::addColumn<QProcessEnvironment>("environment");
    QTest::addColumn<QByteArray>("reason");
    QTest::addColumn<QByteArray>("remedy");
    QTest::newRow("no rank host") << machine(kNoHost, FAKE_DRIVER, 2)
                                  << QByteArray("no rank host for GPUs: /no/such/shardscope-rank-host-cuda")
                                  << QByteArray("packaging/setup.sh --cuda");
    QTest::newRow("no GPU") << machine(kSomeHost, FAKE_DRIVER, 0) << QByteArray("finds no GPU: it lists none")
                            << QByteArray("CUDA_VISIBLE_DEVICES");
    QTest::newRow("the driver's words") << machine(kSomeHost, FAKE_DRIVER, 0, 100)
                                        << QByteArray("finds no GPU: no CUDA-capable device is detected")
                                        << QByteArray("nvidia-smi");
    QTest::newRow("a library is missing")
        << machine(NEEDS_LIBRARY, FAKE_DRIVER, 1) << QByteArray("libneeded_by_the_rank_host.so not found")
        << QByteArray("LD_LIBRARY_PATH");
}

void TestCliGpu::cudaIsRefusedWithTheReason()
{
    QFETCH(QProcessEnvironment, environment);
    QFETCH(QByteArray, reason);
    QFETCH(QByteArray, remedy);
    const ProgramResult result = engine("run --backend cuda" + kSmall, environment);
    QCOMPARE(result.status, 2);
    QVERIFY2(isOneLine(result), result.err.constData());
    QVERIFY2(result.err.contains("--backend cuda: "), result.err.constData());
    QVERIFY2(result.err.contains(reason), result.err.constData());
    QVERIFY2(result.err.contains(remedy), result.err.constData());
    QVERIFY2(result.err.contains("--backend cpu"), result.err.constData());
}

void TestCliGpu::autoRunsOnTheCpuAndSaysSo()
{
    const ProgramResult result =
        engine("run --backend auto --format json" + kSmall, machine(kSomeHost, FAKE_DRIVER, 0, 100));
    QVERIFY2(result.status == 0, result.err.constData());
    QCOMPARE(result.json()["machine"]["backend"].toString(), QString("gloo"));
    QCOMPARE(result.json()["experiment"]["backend"].toString(), QString("cpu"));
    const QString notes = result.json()["machine"]["notes"].toVariant().toStringList().join('\n');
    QVERIFY2(notes.contains("No GPU is used, the ranks run on the CPU"), qPrintable(notes));
    QVERIFY2(notes.contains("no CUDA-capable device is detected"), qPrintable(notes));
    // A build that has no rank host for GPUs has nothing to explain.
    const ProgramResult plain = engine("run --format json" + kSmall, machine(kNoHost, FAKE_DRIVER, 1));
    const QString plainNotes = plain.json()["machine"]["notes"].toVariant().toStringList().join('\n');
    QVERIFY2(!plainNotes.contains("GPU is used"), qPrintable(plainNotes));
}

void TestCliGpu::cpuAsksNoDriver()
{
    const ProgramResult result = engine("run --backend cpu --format json" + kSmall, machine(kSomeHost, FAKE_DRIVER, 1));
    QVERIFY2(result.status == 0, result.err.constData());
    QCOMPARE(result.json()["machine"]["backend"].toString(), QString("gloo"));
    const QString notes = result.json()["machine"]["notes"].toVariant().toStringList().join('\n');
    QVERIFY2(!notes.contains("GPU is used"), qPrintable(notes));
}

void TestCliGpu::doctorNamesGpusAndWhatIsMissing()
{
    const ProgramResult two = engine("doctor --format json", machine(kNoHost, FAKE_DRIVER, 2));
    QCOMPARE(two.status, 0);
    QCOMPARE(findingOf(two.json(), "GPU driver")["found"].toString(), QString("knows CUDA up to 12.8"));
    QCOMPARE(findingOf(two.json(), "GPU 1")["found"].toString(),
             QString("Fake GPU B, 8 GiB, compute capability 9.0, PCI 0000:02:00.0"));
    QCOMPARE(findingOf(two.json(), "GPU rank host")["state"].toString(), QString("note"));
    QVERIFY(findingOf(two.json(), "GPU rank host")["remedy"].toString().contains("setup.sh --cuda"));

    const ProgramResult broken = engine("doctor --format json", machine(NEEDS_LIBRARY));
    QCOMPARE(broken.status, 0);
    QCOMPARE(findingOf(broken.json(), "GPU rank host")["state"].toString(), QString("problem"));
    QVERIFY(findingOf(broken.json(), "GPU rank host")["cause"].toString().contains("libneeded_by_the_rank_host.so"));
}

QTEST_GUILESS_MAIN(TestCliGpu)
#include "tst_cli_gpu.moc"

// SPDX-License-Identifier: MIT
// Ranks that die, runs that are cancelled, hosts that are missing: told in one line, and nothing is left behind.
#include "tests/cli/engine_program.h"

#include <QTemporaryDir>
#include <csignal>

namespace {

/// Numbers of the processes whose ancestor is `root`, by what /proc says.
QList<qint64> descendantsOf(qint64 root)
{
    QMultiHash<qint64, qint64> children;
    for (const QString &entry : QDir("/proc").entryList(QDir::Dirs)) {
        QFile stat("/proc/" + entry + "/stat");
        if (!entry[0].isDigit() || !stat.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = stat.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        // A process that ends between opening and reading leaves nothing to read.
        if (fields.size() > 1 && fields[0] != "Z")
            children.insert(fields[1].toLongLong(), entry.toLongLong());
    }
    QList<qint64> found;
    QList<qint64> open;
    if (root > 0) // 0: it has ended, and every process descends from 0
        open.append(root);
    while (!open.isEmpty()) {
        for (const qint64 child : children.values(open.takeFirst())) {
            found.append(child);
            open.append(child);
        }
    }
    return found;
}

QByteArray nameOf(qint64 pid)
{
    QFile file(QString("/proc/%1/comm").arg(pid));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
}

bool anyAlive(const QList<qint64> &pids)
{
    return std::any_of(pids.begin(), pids.end(), [](qint64 pid) {
        QFile stat(QString("/proc/%1/stat").arg(pid));
        return stat.open(QIODevice::ReadOnly) && !stat.readAll().contains(") Z ");
    });
}

qint64 bytesWrittenBy(qint64 pid)
{
    QFile file(QString("/proc/%1/io").arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray text = file.readAll();
    const qsizetype begin = text.indexOf("wchar: ") + 7;
    return text.mid(begin, text.indexOf('\n', begin) - begin).toLongLong();
}

/// A run that goes on until something ends it.
class LongRun
{
public:
    explicit LongRun(const QString &words = "--ranks 3")
    {
        m_process.start(QStringLiteral(ENGINE_PROGRAM),
                        ("run " + words + " --hidden 192 --sequence 16 --steps 100000").split(' '));
        m_process.waitForStarted();
    }

    /// Waits until the ranks are in the midst of it: a rank writes its events after each step.
    [[nodiscard]] bool isUnderWay()
    {
        constexpr qint64 kSomeSteps = 16384;
        return QTest::qWaitFor([this] { return rank(2) > 0 && bytesWrittenBy(rank(1)) > kSomeSteps; }, 60000);
    }

    [[nodiscard]] qint64 rank(int number)
    {
        m_family = descendantsOf(m_process.processId());
        for (const qint64 pid : std::as_const(m_family)) {
            if (nameOf(pid) == "shardscope-r" + QByteArray::number(number))
                return pid;
        }
        return 0;
    }

    QProcess &process() { return m_process; }
    [[nodiscard]] const QList<qint64> &family() const { return m_family; }

private:
    QProcess m_process;
    QList<qint64> m_family;
};

} // namespace

class TestCliFaults : public QObject
{
    Q_OBJECT

private slots:
    /// Ranks that compute while a collective goes on, that meet in groups along two axes, and that are stages.
    void aKilledRankIsTold_data()
    {
        QTest::addColumn<QString>("words");
        QTest::newRow("one axis") << "--ranks 3";
        QTest::newRow("overlapped") << "--ranks 3 --overlap on --layers 2";
        QTest::newRow("grouped") << "--mesh tp=2,dp=2 --zero 1";
        QTest::newRow("staged") << "--scheme pipeline --ranks 3 --micro-batches 4";
    }

    void aKilledRankIsTold()
    {
        QFETCH(QString, words);
        LongRun run(words);
        QVERIFY(run.isUnderWay());
        QCOMPARE(::kill(static_cast<pid_t>(run.rank(1)), SIGKILL), 0);
        QVERIFY(run.process().waitForFinished(20000));
        QCOMPARE(run.process().exitCode(), 4);
        const QByteArray err = run.process().readAllStandardError();
        QCOMPARE(err.count('\n'), 1);
        QVERIFY2(err.contains("rank 1") && err.contains("SIGKILL") && err.contains("run again"), err.constData());
        QVERIFY(QTest::qWaitFor([&] { return !anyAlive(run.family()); }, 2000));
        QCOMPARE(engine("run " + words + " --hidden 192 --steps 2").status, 0);
    }

    void aStoppedRankIsTold_data() { aKilledRankIsTold_data(); }

    void aStoppedRankIsTold()
    {
        QFETCH(QString, words);
        LongRun run(words + " --timeout 1");
        QVERIFY(run.isUnderWay());
        QCOMPARE(::kill(static_cast<pid_t>(run.rank(1)), SIGSTOP), 0);
        QVERIFY(run.process().waitForFinished(20000));
        QCOMPARE(run.process().exitCode(), 4);
        const QByteArray err = run.process().readAllStandardError();
        QCOMPARE(err.count('\n'), 1);
        QVERIFY2(err.contains("rank 1 is stopped (SIGSTOP)") && err.contains("--timeout"), err.constData());
        QVERIFY(QTest::qWaitFor([&] { return !anyAlive(run.family()); }, 2000));
    }

    void controlCCancelsWithoutLeftovers()
    {
        LongRun run;
        QVERIFY(run.isUnderWay());
        QVERIFY(run.process().processId() > 0);
        ::kill(static_cast<pid_t>(run.process().processId()), SIGINT);
        QVERIFY(run.process().waitForFinished(20000));
        QCOMPARE(run.process().exitStatus(), QProcess::NormalExit);
        QCOMPARE(run.process().exitCode(), 130);
        QVERIFY(QTest::qWaitFor([&] { return !anyAlive(run.family()); }, 2000));
    }

    /// While its first child is there (a look at the BLAS, or the host that starts) and while ranks run.
    void controlCEndsTheDoctor_data()
    {
        QTest::addColumn<int>("family");
        QTest::newRow("first child") << 1;
        QTest::newRow("ranks are there") << 3;
    }

    void controlCEndsTheDoctor()
    {
        QFETCH(int, family);
        QProcess process;
        process.start(QStringLiteral(ENGINE_PROGRAM), {"doctor"});
        QVERIFY(process.waitForStarted());
        QList<qint64> left;
        QVERIFY(QTest::qWaitFor(
            [&] {
                left = descendantsOf(process.processId());
                return left.size() >= family;
            },
            60000));
        QVERIFY(process.processId() > 0);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(process.readAllStandardOutput().isEmpty());
        QVERIFY(QTest::qWaitFor([&] { return !anyAlive(left); }, 2000));
    }

    void aKilledEngineLeavesNothing()
    {
        LongRun run;
        QVERIFY(run.isUnderWay());
        run.process().kill();
        QVERIFY(run.process().waitForFinished(20000));
        QVERIFY(QTest::qWaitFor([&] { return !anyAlive(run.family()); }, 2000));
    }

    void aCancelledSweepLeavesNoFile()
    {
        QTemporaryDir folder;
        QProcess process;
        process.start(
            QStringLiteral(ENGINE_PROGRAM),
            ("sweep --ranks 2 --hidden 192 --steps 50000,50001 --format csv --output " + folder.filePath("rows.csv"))
                .split(' '));
        QVERIFY(process.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return descendantsOf(process.processId()).size() >= 3; }, 60000));
        QVERIFY(process.processId() > 0);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(20000));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void aKilledSweepSaysWhatItLeaves()
    {
        QTemporaryDir folder;
        QProcess process;
        process.start(
            QStringLiteral(ENGINE_PROGRAM),
            ("sweep --ranks 2 --hidden 192 --steps 50000 --output " + folder.filePath("rows.csv")).split(' '));
        QVERIFY(process.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return descendantsOf(process.processId()).size() >= 3; }, 60000));
        process.kill();
        QVERIFY(process.waitForFinished(20000));
        const QStringList left = QDir(folder.path()).entryList(QDir::Files | QDir::Hidden);
        QCOMPARE(left.size(), 1);
        QVERIFY2(left.front().startsWith("rows.csv.unfinished-"), qPrintable(left.front()));
    }

    /// The second point waits for a rank that is later than its timeout allows.
    void aFailedPointKeepsTheOthers()
    {
        const ProgramResult result =
            engine("sweep --ranks 2 --hidden 64 --delay 1:300 --steps 2 --warmup 0 --timeout 10,0.001");
        QCOMPARE(result.status, 4);
        QVERIFY2(result.out.contains("measured on ") && result.out.contains("training"), result.out.constData());
        QCOMPARE(result.err.count('\n'), 1);
    }

    void aMissingHostIsNamed()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("SHARDSCOPE_RANK_HOST", "/no/such/host");
        for (const char *words : {"run", "selftest", "bandwidth", "serve", "predict"}) {
            const ProgramResult result = engine(words, environment);
            QCOMPARE(result.status, 4);
            QVERIFY2(isOneLine(result) && result.err.contains("/no/such/host"), result.err.constData());
        }
        // The doctor tells it as a finding.
        const ProgramResult doctor = engine("doctor", environment);
        QCOMPARE(doctor.status, 0);
        QVERIFY(doctor.out.contains("/no/such/host"));
        QVERIFY2(doctor.out.contains("remedy: build it"), doctor.out.constData());
    }

    void selftestPassesFaultsIncluded()
    {
        QProcess process;
        process.start(QStringLiteral(ENGINE_PROGRAM), {"selftest", "--faults"});
        QVERIFY(process.waitForFinished(280000));
        const QByteArray out = process.readAllStandardOutput();
        QVERIFY2(process.exitCode() == 0, (out + process.readAllStandardError()).constData());
        QVERIFY(out.contains("all passed"));
        QVERIFY(out.contains("a rank is killed"));
    }
};

QTEST_GUILESS_MAIN(TestCliFaults)
#include "tst_cli_faults.moc"

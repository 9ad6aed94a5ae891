// SPDX-License-Identifier: MIT
// What surrounds the program: signals, pipes, closed streams, limits, launchers, files of other kinds.
#include "tests/cli/engine_program.h"

#include <QTemporaryDir>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

const QString kSmall = "run --ranks 2 --hidden 64 --batch 1 --steps 2 --warmup 0";

/// A command of a shell, in which $E is the engine.
ProgramResult shell(const QString &command)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("E", ENGINE_PROGRAM);
    process.setProcessEnvironment(environment);
    process.start("/bin/sh", {"-c", command});
    if (!process.waitForFinished(60000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TestCliSurroundings : public QObject
{
    Q_OBJECT

private slots:
    void init() { QVERIFY(m_folder.isValid()); }

    void interruptsEndAWriteThatNobodyReads_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl-C") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGHUP") << SIGHUP;
    }

    /// A pipe holds 64 KiB: the stream of 300 steps is larger.
    void interruptsEndAWriteThatNobodyReads()
    {
        QFETCH(int, signal);
        const QString fifo = m_folder.filePath("full");
        ::mkfifo(qPrintable(fifo), 0600);
        const int reader = ::open(qPrintable(fifo), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        QProcess process;
        process.start(QStringLiteral(ENGINE_PROGRAM),
                      QString("run --ranks 2 --hidden 64 --steps 300 --format jsonl --output " + fifo).split(' '));
        QVERIFY(process.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return isBlockedInWrite(process.processId()); }, 60000));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
        QVERIFY(process.waitForFinished(5000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(process.readAllStandardError(), QByteArray("shardscope-engine: cancelled\n"));
        ::close(reader);
    }

    void interruptsEndWaitingForAReader()
    {
        const QString fifo = m_folder.filePath("unread");
        QCOMPARE(::mkfifo(qPrintable(fifo), 0600), 0);
        QProcess process;
        process.setReadChannel(QProcess::StandardError);
        process.start(QStringLiteral(ENGINE_PROGRAM), {"plan", "--output", fifo});
        QVERIFY(process.waitForReadyRead(10000));
        QVERIFY(process.readAllStandardError().contains("waiting for somebody to read"));
        QTest::qWait(100);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(5000));
        QCOMPARE(process.exitCode(), 130);
    }

    void onlyFilesAndPipesAreShown_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QByteArray>("says");
        const QString fifo = m_folder.filePath("unwritten");
        ::mkfifo(qPrintable(fifo), 0600);
        QTest::newRow("device") << "/dev/zero" << QByteArray("neither a file nor a pipe");
        QTest::newRow("folder") << m_folder.path() << QByteArray("is a directory");
        QTest::newRow("nobody writes") << fifo << QByteArray("nobody writes to this pipe");
    }

    void onlyFilesAndPipesAreShown()
    {
        QFETCH(QString, path);
        QFETCH(QByteArray, says);
        const ProgramResult shown = engine("show " + path);
        QCOMPARE(shown.status, 2);
        QVERIFY2(isOneLine(shown) && shown.err.contains(says), shown.err.constData());
    }

    void aPipeIsShown()
    {
        const QString path = m_folder.filePath("piped.shardscope");
        QCOMPARE(engine("predict --hardware a100-8 --format jsonl --output " + path).status, 0);
        const QByteArray expected = engine("show " + path + " --format json").out;
        QCOMPARE(shell("(sleep 0.3; cat " + path + ") | $E show /dev/stdin --format json").out, expected);
        const ProgramResult endless = shell("cat /dev/zero | $E show /dev/stdin");
        QCOMPARE(endless.status, 2);
        QVERIFY2(endless.err.contains("binary data"), endless.err.constData());
    }

    void anotherDocumentIsNamed()
    {
        const QString path = m_folder.filePath("document.json");
        QCOMPARE(engine("predict --hardware a100-8 --format json --output " + path).status, 0);
        const ProgramResult shown = engine("show " + path);
        QCOMPARE(shown.status, 2);
        QVERIFY2(isOneLine(shown) && shown.err.contains("is a JSON document, not a recording"), shown.err.constData());
    }

    /// Cut off anywhere before its end: nothing that is left says that it passed.
    void aCutRecordingDoesNotPass()
    {
        const QString path = m_folder.filePath("measured.shardscope");
        QCOMPARE(engine(kSmall + " --format jsonl --output " + path).status, 0);
        const ProgramResult whole = engine("show " + path + " --format csv");
        QCOMPARE(whole.status, 0);
        QVERIFY(whole.out.trimmed().endsWith(",true"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        for (const qsizetype kept : {qsizetype{3}, lines.size() / 2, lines.size() - 1}) {
            const QString cut = m_folder.filePath("cut.shardscope");
            QFile part(cut);
            QVERIFY(part.open(QIODevice::WriteOnly));
            part.write(lines.mid(0, kept).join('\n') + '\n');
            part.close();
            const ProgramResult shown = engine("show " + cut + " --format csv");
            QCOMPARE(shown.status, 3);
            QVERIFY2(shown.out.trimmed().endsWith(",false"), shown.out.constData());
            QVERIFY2(shown.err.contains("checked"), shown.err.constData());
        }
    }

    void closedStreamsAreNamed()
    {
        const ProgramResult closed = shell("$E " + kSmall + " >&-");
        QCOMPARE(closed.status, 2);
        QVERIFY2(isOneLine(closed) && closed.err.contains("stdout: closed"), closed.err.constData());
        QCOMPARE(shell("$E serve >&- </dev/null").status, 2);
        // No socket of the ranks takes the number of a stream that is not there.
        const ProgramResult others = shell("$E " + kSmall + " --format csv <&- 2>&-");
        QCOMPARE(others.status, 0);
        QVERIFY(others.out.trimmed().endsWith(",true"));
    }

    void limitsAreNamedByTheirOption()
    {
        const ProgramResult ranks = shell("ulimit -n 64; $E run --ranks 32 --hidden 64 --steps 2");
        QCOMPARE(ranks.status, 4);
        QVERIFY2(ranks.err.contains("ulimit -n"), ranks.err.constData());
        const ProgramResult host = shell("ulimit -n 6; $E " + kSmall);
        QCOMPARE(host.status, 4);
        QVERIFY2(host.err.contains("ulimit -n") && !host.err.contains("build it"), host.err.constData());
    }

    void aDelayIsNamed()
    {
        const ProgramResult late = engine(kSmall + " --delay 1:20");
        QCOMPARE(late.status, 0);
        QVERIFY2(late.out.contains("rank 1 is made late by 20 ms"), late.out.constData());
        const ProgramResult tooLate = engine(kSmall + " --delay 1:2000 --timeout 1");
        QCOMPARE(tooLate.status, 4);
        QVERIFY2(tooLate.err.contains("--delay 1:2000") && tooLate.err.contains("shorter --delay"),
                 tooLate.err.constData());
    }

    void threadsAreOfThisMachine()
    {
        const ProgramResult result = engine(kSmall + " --threads 1000");
        QCOMPARE(result.status, 2);
        QVERIFY2(isOneLine(result) && result.err.contains("--threads 1000: "), result.err.constData());
    }

    /// What launchers start is tested in tests/launch; here, that half of their variables is refused, and only by
    /// what would join.
    void halfOfALauncherIsRefused()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("RANK", "0");
        const ProgramResult result = engine(kSmall, environment);
        QCOMPARE(result.status, 2);
        QVERIFY2(isOneLine(result) && result.err.contains("unset RANK"), result.err.constData());
        QCOMPARE(engine("plan", environment).status, 0); // starts no ranks
    }

    void optionsAreSpelledAsGiven()
    {
        QVERIFY(engine("run -n 2").err.startsWith("shardscope-engine: -n: no such option"));
        QVERIFY(engine("run --rank 2").err.contains("--rank: no such option; did you mean --ranks?"));
    }

private:
    /// By what the kernel says that the process waits in: "1 0x3 ..." is write().
    static bool isBlockedInWrite(qint64 pid)
    {
        QFile call(QString("/proc/%1/syscall").arg(pid));
        if (!call.open(QIODevice::ReadOnly))
            return QTest::qWaitFor([] { return false; }, 3000) || true; // not told here: long enough
        return call.readAll().startsWith("1 ");
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestCliSurroundings)
#include "tst_cli_surroundings.moc"

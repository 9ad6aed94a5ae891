// SPDX-License-Identifier: MIT
// Files: written whole or not at all, opened again, also when they were cut off.
#include "tests/cli/engine_program.h"

#include <QTemporaryDir>

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

/// Two predictions say the same, but not that they took equally long.
QByteArray withoutElapsed(const QByteArray &document)
{
    QByteArrayList lines = document.split('\n');
    lines.removeIf([](const QByteArray &line) { return line.contains("\"elapsed_ms\""); });
    return lines.join('\n');
}

} // namespace

class TestCliFiles : public QObject
{
    Q_OBJECT

private slots:
    void init() { QVERIFY(m_folder.isValid()); }

    void outputIsWhatStdoutWouldBe()
    {
        const QString path = m_folder.filePath("predicted.json");
        const ProgramResult result = engine("predict --hardware h100-8 --format json --output " + path);
        QCOMPARE(result.status, 0);
        QVERIFY(result.out.isEmpty());
        QCOMPARE(withoutElapsed(contentOf(path)),
                 withoutElapsed(engine("predict --hardware h100-8 --format json").out));
    }

    void aFullDiskIsToldAndLeavesNothing()
    {
        const ProgramResult result = engine("plan --output /dev/full");
        QCOMPARE(result.status, 4);
        QVERIFY2(isOneLine(result), result.err.constData());
        QVERIFY(result.err.contains("No space left"));
    }

    /// stdout too: a result that nobody got is no success.
    void aFullStdoutIsTold()
    {
        QProcess process;
        process.setStandardOutputFile("/dev/full");
        process.start(QStringLiteral(ENGINE_PROGRAM), {"plan"});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 4);
    }

    void aFailedCommandLeavesTheOldFile()
    {
        const QString path = m_folder.filePath("old.txt");
        write(path, "precious");
        QCOMPARE(engine("show " + m_folder.filePath("missing") + " --output " + path).status, 2);
        QCOMPARE(contentOf(path), QByteArray("precious"));
        QCOMPARE(engine("plan --output " + path).status, 0);
        QVERIFY(contentOf(path) != "precious");
    }

    void noTemporaryFileStays()
    {
        QTemporaryDir folder;
        QCOMPARE(engine("plan --output " + folder.filePath("plan.txt")).status, 0);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"plan.txt"});
    }

    void aSavedRunIsShownAsRecorded()
    {
        const QString path = savedRun();
        const ProgramResult shown = engine("show " + path + " --format json");
        QCOMPARE(shown.status, 0);
        QCOMPARE(shown.json()["source"].toString(), QString("recorded"));
        QCOMPARE(shown.json()["collectives"][0]["payload_bytes"].toInteger(), 1048576);
        for (const char *format : {"table", "jsonl", "csv", "trace"}) {
            const ProgramResult other = engine("show " + path + " --format " + format);
            QCOMPARE(other.status, 0);
            QVERIFY(!other.out.isEmpty());
            QVERIFY(other.err.isEmpty());
        }
    }

    void severalRunsInOneFile()
    {
        const QString path = m_folder.filePath("several.shardscope");
        QCOMPARE(engine("compare --hardware a100-8 --format jsonl --output " + path).status, 0);
        const QJsonArray runs = QJsonDocument::fromJson(engine("show " + path + " --format json").out).array();
        QCOMPARE(runs.size(), 3);
        QCOMPARE(runs[2]["experiment"]["phase"].toString(), QString("decode"));
        QCOMPARE(engine("show " + path + " --format csv").lines().size(), 4);
    }

    void aCutOffFileOpensUpToItsLastWholeRecord()
    {
        const QString path = m_folder.filePath("cut.shardscope");
        QByteArray bytes = contentOf(savedRun());
        bytes.chop(bytes.size() / 3);
        write(path, bytes);
        const ProgramResult shown = engine("show " + path + " --format json");
        QCOMPARE(shown.status == 0 || shown.status == 3, true);
        QCOMPARE(shown.json()["source"].toString(), QString("recorded"));
        QVERIFY2(shown.err.contains("cut off"), shown.err.constData());
    }

    void foreignFilesAreRefusedInOneLine()
    {
        const QString path = m_folder.filePath("foreign");
        for (const QByteArray &bytes : {QByteArray(), QByteArray("{}"), QByteArray("\0\1\2\3", 4),
                                        QByteArray("{\"event\":\"span\"}\n"), QByteArray("GIF89a")}) {
            write(path, bytes);
            const ProgramResult shown = engine("show " + path);
            QCOMPARE(shown.status, 2);
            QVERIFY2(isOneLine(shown), shown.err.constData());
        }
    }

    void manyBadLinesAreCounted()
    {
        const QString path = m_folder.filePath("many");
        write(path, QByteArray("{\"kind\":\"iteration\"}\n").repeated(1000) + contentOf(savedRun()));
        const ProgramResult shown = engine("show " + path);
        QCOMPARE(shown.status, 0);
        QCOMPARE(shown.err.count('\n'), 6);
        QVERIFY2(shown.err.contains("line 1: ") && shown.err.contains("995 more lines"), shown.err.constData());
    }

    /// Records of a fifth rank in a run of four.
    void impossibleRecordsAreTold()
    {
        const QString path = m_folder.filePath("impossible.shardscope");
        QByteArray bytes = contentOf(savedRun());
        const qsizetype records = bytes.count("\"rank\":3,");
        write(path, bytes.replace("\"rank\":3,", "\"rank\":4,"));
        const QByteArray count = QByteArray::number(records) + " records that cannot be";
        const ProgramResult table = engine("show " + path);
        QVERIFY2(table.out.contains(count) && table.err.contains(count), table.err.constData());
        QVERIFY(engine("show " + path + " --format json").err.contains(count));
        // Without them no step is whole: that nothing was counted is said, not that something differs.
        QCOMPARE(table.status, 3);
        QVERIFY2(table.err.contains("no timed step is whole"), table.err.constData());
    }

    void anEndThatWasNoneIsTold_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("missing") << QByteArray() << QByteArray("stops before the run ended");
        QTest::newRow("cancelled") << QByteArray("{\"kind\":\"end\",\"id\":\"1\",\"status\":\"cancelled\"}\n")
                                   << QByteArray("the run was cancelled");
        QTest::newRow("failed") << QByteArray("{\"kind\":\"end\",\"id\":\"1\",\"status\":\"failed\"}\n")
                                << QByteArray("the run failed");
    }

    void anEndThatWasNoneIsTold()
    {
        QFETCH(QByteArray, end);
        QFETCH(QByteArray, says);
        const QString path = m_folder.filePath("unfinished.shardscope");
        const QByteArray bytes = contentOf(savedRun());
        write(path, bytes.left(bytes.lastIndexOf("{\"kind\":\"end\"")) + end);
        const ProgramResult shown = engine("show " + path);
        QVERIFY2(shown.out.contains(says + "; timed steps that are whole: 1"), shown.out.constData());
        QVERIFY(shown.err.contains(says));
    }

    void aLinkLeadsToTheFile()
    {
        const QString target = m_folder.filePath("target.txt");
        const QString link = m_folder.filePath("link.txt");
        write(target, "old");
        QVERIFY(QFile::setPermissions(target, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(QFile::link(target, link));
        QCOMPARE(engine("plan --output " + link).status, 0);
        QVERIFY(QFileInfo(link).isSymLink());
        QVERIFY(contentOf(target).startsWith("Plan: "));
        const QFile::Permissions others = QFile::ReadGroup | QFile::ReadOther;
        QVERIFY(!(QFile::permissions(target) & others)); // as private as it was
    }

    void traceIsJsonForPerfetto()
    {
        const QJsonObject trace = engine("predict --hardware a100-8 --ranks 4 --format trace").json();
        QVERIFY(trace["traceEvents"].toArray().size() > 4);
    }

private:
    QString savedRun()
    {
        const QString path = m_folder.filePath("saved.shardscope");
        if (!QFile::exists(path))
            engine("predict --hardware a100-8 --ranks 4 --algorithm ring --format jsonl --output " + path);
        return path;
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestCliFiles)
#include "tst_cli_files.moc"

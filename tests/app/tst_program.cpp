// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a black box, on the fake engine.
#include "engine/record/run.h"
#include "engine/simulate/simulate.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <cstring>

using namespace shardscope;

namespace {

struct Outcome {
    int exitCode = -1;
    QString error;
    QString output;
};

Outcome runProgram(const QStringList &words, const QByteArray &mode = {}, bool display = false)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("SHARDSCOPE_FAKE_MODE"), QString::fromLatin1(mode));
    for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        environment.remove(QString::fromLatin1(name));
    if (display)
        environment.insert(QStringLiteral("DISPLAY"), QStringLiteral(":4711"));
    process.setProcessEnvironment(environment);
    const bool named = words.contains(QStringLiteral("--engine"));
    process.start(QStringLiteral(SHARDSCOPE_PROGRAM),
                  words + (named ? QStringList()
                                 : QStringList{QStringLiteral("--engine"), QStringLiteral(SHARDSCOPE_FAKE_ENGINE)}));
    if (!process.waitForFinished(60000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardError()), QString::fromUtf8(process.readAllStandardOutput())};
}

} // namespace

class TestProgram : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void exportsWithNoDisplayAtAll_data()
    {
        QTest::addColumn<QString>("view");
        for (const char *view : {"diagram", "derivation", "timeline", "comparison", "window", "phases", "traffic",
                                 "crossover", "low-load", "scaling", "bug-lab", "rates", "hardware"})
            QTest::newRow(view) << QString::fromLatin1(view);
    }
    void exportsWithNoDisplayAtAll()
    {
        QFETCH(QString, view);
        const QString file = m_folder.filePath(view + QStringLiteral(".png"));
        const Outcome outcome =
            runProgram({QStringLiteral("--export"), view, QStringLiteral("--output"), file, QStringLiteral("--size"),
                        QStringLiteral("1000x700"), QStringLiteral("--ranks"), QStringLiteral("4")});
        QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error));
        QCOMPARE(outcome.error, QString());
        QCOMPARE(QImage(file).size(), QSize(1000, 700));
    }

    /// A step by its number, its derivation as a slide; what the plan does not have is refused before anything runs.
    void aStepIsNamedByItsNumber()
    {
        const auto drawn = [&](const QString &view, const QStringList &place) {
            const QString file = m_folder.filePath(QStringLiteral("step.svg"));
            const QStringList words{QStringLiteral("--export"), view,
                                    QStringLiteral("--output"), file,
                                    QStringLiteral("--ranks"),  QStringLiteral("4"),
                                    QStringLiteral("--scheme"), QStringLiteral("row")};
            const Outcome outcome = runProgram(words + place);
            if (outcome.exitCode != 0)
                return QString::number(outcome.exitCode) + outcome.error;
            QFile picture(file);
            return picture.open(QIODevice::ReadOnly) ? QString::fromUtf8(picture.readAll()) : QString();
        };
        const QStringList second{QStringLiteral("--step"), QStringLiteral("2")};
        const QString diagram = drawn(QStringLiteral("diagram"), second);
        QVERIFY2(diagram.contains(QStringLiteral("step 2 of ")), qPrintable(diagram.left(300)));
        const QString why = drawn(QStringLiteral("derivation"), second);
        QVERIFY2(why.contains(QStringLiteral("step 2 of ")) && why.contains(QStringLiteral("Sent by each rank")),
                 qPrintable(why.left(300)));
        const QString beyond = drawn(QStringLiteral("derivation"), {QStringLiteral("--step"), QStringLiteral("99")});
        QVERIFY2(beyond.startsWith(QStringLiteral("2shardscope: --step 99: allowed: 1 to ")), qPrintable(beyond));
        const QString late = drawn(QStringLiteral("diagram"), {QStringLiteral("--at"), QStringLiteral("999")});
        QVERIFY2(late.startsWith(QStringLiteral("2shardscope: --at 999: allowed: 0 to ")), qPrintable(late));
    }

    /// What a preset is asked for is predicted: an engine that fails is not needed, and no minute is waited for.
    void aPresetRunsNothing_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("scheme");
        for (const char *view : {"timeline", "comparison", "low-load", "crossover"})
            QTest::newRow(view) << QString::fromLatin1(view) << QStringLiteral("mlp");
        for (const char *view : {"timeline", "diagram"})
            QTest::addRow("%s of a bug", view) << QString::fromLatin1(view) << QStringLiteral("bug:naive-exercise");
    }
    void aPresetRunsNothing()
    {
        QFETCH(QString, view);
        QFETCH(QString, scheme);
        const QString file = m_folder.filePath(view + QStringLiteral("-preset.svg"));
        const QStringList words{QStringLiteral("--export"), view, QStringLiteral("--scheme"), scheme,
                                QStringLiteral("--output"), file, QStringLiteral("--ranks"),  QStringLiteral("4")};
        const QStringList preset{QStringLiteral("--hardware"), QStringLiteral("h100-8")};
        const Outcome outcome = runProgram(words + preset, QByteArray("fail"));
        QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error));
        QCOMPARE(outcome.error, QString());
        QFile picture(file);
        QVERIFY(picture.open(QIODevice::ReadOnly));
        QVERIFY(QString::fromUtf8(picture.readAll()).contains(QStringLiteral("H100")));
        const Outcome measured =
            runProgram(words + QStringList{QStringLiteral("--hardware"), QStringLiteral("this")}, QByteArray("fail"));
        QCOMPARE(measured.exitCode, 4);
    }

    void exitCodesFollowTheContract_data()
    {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<bool>("picture");
        QTest::newRow("a failed check still gives the picture") << QByteArray("check") << 3 << true;
        QTest::newRow("a failed run") << QByteArray("fail") << 4 << false;
        QTest::newRow("an engine that dies") << QByteArray("crash") << 4 << false;
    }
    void exitCodesFollowTheContract()
    {
        QFETCH(QByteArray, mode);
        QFETCH(int, exitCode);
        QFETCH(bool, picture);
        const QString file = m_folder.filePath(QString::fromLatin1(mode) + QStringLiteral(".svg"));
        const Outcome outcome = runProgram(
            {QStringLiteral("--export"), QStringLiteral("timeline"), QStringLiteral("--output"), file}, mode);
        QCOMPARE(outcome.exitCode, exitCode);
        QCOMPARE(outcome.error.count(QLatin1Char('\n')), 1);
        QCOMPARE(QFile::exists(file), picture);
    }

    void moreRanksThanRunArePredictedAndSaid()
    {
        const QString file = m_folder.filePath(QStringLiteral("many.png"));
        const Outcome outcome =
            runProgram({QStringLiteral("--export"), QStringLiteral("diagram"), QStringLiteral("--output"), file,
                        QStringLiteral("--ranks"), QStringLiteral("64")});
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(outcome.error.contains(QStringLiteral("64 ranks")));
        QCOMPARE(QImage(file).size(), QSize(1920, 1080));
    }

    void moreRanksThanRunArePredictedForThisMachine()
    {
        const QString file = m_folder.filePath(QStringLiteral("many.svg"));
        const QStringList words{QStringLiteral("--export"), QStringLiteral("timeline"),
                                QStringLiteral("--output"), file,
                                QStringLiteral("--ranks"),  QStringLiteral("64")};
        const auto drawn = [&] {
            QFile picture(file);
            return picture.open(QIODevice::ReadOnly) ? QString::fromUtf8(picture.readAll()) : QString();
        };
        QCOMPARE(runProgram(words).exitCode, 0);
        QVERIFY(drawn().contains(QStringLiteral("this machine")));
        QVERIFY(!drawn().contains(QStringLiteral("H100")));
        // Without an engine nothing can be measured; the picture says for which machine it is.
        const Outcome alone =
            runProgram(words + QStringList{QStringLiteral("--engine"), QStringLiteral("/nonexistent")});
        QCOMPARE(alone.exitCode, 0);
        QVERIFY(drawn().contains(QStringLiteral("H100")));
    }

    void badArgumentsAreOneLine()
    {
        const Outcome outcome = runProgram({QStringLiteral("--ranks"), QStringLiteral("0")});
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.error.count(QLatin1Char('\n')), 1);
        QVERIFY(outcome.error.startsWith(QStringLiteral("shardscope: --ranks 0")));
    }

    void aFileThatIsNotThere()
    {
        const Outcome outcome =
            runProgram({QStringLiteral("no.shardscope"), QStringLiteral("--export"), QStringLiteral("timeline"),
                        QStringLiteral("--output"), m_folder.filePath(QStringLiteral("a.png"))});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.error.contains(QStringLiteral("no.shardscope")));
    }

    void aFileWithoutEndIsRefused()
    {
        const QString pipe = m_folder.filePath(QStringLiteral("pipe"));
        QCOMPARE(QProcess::execute(QStringLiteral("mkfifo"), {pipe}), 0);
        for (const QString &file : {QStringLiteral("/dev/zero"), pipe}) {
            const Outcome outcome =
                runProgram({file, QStringLiteral("--export"), QStringLiteral("diagram"), QStringLiteral("--output"),
                            m_folder.filePath(QStringLiteral("a.png"))});
            QCOMPARE(outcome.exitCode, 2);
            QVERIFY2(outcome.error.contains(QStringLiteral("no regular file; allowed: a .shardscope file")),
                     qPrintable(outcome.error));
        }
    }

    void aDocumentIsNoRecording()
    {
        for (const QByteArray &text : {QByteArray("{\n  \"schema\": 1\n}\n"), QByteArray("some notes\n")}) {
            const QString file = newFile(QStringLiteral("doc.json"), text);
            const Outcome outcome =
                runProgram({file, QStringLiteral("--export"), QStringLiteral("diagram"), QStringLiteral("--output"),
                            m_folder.filePath(QStringLiteral("a.png"))});
            QCOMPARE(outcome.exitCode, 2);
            QVERIFY2(outcome.error.contains(QStringLiteral(".shardscope")), qPrintable(outcome.error));
        }
    }

    void aCutOffRecordingSaysSoAndAnEmptyOneIsRefused()
    {
        Run run = simulate(buildPlan(Experiment{}), *findHardware("h100-8"));
        run.source = Source::Measured;
        run.hardware.clear();
        const QByteArray bytes = QByteArray::fromStdString(writeRuns({run}));
        const QString picture = m_folder.filePath(QStringLiteral("cut.svg"));
        const QStringList words{QStringLiteral("--export"), QStringLiteral("timeline"), QStringLiteral("--output"),
                                picture};
        const QString cut = newFile(QStringLiteral("cut.shardscope"), bytes.chopped(3));
        const Outcome outcome = runProgram(QStringList{cut} + words);
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.error.contains(QStringLiteral("what is whole is drawn")), qPrintable(outcome.error));
        QFile drawn(picture);
        QVERIFY(drawn.open(QIODevice::ReadOnly));
        QVERIFY(drawn.readAll().contains("1 of 20 steps"));
        // Only its head: no step to draw.
        const QByteArray head = bytes.left(bytes.indexOf("\n", bytes.indexOf("\"run\"")) + 1);
        const QString empty = newFile(QStringLiteral("empty.shardscope"), head);
        const Outcome refused = runProgram(QStringList{empty} + words);
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.error.contains(QStringLiteral("nothing to draw")), qPrintable(refused.error));
    }

    void aTargetIsLookedAtBeforeAnythingRuns_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("words");
        QTest::newRow("no directory") << QStringLiteral("/nonexist/a.png")
                                      << QStringLiteral("/nonexist does not exist");
        QTest::newRow("a directory") << QStringLiteral("folder.png") << QStringLiteral("is a directory");
        QTest::newRow("a pipe") << QStringLiteral("pipe.png") << QStringLiteral("no regular file");
    }
    void aTargetIsLookedAtBeforeAnythingRuns()
    {
        QFETCH(QString, target);
        QFETCH(QString, words);
        const QDir folder(m_folder.path());
        folder.mkdir(QStringLiteral("folder.png"));
        const QString pipe = folder.filePath(QStringLiteral("pipe.png"));
        QVERIFY(QFile::exists(pipe) || QProcess::execute(QStringLiteral("mkfifo"), {pipe}) == 0);
        // An engine that cannot start would be said with status 4.
        const Outcome outcome =
            runProgram({QStringLiteral("--export"), QStringLiteral("diagram"), QStringLiteral("--output"),
                        folder.absoluteFilePath(target), QStringLiteral("--engine"), QStringLiteral("/nonexistent")});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.error.contains(words), qPrintable(outcome.error));
    }

    void aFullDiskIsSaidAndLeavesNothing_data()
    {
        QTest::addColumn<QString>("ending");
        for (const char *ending : {"png", "svg", "pdf"})
            QTest::newRow(ending) << QString::fromLatin1(ending);
    }
    void aFullDiskIsSaidAndLeavesNothing()
    {
        QFETCH(QString, ending);
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.") + ending);
        // A limit on the size of files stands for the disk.
        QProcess process;
        process.start(QStringLiteral("bash"),
                      {QStringLiteral("-c"), QStringLiteral("trap '' XFSZ; ulimit -f 4; exec \"$@\""),
                       QStringLiteral("bash"), QStringLiteral(SHARDSCOPE_PROGRAM), QStringLiteral("--export"),
                       QStringLiteral("diagram"), QStringLiteral("--output"), file, QStringLiteral("--engine"),
                       QStringLiteral(SHARDSCOPE_FAKE_ENGINE)});
        QVERIFY(process.waitForFinished(60000));
        const QString error = QString::fromUtf8(process.readAllStandardError());
        QVERIFY2(process.exitCode() == 4, qPrintable(error));
        const QString cause = QString::fromLocal8Bit(std::strerror(EFBIG)); // the system's words, in its language
        QVERIFY2(error.contains(cause), qPrintable(error));
        QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    }

    void anInterruptedExportIsCancelled()
    {
        const QString file = m_folder.filePath(QStringLiteral("cancelled.png"));
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("SHARDSCOPE_FAKE_MODE"), QStringLiteral("hang"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(SHARDSCOPE_PROGRAM),
                      {QStringLiteral("--export"), QStringLiteral("diagram"), QStringLiteral("--output"), file,
                       QStringLiteral("--engine"), QStringLiteral(SHARDSCOPE_FAKE_ENGINE)});
        QVERIFY(process.waitForStarted());
        // Once it has an engine it is about its work.
        const QString children = QStringLiteral("/proc/%1/task/%1/children").arg(process.processId());
        const auto hasChild = [&] {
            QFile list(children);
            return list.open(QIODevice::ReadOnly) && !list.readAll().isEmpty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasChild(), 60000);
        process.terminate();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(QString::fromUtf8(process.readAllStandardError()), QStringLiteral("shardscope: cancelled\n"));
        QVERIFY(!QFile::exists(file));
    }

    void aFolderThatCannotBeWritten()
    {
        const Outcome outcome = runProgram({QStringLiteral("--export"), QStringLiteral("diagram"),
                                            QStringLiteral("--output"), m_folder.filePath(QStringLiteral("no/a.png"))});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.error.contains(QStringLiteral("no/a.png")));
    }

    void withoutADisplayTheWindowSaysSo()
    {
        const Outcome none = runProgram({});
        QCOMPARE(none.exitCode, 4);
        QCOMPARE(none.error.count(QLatin1Char('\n')), 1);
        QVERIFY(none.error.contains(QStringLiteral("DISPLAY")));
        const Outcome dead = runProgram({}, {}, true);
        QCOMPARE(dead.exitCode, 4);
        QVERIFY(dead.error.contains(QStringLiteral(":4711")));
    }

    void helpAndVersionNeedNoDisplay()
    {
        QVERIFY(runProgram({QStringLiteral("--help")}).output.contains(QStringLiteral("--export VIEW")));
        QVERIFY(runProgram({QStringLiteral("--version")}).output.startsWith(QStringLiteral("shardscope ")));
    }

private:
    QString newFile(const QString &name, const QByteArray &bytes) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() ? file.fileName() : QString();
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"

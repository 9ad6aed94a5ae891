// SPDX-License-Identifier: MIT
// What becomes of real rank processes when a GPU hangs or NCCL loses a peer.
#include "engine/record/codec.h"

#include <QtTest>

#include <QDir>
#include <QProcess>
#include <QUuid>

using namespace shardscope;

namespace {

constexpr qint64 kTimeoutSeconds = 2;

/// What the host said, and when the message and the end came, in ms since the first step that went wrong could begin.
struct Heard {
    std::vector<MessageEvent> errors;
    EndEvent end;
    int iterations = 0;
    qint64 silenceMs = 0; ///< from the last step that was well to the end
};

/// Processes that carry the mark in their environment: the host and its ranks.
int processesWith(const QByteArray &mark)
{
    int count = 0;
    for (const QString &pid : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
        QFile file("/proc/" + pid + "/environ");
        count += file.open(QIODevice::ReadOnly) && file.readAll().contains(mark) ? 1 : 0;
    }
    return count;
}

/// Starts the host, runs a small experiment, and leaves the host running.
Heard hear(QProcess &host, const QString &id)
{
    auto read = readExperiment({{"ranks", "2"},
                                {"hidden", "32"},
                                {"sequence", "4"},
                                {"steps", "60"},
                                {"warmup", "0"},
                                {"timeout", std::to_string(kTimeoutSeconds)}});
    Heard heard;
    host.write(QByteArray::fromStdString(encode(Command(RunCommand{id.toStdString(), allOptions(*read), 0}))));
    Decoder decoder;
    QElapsedTimer sinceStep;
    bool ended = false;
    const auto take = [&](Event &&event) {
        if (std::holds_alternative<IterationEvent>(event)) {
            ++heard.iterations;
            sinceStep.start();
        }
        if (const auto *message = std::get_if<MessageEvent>(&event))
            if (message->level == MessageEvent::Level::Error)
                heard.errors.push_back(*message);
        if (const auto *end = std::get_if<EndEvent>(&event)) {
            heard.end = *end;
            heard.silenceMs = sinceStep.isValid() ? sinceStep.elapsed() : 0;
            ended = true;
        }
    };
    while (!ended && (host.canReadLine() || host.waitForReadyRead(60000)))
        while (host.canReadLine())
            decoder.feed(host.readLine().toStdString(), take, [](int, const Text &) {});
    return heard;
}

} // namespace

class TestFailures : public QObject
{
    Q_OBJECT

private slots:
    void whatIsWellRuns();
    void aHangEndsInTimeAndLeavesNobody();
    void anAsynchronousErrorIsNamed();

private:
    void start(QProcess &host, const QString &fate);

    QByteArray m_mark;
};

void TestFailures::start(QProcess &host, const QString &fate)
{
    m_mark = "SHARDSCOPE_TEST_MARK=" + QUuid::createUuid().toByteArray();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("FAKE_GPU", fate);
    environment.insert("SHARDSCOPE_TEST_MARK", m_mark.mid(m_mark.indexOf('=') + 1));
    host.setProcessEnvironment(environment);
    host.start(FAKE_GPU_HOST, {});
    QVERIFY(host.waitForStarted());
}

void TestFailures::whatIsWellRuns()
{
    QProcess host;
    start(host, "");
    for (const char *id : {"first", "second"}) {
        const Heard heard = hear(host, id);
        QVERIFY(heard.end.status == EndEvent::Status::Done);
        QCOMPARE(heard.end.exitCode, 0);
        QCOMPARE(heard.iterations, 2 * 60);
        QVERIFY(heard.errors.empty());
    }
    QCOMPARE(processesWith(m_mark), 3); // the host and two ranks that wait for the next
    host.closeWriteChannel();
    QVERIFY(host.waitForFinished(10000));
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(m_mark), 0, 5000);
}

void TestFailures::aHangEndsInTimeAndLeavesNobody()
{
    QProcess host;
    start(host, "hang");
    const Heard heard = hear(host, "hangs");
    QVERIFY(heard.end.status == EndEvent::Status::Failed);
    QCOMPARE(heard.end.exitCode, 4);
    QCOMPARE(heard.errors.size(), std::size_t{1});
    const QString words = QString::fromStdString(english(heard.errors[0].text));
    QVERIFY2(words.contains("rank 1"), qPrintable(words)); // and not the one that waited for it
    QVERIFY2(heard.silenceMs >= 1000 * kTimeoutSeconds - 500, qPrintable(QString::number(heard.silenceMs)));
    QVERIFY2(heard.silenceMs <= 1000 * (kTimeoutSeconds + 1), qPrintable(QString::number(heard.silenceMs)));
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(m_mark), 1, 2000); // the host alone
    host.closeWriteChannel();
    QVERIFY(host.waitForFinished(10000));
    QCOMPARE(processesWith(m_mark), 0);
}

void TestFailures::anAsynchronousErrorIsNamed()
{
    QProcess host;
    start(host, "error");
    const Heard heard = hear(host, "fails");
    QVERIFY(heard.end.status == EndEvent::Status::Failed);
    QCOMPARE(heard.errors.size(), std::size_t{1});
    const QString words = QString::fromStdString(english(heard.errors[0].text) + ' ' + heard.errors[0].detail);
    QVERIFY2(words.contains("remote process exited"), qPrintable(words));
    QVERIFY2(words.contains("the fake's peer has gone"), qPrintable(words));
    QVERIFY2(heard.silenceMs < 1000 * kTimeoutSeconds,
             qPrintable(QString::number(heard.silenceMs))); // asked, not waited
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(m_mark), 1, 2000);
    host.closeWriteChannel();
    QVERIFY(host.waitForFinished(10000));
}

QTEST_GUILESS_MAIN(TestFailures)
#include "tst_failures.moc"

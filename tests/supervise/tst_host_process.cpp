// SPDX-License-Identifier: MIT
// The front's side: a host that is missing, cannot start, says nothing, is too new, dies or hangs; and Ctrl-C.
#include "engine/supervise/host_launch.h"
#include "engine/supervise/host_process.h"
#include "tests/supervise/serve_client.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <unistd.h>

namespace shardscope {
namespace {

constexpr int kForever = 100000;

struct Heard {
    std::vector<Event> events;
    EndEvent end;

    [[nodiscard]] MessageEvent error() const
    {
        for (const Event &event : events) {
            if (const auto *message = std::get_if<MessageEvent>(&event))
                return *message;
        }
        return {};
    }
    [[nodiscard]] int spans() const
    {
        return static_cast<int>(
            std::ranges::count_if(events, [](const Event &e) { return std::holds_alternative<SpanEvent>(e); }));
    }
};

/// Runs, and does something once ranks are at work.
Heard run(HostProcess &host, const RunCommand &command, const std::function<void()> &atWork = {},
          InterruptWatch *interrupts = nullptr)
{
    Heard heard;
    bool done = false;
    heard.end = host.run(
        command,
        [&](const Event &event) {
            heard.events.push_back(event);
            if (atWork && !done && heard.spans() >= 20) {
                done = true;
                atWork();
            }
        },
        interrupts);
    return heard;
}

} // namespace

class HostProcessTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runs();
    void missingProgram();
    void notExecutable();
    void missingLibrary();
    void silentAtStart();
    void silentBehindAScript();
    void anotherProgram();
    void wordsAreNoSignOfLife();
    void openFilesRunOut();
    void newerVersion();
    void hostIsKilled();
    void hostHangs();
    void hostHangsDuringCancel();
    void cancel();
    void interruptCancels();
    void destroyedAtWork();
    void standardErrorIsKept();

private:
    HostProcessOptions scripted() const;
    HostProcessOptions shellScript(const char *body);

    QTemporaryDir m_folder;
};

HostProcessOptions HostProcessTest::scripted() const
{
    HostProcessOptions options;
    options.program = hostProgram().toStdString();
    return options;
}

HostProcessOptions HostProcessTest::shellScript(const char *body)
{
    const QString path = m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(QByteArray("#!/bin/sh\n") + body + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    HostProcessOptions options;
    options.program = path.toStdString();
    options.startLimit = std::chrono::milliseconds(1000);
    return options;
}

void HostProcessTest::runs()
{
    HostProcess host(scripted());
    const Heard first = run(host, runOf("a", 2, 5)); // starts the host by itself
    QCOMPARE(first.end.status, EndEvent::Status::Done);
    QVERIFY(first.spans() >= 16);
    QVERIFY(std::holds_alternative<EndEvent>(first.events.back()));
    QVERIFY(!host.hello().engineVersion.empty());
    const pid_t pid = host.pid();
    QCOMPARE(run(host, runOf("b", 2, 5)).end.id, std::string("b"));
    QCOMPARE(host.pid(), pid);
}

void HostProcessTest::missingProgram()
{
    HostProcessOptions options;
    options.program = "/nowhere/shardscope-rank-host";
    HostProcess host(options);
    const Heard heard = run(host, runOf("a", 2, 5));
    QCOMPARE(heard.end.exitCode, 4);
    QVERIFY(heard.error().text == (Text{TextId::HostMissing, {options.program}}));
    QCOMPARE(heard.error().remedy.id, TextId::HostMissingRemedy);
}

void HostProcessTest::notExecutable()
{
    HostProcessOptions options;
    options.program = "/etc/hostname";
    HostProcess host(options);
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QCOMPARE(problem->text.id, TextId::HostNotStarted);
}

void HostProcessTest::missingLibrary()
{
    // As ld.so says and ends it.
    HostProcess host(shellScript("echo \"host: error while loading shared libraries: libtorch.so: cannot open\" >&2\n"
                                 "exit 127"));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QCOMPARE(problem->text.id, TextId::HostNotStarted);
    QVERIFY(problem->text.args.at(1).find("libtorch.so") != std::string::npos);
    QCOMPARE(problem->remedy.id, TextId::HostLibrariesRemedy);
}

void HostProcessTest::silentAtStart()
{
    HostProcess host(shellScript("exec sleep 1000"));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QCOMPARE(problem->text.id, TextId::HostSilent);
    QVERIFY(!host.isRunning());
}

void HostProcessTest::silentBehindAScript()
{
    // The script's child holds the stream open when the script is gone.
    HostProcess host(shellScript("sleep 1000\nexit 0"));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QCOMPARE(problem->text.id, TextId::HostSilent);
    QVERIFY(!host.isRunning());
}

void HostProcessTest::anotherProgram()
{
    HostProcess host(shellScript("while :; do echo y; done"));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QCOMPARE(problem->text.id, TextId::HostUnreadable);
    QCOMPARE(problem->remedy.id, TextId::HostMissingRemedy);
}

/// Not enough to be taken for another program, but no hello either.
void HostProcessTest::wordsAreNoSignOfLife()
{
    HostProcess host(shellScript("for i in 1 2 3 4 5 6 7 8; do echo loading; sleep 0.3; done; sleep 60"));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QVERIFY(problem->text == (Text{TextId::HostSilent, {"1"}}));
}

void HostProcessTest::openFilesRunOut()
{
    for (const int error : {EMFILE, ENFILE})
        QCOMPARE(describeExecFailure("host", error).remedy.id, TextId::HostFileLimitRemedy);
    QCOMPARE(describeExecFailure("host", EAGAIN).remedy.id, TextId::HostProcessLimitRemedy);
    QCOMPARE(describeExecFailure("host", EACCES).remedy.id, TextId::HostMissingRemedy);
    const int exit127 = 127 << 8;
    const char *const words = "host: error while loading shared libraries: libgomp.so.1: cannot open: Error 24";
    QCOMPARE(describeHostEnd("host", exit127, words).remedy.id, TextId::HostFileLimitRemedy);
}

void HostProcessTest::newerVersion()
{
    HelloEvent hello;
    hello.protocolMajor = kProtocolMajor + 1;
    HostProcess host(shellScript(
        ("echo '" + encode(Event(hello)).substr(0, encode(Event(hello)).size() - 1) + "'; exec sleep 1000").c_str()));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QCOMPARE(problem->text.id, TextId::HostIncompatible);
}

void HostProcessTest::hostIsKilled()
{
    HostProcess host(scripted());
    std::vector<ProcessFacts> family;
    const Heard heard = run(host, runOf("a", 4, kForever), [&] {
        family = familyOf(host.pid());
        ::kill(host.pid(), SIGKILL);
    });
    QCOMPARE(heard.end.status, EndEvent::Status::Failed);
    QCOMPARE(heard.end.exitCode, 4);
    QCOMPARE(heard.end.id, std::string("a"));
    QVERIFY(heard.error().text == (Text{TextId::HostDied, {"signal 9 (SIGKILL)"}}));
    QCOMPARE(family.size(), std::size_t{5});
    QVERIFY(allEnd(family));
    QCOMPARE(run(host, runOf("b", 4, 5)).end.status, EndEvent::Status::Done);
}

void HostProcessTest::hostHangs()
{
    HostProcessOptions options = scripted();
    options.silenceLimit = std::chrono::milliseconds(4000);
    HostProcess host(options);
    std::vector<ProcessFacts> family;
    const Heard heard = run(host, runOf("a", 2, kForever), [&] {
        family = familyOf(host.pid());
        ::kill(host.pid(), SIGSTOP);
    });
    QCOMPARE(heard.error().text.id, TextId::HostSilent);
    QCOMPARE(heard.end.status, EndEvent::Status::Failed);
    QVERIFY(allEnd(family));
}

void HostProcessTest::hostHangsDuringCancel()
{
    HostProcessOptions options = scripted();
    options.cancelLimit = std::chrono::milliseconds(500);
    HostProcess host(options);
    std::vector<ProcessFacts> family;
    const Heard heard = run(host, runOf("a", 2, kForever), [&] {
        family = familyOf(host.pid());
        ::kill(host.pid(), SIGSTOP);
        host.cancel();
    });
    QCOMPARE(heard.end.status, EndEvent::Status::Cancelled);
    QVERIFY(allEnd(family));
}

void HostProcessTest::cancel()
{
    HostProcess host(scripted());
    const Heard heard = run(host, runOf("a", 4, kForever), [&] { host.cancel(); });
    QCOMPARE(heard.end.status, EndEvent::Status::Cancelled);
    QCOMPARE(heard.end.exitCode, 130);
    QCOMPARE(run(host, runOf("b", 4, 5)).end.status, EndEvent::Status::Done);
}

void HostProcessTest::interruptCancels()
{
    InterruptWatch interrupts;
    HostProcess host(scripted());
    // The host sits in a process group of its own: the terminal's Ctrl-C reaches the front alone.
    // To this thread: Qt Test's own watchdog thread does not block the signal, and would die of it.
    const Heard heard = run(
        host, runOf("a", 4, kForever), [] { ::raise(SIGINT); }, &interrupts);
    QCOMPARE(heard.end.status, EndEvent::Status::Cancelled);
    QVERIFY(host.isRunning());
    QCOMPARE(run(host, runOf("b", 4, 5), {}, &interrupts).end.status, EndEvent::Status::Done);
}

void HostProcessTest::destroyedAtWork()
{
    std::vector<ProcessFacts> family;
    {
        HostProcess host(scripted());
        try {
            run(host, runOf("a", 4, kForever), [&] {
                family = familyOf(host.pid());
                throw std::runtime_error("the front gives up");
            });
        } catch (const std::runtime_error &) {
        }
    }
    QCOMPARE(family.size(), std::size_t{5});
    QVERIFY(allEnd(family));
}

void HostProcessTest::standardErrorIsKept()
{
    HostProcess host(shellScript("echo 'something odd' >&2; exit 9"));
    const auto problem = host.start();
    QVERIFY(problem.has_value());
    QVERIFY(problem->text == (Text{TextId::HostLeft, {"9"}}));
    QCOMPARE(problem->detail, std::string("something odd\n"));
    QCOMPARE(host.errorOutput(), std::string("something odd\n"));
    QVERIFY(host.start().has_value());
    QCOMPARE(host.errorOutput(), std::string("something odd\n")); // this host's, not both hosts'
}

} // namespace shardscope

QTEST_GUILESS_MAIN(shardscope::HostProcessTest)
#include "tst_host_process.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_link.h"

#include "app/askpass_server.h"
#include "app/ssh_end.h"
#include "ui/remote/host_name.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <utility>

namespace shardscope {

namespace {

constexpr int kLogCharacters = 256 * 1024;
constexpr int kErrorCharacters = 8 * 1024; ///< of one engine: what its end is explained by
constexpr int kHelloMs = 45000;            ///< another machine's first start after a boot reads a LibTorch
constexpr int kGraceMs = 350;              ///< the engine gives its ranks 250 ms
constexpr int kKillMs = 200;

} // namespace

EngineLink::EngineLink(QString program, QObject *parent) : QObject(parent), m_program(std::move(program))
{
    m_helloLimit.setSingleShot(true);
    m_helloLimit.setInterval(kHelloMs);
    connect(&m_helloLimit, &QTimer::timeout, this, &EngineLink::onNoHello);
}

EngineLink::~EngineLink()
{
    stop();
    // The window is gone by now; nothing may outlive it, and QProcess itself would wait for half a minute.
    const auto retired = findChildren<QProcess *>();
    for (QProcess *process : retired) {
        process->disconnect();
        if (process->waitForFinished(kGraceMs))
            continue;
        process->kill();
        process->waitForFinished(kKillMs);
    }
}

QString EngineLink::findProgram(const QString &given)
{
    if (!given.isEmpty())
        return given;
    return QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("shardscope-engine"));
}

void EngineLink::setRemote(const QString &address)
{
    stop();
    m_remote = address;
}

void EngineLink::connectNow()
{
    if (!m_process)
        start();
}

void EngineLink::send(const Command &command)
{
    connectNow();
    if (!m_process)
        return;
    const std::string line = encode(command);
    m_process->write(line.data(), static_cast<qint64>(line.size()));
    if (line.empty() || line.back() != '\n')
        m_process->write("\n", 1);
}

void EngineLink::restart()
{
    stop();
    start();
}

void EngineLink::start()
{
    m_decoder = std::make_shared<Decoder>();
    m_hello.reset();
    m_errors.clear();
    m_process = new QProcess(this);
    connect(m_process, &QProcess::readyReadStandardOutput, this, &EngineLink::readEvents);
    connect(m_process, &QProcess::readyReadStandardError, this, &EngineLink::readLog);
    connect(m_process, &QProcess::finished, this, &EngineLink::onFinished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            onStartFailed();
    });
    if (const QString problem = prepareQuestions(); !problem.isEmpty()) {
        fail(problem, tr("Make room in the folder for temporary files, or name another one in TMPDIR."));
        return;
    }
    const EngineStart command = m_remote.isEmpty() ? engineHere(m_program) : engineBySsh(m_remote);
    m_process->start(command.program, command.arguments);
    if (!m_remote.isEmpty())
        m_helloLimit.start();
}

QString EngineLink::prepareQuestions()
{
    if (m_remote.isEmpty() || !m_asksByWindow)
        return {};
    m_questions = new AskpassServer(hostName(m_remote), this);
    const QString problem = m_questions->listen();
    if (!problem.isEmpty())
        return problem;
    connect(m_questions, &AskpassServer::asked, this, [this](const SshQuestion &question) {
        m_helloLimit.stop(); // whoever looks for a password takes their time
        Q_EMIT questionAsked(question);
    });
    connect(m_questions, &AskpassServer::withdrawn, this, [this](int question) {
        if (connecting())
            m_helloLimit.start();
        Q_EMIT questionWithdrawn(question);
    });
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    m_questions->addTo(environment);
    m_process->setProcessEnvironment(environment);
    return {};
}

void EngineLink::answer(int question, const QString &text)
{
    if (!m_questions)
        return;
    m_questions->answer(question, text);
    m_helloLimit.start();
}

void EngineLink::readEvents()
{
    const QByteArray bytes = m_process->readAllStandardOutput();
    const QProcess *reading = m_process;
    const std::shared_ptr<Decoder> decoder = m_decoder;
    decoder->feed(
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
        [&](Event &&event) {
            // A receiver may have stopped this engine: what it still said belongs to nobody.
            if (reading == m_process)
                onEvent(std::move(event));
        },
        [&](int line, const Text &problem) {
            if (reading != m_process)
                return;
            // What a shell prints at login stands before the hello.
            const bool greeting = connecting() && problem.id != TextId::StreamNewer;
            addToLog(QStringLiteral("line %1: %2\n").arg(line).arg(QString::fromStdString(english(problem))));
            if (!greeting)
                Q_EMIT lineRejected(line, problem);
        });
}

void EngineLink::markOrigin(Event &event) const
{
    const std::string host = hostName(m_remote).toStdString();
    if (auto *hello = std::get_if<HelloEvent>(&event))
        hello->machine.remote = host;
    else if (auto *run = std::get_if<RunEvent>(&event); run && run->machine != Machine{})
        run->machine.remote = host;
}

void EngineLink::onEvent(Event &&event)
{
    if (!m_remote.isEmpty())
        markOrigin(event);
    if (const auto *hello = std::get_if<HelloEvent>(&event)) {
        m_hello = *hello;
        m_helloLimit.stop();
        Q_EMIT helloReceived();
    } else if (const auto *message = std::get_if<MessageEvent>(&event); message && !message->detail.empty()) {
        // The message bar has room for the cause; the library's own words are for the log.
        addToLog(QString::fromStdString(english(message->text) + ": " + message->detail + '\n'));
    }
    Q_EMIT eventReceived(event);
}

void EngineLink::readLog()
{
    const QString text = QString::fromUtf8(m_process->readAllStandardError());
    m_errors = (m_errors + text).right(kErrorCharacters);
    addToLog(text);
}

void EngineLink::addToLog(const QString &text)
{
    m_log += text;
    if (m_log.size() > kLogCharacters)
        m_log = m_log.last(kLogCharacters / 2);
}

void EngineLink::onFinished(int exitCode, QProcess::ExitStatus status)
{
    const QProcess *ended = m_process;
    readLog();
    readEvents();
    if (m_process != ended) // a receiver of the last events has stopped it, or started another one
        return;
    const bool crashed = status == QProcess::CrashExit;
    if (!m_remote.isEmpty()) {
        const EngineEnd end = explain({m_remote, exitCode, crashed, m_hello.has_value(), m_errors});
        fail(end.reason, end.remedy);
        return;
    }
    const QString name = QFileInfo(m_program).fileName();
    fail(crashed ? tr("The engine (%1) was killed or crashed").arg(name)
                 : tr("The engine (%1) ended with exit status %2").arg(name).arg(exitCode),
         {});
}

void EngineLink::onStartFailed()
{
    const QString reason = m_process->errorString();
    if (m_remote.isEmpty())
        fail(tr("The engine could not be started: %1: %2").arg(QDir::toNativeSeparators(m_program), reason),
             tr("Name an engine with --engine; by default it is shardscope-engine beside this program."));
    else
        fail(tr("The ssh command could not be started: %1: %2").arg(m_process->program(), reason),
             tr("Install OpenSSH's client, or name another command in SHARDSCOPE_SSH."));
}

void EngineLink::onNoHello()
{
    const QString last = m_errors.trimmed().section(QLatin1Char('\n'), -1);
    const QString words = tr("No answer from %1: no engine said hello within %2 s")
                              .arg(hostName(m_remote))
                              .arg(m_helloLimit.interval() / 1000);
    stop();
    Q_EMIT engineEnded(last.isEmpty() ? words : words + QStringLiteral(": ") + last,
                       tr("Does ssh %1 shardscope-engine --version answer in a terminal?").arg(m_remote));
}

void EngineLink::fail(const QString &reason, const QString &remedy)
{
    forget();
    Q_EMIT engineEnded(reason, remedy);
}

void EngineLink::forget()
{
    m_process->disconnect(this);
    m_process->deleteLater();
    m_process = nullptr;
    endQuestions();
}

void EngineLink::endQuestions()
{
    m_helloLimit.stop();
    if (AskpassServer *questions = std::exchange(m_questions, nullptr)) {
        questions->withdrawAll();
        questions->deleteLater();
    }
}

void EngineLink::stop()
{
    if (!m_process)
        return;
    QProcess *process = std::exchange(m_process, nullptr);
    process->disconnect(this);
    endQuestions();
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    connect(process, &QProcess::errorOccurred, process, [process](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) // then nothing will finish
            process->deleteLater();
    });
    process->closeWriteChannel();
    QTimer::singleShot(kGraceMs, process, &QProcess::kill);
}

} // namespace shardscope

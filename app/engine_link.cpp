// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_link.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <utility>

namespace shardscope {

namespace {

constexpr int kLogCharacters = 256 * 1024;
constexpr int kGraceMs = 350; ///< the engine gives its ranks 250 ms
constexpr int kKillMs = 200;

} // namespace

EngineLink::EngineLink(QString program, QObject *parent) : QObject(parent), m_program(std::move(program)) {}

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

void EngineLink::send(const Command &command)
{
    if (!m_process)
        start();
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
    m_process = new QProcess(this);
    connect(m_process, &QProcess::readyReadStandardOutput, this, &EngineLink::readEvents);
    connect(m_process, &QProcess::readyReadStandardError, this, &EngineLink::readLog);
    connect(m_process, &QProcess::finished, this, &EngineLink::onFinished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            onStartFailed();
    });
    m_process->start(m_program, {QStringLiteral("serve")});
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
            addToLog(QStringLiteral("line %1: %2\n").arg(line).arg(QString::fromStdString(english(problem))));
            Q_EMIT lineRejected(line, problem);
        });
}

void EngineLink::onEvent(Event &&event)
{
    if (const auto *hello = std::get_if<HelloEvent>(&event)) {
        m_hello = *hello;
        Q_EMIT helloReceived();
    } else if (const auto *message = std::get_if<MessageEvent>(&event); message && !message->detail.empty()) {
        // The message bar has room for the cause; the library's own words are for the log.
        addToLog(QString::fromStdString(english(message->text) + ": " + message->detail + '\n'));
    }
    Q_EMIT eventReceived(event);
}

void EngineLink::readLog()
{
    addToLog(QString::fromUtf8(m_process->readAllStandardError()));
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
    forget();
    const QString name = QFileInfo(m_program).fileName();
    Q_EMIT engineEnded(status == QProcess::CrashExit
                           ? tr("The engine (%1) was killed or crashed").arg(name)
                           : tr("The engine (%1) ended with exit status %2").arg(name).arg(exitCode),
                       {});
}

void EngineLink::onStartFailed()
{
    const QString reason = m_process->errorString();
    forget();
    Q_EMIT engineEnded(tr("The engine could not be started: %1: %2").arg(QDir::toNativeSeparators(m_program), reason),
                       tr("Name an engine with --engine; by default it is shardscope-engine beside this program."));
}

void EngineLink::forget()
{
    m_process->disconnect(this);
    m_process->deleteLater();
    m_process = nullptr;
}

void EngineLink::stop()
{
    if (!m_process)
        return;
    QProcess *process = std::exchange(m_process, nullptr);
    process->disconnect(this);
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    connect(process, &QProcess::errorOccurred, process, [process](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) // then nothing will finish
            process->deleteLater();
    });
    process->closeWriteChannel();
    QTimer::singleShot(kGraceMs, process, &QProcess::kill);
}

} // namespace shardscope

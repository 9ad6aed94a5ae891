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
    m_decoder = Decoder();
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
    m_decoder.feed(
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
        [&](Event &&event) {
            // A receiver may have stopped this engine: what it still said belongs to nobody.
            if (reading != m_process)
                return;
            if (const auto *hello = std::get_if<HelloEvent>(&event))
                m_hello = *hello;
            Q_EMIT eventReceived(event);
        },
        [&](int line, const Text &problem) { Q_EMIT lineRejected(line, problem); });
}

void EngineLink::readLog()
{
    m_log += QString::fromUtf8(m_process->readAllStandardError());
    if (m_log.size() > kLogCharacters)
        m_log = m_log.last(kLogCharacters / 2);
}

void EngineLink::onFinished(int exitCode, QProcess::ExitStatus status)
{
    readLog();
    readEvents();
    if (!m_process) // a receiver of the last events has stopped it
        return;
    forget();
    const QString name = QFileInfo(m_program).fileName();
    Q_EMIT engineEnded(status == QProcess::CrashExit
                           ? tr("The engine (%1) was killed or crashed").arg(name)
                           : tr("The engine (%1) ended with exit status %2").arg(name).arg(exitCode));
}

void EngineLink::onStartFailed()
{
    const QString reason = m_process->errorString();
    forget();
    Q_EMIT engineEnded(tr("The engine could not be started: %1: %2").arg(QDir::toNativeSeparators(m_program), reason));
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
    process->closeWriteChannel();
    QTimer::singleShot(kGraceMs, process, &QProcess::kill);
}

} // namespace shardscope

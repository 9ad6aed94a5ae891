// SPDX-License-Identifier: MIT
#include "tests/supervise/serve_client.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcessEnvironment>
#include <QThread>
#include <algorithm>

namespace shardscope {
namespace {

constexpr int kPatienceMs = 60000;

bool hasEnded(const ProcessFacts &process)
{
    const auto now = processFacts(process.pid);
    return !now || now->startTime != process.startTime || now->state == 'Z' || now->state == 'X';
}

} // namespace

QString hostProgram()
{
    return qEnvironmentVariable("SHARDSCOPE_TEST_HOST", QStringLiteral(SCRIPTED_RANK_HOST));
}

bool isRealHost()
{
    return qEnvironmentVariableIsSet("SHARDSCOPE_TEST_HOST");
}

ServeClient::ServeClient(const QString &script)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("SHARDSCOPE_TEST_SCRIPT"), script);
    m_process.setProcessEnvironment(environment);
    m_process.setProcessChannelMode(QProcess::SeparateChannels);
    m_process.start(hostProgram(), {QStringLiteral("serve")});
    m_process.waitForStarted();
}

ServeClient::~ServeClient()
{
    closeInput();
    if (!m_process.waitForFinished(5000))
        m_process.kill();
    m_process.waitForFinished();
}

void ServeClient::send(const Command &command)
{
    const std::string line = encode(command);
    sendRaw(QByteArray::fromStdString(line));
}

void ServeClient::sendRaw(const QByteArray &bytes)
{
    m_process.write(bytes);
    m_process.waitForBytesWritten();
}

void ServeClient::take(const QByteArray &bytes)
{
    m_decoder.feed(
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
        [this](Event &&event) { m_events.push_back(std::move(event)); }, [this](int, const Text &) { ++m_problems; });
}

bool ServeClient::readUntil(const std::function<bool()> &condition)
{
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > kPatienceMs)
            return false;
        const bool news = m_process.waitForReadyRead(100);
        take(m_process.readAllStandardOutput());
        if (!news && m_process.state() == QProcess::NotRunning)
            return condition();
    }
    return true;
}

bool ServeClient::readEnds(std::size_t count)
{
    return readUntil([&] { return all<EndEvent>().size() >= count; });
}

bool ServeClient::waitForEnd()
{
    const bool ended = readUntil([this] { return m_process.state() == QProcess::NotRunning; });
    take(m_process.readAllStandardOutput());
    return ended;
}

std::vector<MessageEvent> ServeClient::errors() const
{
    auto messages = all<MessageEvent>();
    std::erase_if(messages, [](const MessageEvent &message) { return message.level != MessageEvent::Level::Error; });
    return messages;
}

std::optional<ProcessFacts> rankOfHost(pid_t host, int rank)
{
    for (const ProcessFacts &child : ranksOf(host)) {
        if (child.name == rankProcessName(rank))
            return child;
    }
    return std::nullopt;
}

std::vector<ProcessFacts> familyOf(pid_t head, int generations)
{
    std::vector<ProcessFacts> family;
    if (const auto self = processFacts(head))
        family.push_back(*self);
    if (generations == 0)
        return family;
    for (const ProcessFacts &child : childrenOf(head)) {
        const auto branch = familyOf(child.pid, generations - 1);
        family.insert(family.end(), branch.begin(), branch.end());
    }
    return family;
}

bool allEnd(const std::vector<ProcessFacts> &processes)
{
    for (int turn = 0; turn < 500; ++turn) {
        if (std::all_of(processes.begin(), processes.end(), hasEnded))
            return true;
        QThread::msleep(10);
    }
    return false;
}

RunCommand runOf(const char *id, int ranks, int steps, const char *timeout)
{
    RunCommand command;
    command.id = id;
    command.experiment = {
        {"ranks", std::to_string(ranks)}, {"steps", std::to_string(steps)}, {"timeout", timeout}, {"hidden", "256"}};
    return command;
}

} // namespace shardscope

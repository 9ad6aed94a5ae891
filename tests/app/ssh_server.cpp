// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/ssh_server.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QThread>
#include <arpa/inet.h>
#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

namespace shardscope::tests {

namespace {

constexpr int kStartMs = 10000;

sockaddr_in loopback(int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

/// A socket of any free port; nobody listens there yet.
int boundSocket()
{
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(0);
    bind(server, reinterpret_cast<const sockaddr *>(&address), sizeof address);
    return server;
}

int portOf(int server)
{
    sockaddr_in address{};
    socklen_t length = sizeof address;
    getsockname(server, reinterpret_cast<sockaddr *>(&address), &length);
    return ntohs(address.sin_port);
}

int freePort()
{
    const int server = boundSocket();
    const int port = portOf(server);
    close(server);
    return port;
}

bool answers(int port)
{
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    const bool connected = connect(client, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
    close(client);
    return connected;
}

QByteArray fileOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

qint64 parentOf(qint64 pid)
{
    // "PID (name) S PARENT ...": the name may hold blanks and brackets.
    const QByteArray stat = fileOf(QStringLiteral("/proc/%1/stat").arg(pid));
    return stat.mid(stat.lastIndexOf(')') + 2).split(' ').value(1).toLongLong();
}

template <typename Wanted>
QList<qint64> processes(Wanted wanted)
{
    QList<qint64> found;
    const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        if (const qint64 pid = entry.toLongLong(); pid > 0 && pid != getpid() && wanted(pid))
            found << pid;
    }
    return found;
}

} // namespace

SshServer::SshServer() : m_silent(boundSocket()), m_port(freePort())
{
    listen(m_silent, 8); // and never accepts
    newKey(QStringLiteral("host"), {});
    newKey(QStringLiteral("other_host"), {});
    newKey(QStringLiteral("plain"), {});
    newKey(QStringLiteral("locked"), QString::fromLatin1(kPassphrase));
    write(QStringLiteral("authorized_keys"), read(QStringLiteral("plain.pub")) + read(QStringLiteral("locked.pub")));
    setKnown(Knows::Host);
    useKey(Key::Plain);
    qputenv("SHARDSCOPE_SSH", ("ssh -F " + path(QStringLiteral("ssh_config"))).toLocal8Bit());
}

SshServer::~SshServer()
{
    stop();
    close(m_silent);
}

void SshServer::newKey(const QString &name, const QString &passphrase) const
{
    QProcess::execute(QStringLiteral("ssh-keygen"),
                      {QStringLiteral("-q"), QStringLiteral("-t"), QStringLiteral("ed25519"), QStringLiteral("-a"),
                       QStringLiteral("4"), QStringLiteral("-N"), passphrase, QStringLiteral("-f"), path(name)});
}

void SshServer::write(const QString &name, const QString &text) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
        qFatal("%s cannot be written", qPrintable(file.fileName()));
}

QString SshServer::read(const QString &name) const
{
    return QString::fromUtf8(fileOf(path(name)));
}

void SshServer::useKey(Key key)
{
    writeClientConfig(key);
}

void SshServer::writeClientConfig(Key key) const
{
    // No agent, no key of whoever runs the test, and none of their lists of hosts.
    QString text =
        QStringLiteral("Host silent\n  Port %1\nHost closed\n  Port 1\nHost loop\n  Port %2\n"
                       "Host *\n  HostName 127.0.0.1\n  IdentitiesOnly yes\n  IdentityAgent none\n"
                       "  UserKnownHostsFile %3\n  GlobalKnownHostsFile /dev/null\n  UpdateHostKeys no\n"
                       "  IdentityFile %4\n")
            .arg(portOf(m_silent))
            .arg(m_port)
            .arg(path(QStringLiteral("known_hosts")), path(key == Key::Plain            ? QStringLiteral("plain")
                                                           : key == Key::WithPassphrase ? QStringLiteral("locked")
                                                                                        : QStringLiteral("absent")));
    write(QStringLiteral("ssh_config"), text);
}

void SshServer::setKnown(Knows knows)
{
    const QString key =
        read(knows == Knows::AnotherKey ? QStringLiteral("other_host.pub") : QStringLiteral("host.pub"));
    write(QStringLiteral("known_hosts"),
          knows == Knows::Nothing ? QString() : QStringLiteral("[127.0.0.1]:%1 %2").arg(m_port).arg(key));
}

QString SshServer::knownHosts() const
{
    return read(QStringLiteral("known_hosts"));
}

QString SshServer::fingerprint() const
{
    QProcess keygen;
    keygen.start(QStringLiteral("ssh-keygen"), {QStringLiteral("-lf"), path(QStringLiteral("host.pub"))});
    keygen.waitForFinished(kStartMs);
    static const QRegularExpression pattern(QStringLiteral("SHA256:\\S+"));
    return pattern.match(QString::fromUtf8(keygen.readAllStandardOutput())).captured();
}

QString SshServer::start()
{
    QString config = QStringLiteral("ListenAddress 127.0.0.1\nPort %1\nHostKey %2\nAuthorizedKeysFile %3\nUsePAM no\n"
                                    "StrictModes no\nPidFile none\nPermitRootLogin yes\nPasswordAuthentication no\n"
                                    "KbdInteractiveAuthentication no\nPrintMotd no\nPrintLastLog no\n"
                                    "ClientAliveInterval 0\n")
                         .arg(m_port)
                         .arg(path(QStringLiteral("host")), path(QStringLiteral("authorized_keys")));
    // What marks its processes comes with the rest: only the first SetEnv counts.
    config += QStringLiteral("SetEnv SHARDSCOPE_SESSION_OF=%1").arg(m_folder.path());
    for (auto entry = m_environment.begin(); entry != m_environment.end(); ++entry)
        config += QStringLiteral(" %1=%2").arg(entry.key(), entry.value());
    write(QStringLiteral("sshd_config"), config + QLatin1Char('\n'));
    if (geteuid() == 0) // else nothing is given up, and the folder is not looked for
        QDir().mkpath(QStringLiteral("/run/sshd"));
    m_server = std::make_unique<QProcess>();
    m_server->setStandardErrorFile(path(QStringLiteral("sshd.log")));
    m_server->start(QStringLiteral("/usr/sbin/sshd"), {QStringLiteral("-D"), QStringLiteral("-e"), QStringLiteral("-f"),
                                                       path(QStringLiteral("sshd_config"))});
    QElapsedTimer clock;
    clock.start();
    while (m_server->state() != QProcess::NotRunning && clock.elapsed() < kStartMs) {
        m_server->waitForStarted(kStartMs);
        if (answers(m_port))
            return {};
        m_server->waitForFinished(20);
    }
    return QStringLiteral("sshd does not run: %1 %2").arg(m_server->errorString(), read(QStringLiteral("sshd.log")));
}

void SshServer::stop()
{
    if (!m_server)
        return;
    for (const qint64 pid : sessionServers())
        kill(static_cast<pid_t>(pid), SIGKILL);
    m_server->kill();
    m_server->waitForFinished(kStartMs);
    m_server.reset();
}

QList<qint64> SshServer::sessionServers() const
{
    const qint64 server = m_server ? m_server->processId() : 0;
    return processes([&](qint64 pid) {
        for (qint64 parent = parentOf(pid); parent > 1; parent = parentOf(parent)) {
            if (parent == server)
                return fileOf(QStringLiteral("/proc/%1/comm").arg(pid)).startsWith("sshd");
        }
        return false;
    });
}

QList<qint64> SshServer::sessionProcesses() const
{
    const QByteArray mark = "SHARDSCOPE_SESSION_OF=" + m_folder.path().toLocal8Bit();
    return processes(
        [&](qint64 pid) { return fileOf(QStringLiteral("/proc/%1/environ").arg(pid)).split('\0').contains(mark); });
}

} // namespace shardscope::tests

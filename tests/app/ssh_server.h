// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMap>
#include <QProcess>
#include <QString>
#include <QTemporaryDir>
#include <memory>

namespace shardscope::tests {

/// A real sshd on the loopback interface, with its port, host key, user keys and known hosts in a folder of its own;
/// the ssh of this process is pointed at it (SHARDSCOPE_SSH), and knows it as "loop". Two more names lead nowhere: at
/// "silent" something listens and never says a word, at "closed" nothing listens.
class SshServer
{
public:
    SshServer();
    ~SshServer();
    SshServer(const SshServer &) = delete;
    SshServer &operator=(const SshServer &) = delete;

    /// What its sessions find in their environment, PATH for example; at the next start.
    void setEnvironment(const QString &name, const QString &value) { m_environment[name] = value; }
    /// Empty, or why it does not run.
    [[nodiscard]] QString start();
    /// The server and its sessions, at once.
    void stop();

    enum class Key { Plain, WithPassphrase, None };
    /// With what this user shows who it is.
    void useKey(Key key);
    static constexpr const char *kPassphrase = "open sesame";

    enum class Knows { Host, Nothing, AnotherKey };
    /// What stands about the host in this user's list.
    void setKnown(Knows knows);
    [[nodiscard]] QString knownHosts() const;
    /// "SHA256:..." of the host's key.
    [[nodiscard]] QString fingerprint() const;

    /// Processes that belong to it by their environment: of sessions, not sshd itself.
    [[nodiscard]] QList<qint64> sessionProcesses() const;
    /// sshd's own process of each session.
    [[nodiscard]] QList<qint64> sessionServers() const;

private:
    void newKey(const QString &name, const QString &passphrase) const;
    void write(const QString &name, const QString &text) const;
    [[nodiscard]] QString read(const QString &name) const;
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    void writeClientConfig(Key key) const;

    QTemporaryDir m_folder;
    QMap<QString, QString> m_environment;
    std::unique_ptr<QProcess> m_server;
    int m_silent = -1;
    int m_port = 0;
};

} // namespace shardscope::tests

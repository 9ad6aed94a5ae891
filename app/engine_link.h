// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/codec.h"

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <optional>

namespace shardscope {

/// The engine as a child process: commands in, events out, nothing else known of it. Never blocks; it is started by the
/// first command and again only when somebody asks.
class EngineLink : public QObject
{
    Q_OBJECT
public:
    explicit EngineLink(QString program, QObject *parent = nullptr);
    ~EngineLink() override;

    /// The engine beside this program; `given` (--engine) wins.
    [[nodiscard]] static QString findProgram(const QString &given);

    [[nodiscard]] bool running() const { return m_process != nullptr; }
    /// The last 256 KiB of the engine's stderr.
    [[nodiscard]] const QString &log() const { return m_log; }
    [[nodiscard]] const std::optional<HelloEvent> &hello() const { return m_hello; }

    /// Starts the engine when it does not run.
    void send(const Command &command);
    /// Ends the engine and starts a fresh one.
    void restart();
    /// Ends the engine without waiting: its stdin is closed, which makes it end its ranks and leave; after a grace it
    /// is killed, and the kernel takes its ranks along.
    void stop();

Q_SIGNALS:
    void eventReceived(const shardscope::Event &event);
    /// A line that could not be read; the rest of the stream goes on.
    void lineRejected(int line, const shardscope::Text &problem);
    /// The engine ended by itself or could not be started; `reason` is one sentence.
    void engineEnded(const QString &reason);

private:
    void start();
    void readEvents();
    void readLog();
    void onFinished(int exitCode, QProcess::ExitStatus status);
    void onStartFailed();
    void forget();

    QString m_program;
    QProcess *m_process = nullptr;
    Decoder m_decoder;
    std::optional<HelloEvent> m_hello;
    QString m_log;
};

} // namespace shardscope

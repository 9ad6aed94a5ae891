// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/record/codec.h"

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <memory>
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
    /// What the engine wrote to stderr, the details of its messages and the lines that could not be read: the last
    /// 128 to 256 thousand characters.
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
    /// The engine has said who it is; hello() is set.
    void helloReceived();
    /// A line that could not be read; the rest of the stream goes on.
    void lineRejected(int line, const shardscope::Text &problem);
    /// The engine ended by itself or could not be started; `reason` is one sentence, `remedy` may be empty.
    void engineEnded(const QString &reason, const QString &remedy);

private:
    void start();
    void readEvents();
    void readLog();
    void addToLog(const QString &text);
    void onEvent(Event &&event);
    void onFinished(int exitCode, QProcess::ExitStatus status);
    void onStartFailed();
    void forget();

    QString m_program;
    QProcess *m_process = nullptr;
    std::shared_ptr<Decoder> m_decoder; ///< shared with the call that feeds it: a receiver may start another engine
    std::optional<HelloEvent> m_hello;
    QString m_log;
};

} // namespace shardscope

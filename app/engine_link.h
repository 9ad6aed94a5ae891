// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/engine_start.h"
#include "engine/record/codec.h"
#include "ui/remote/ssh_question.h"

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <chrono>
#include <memory>
#include <optional>

namespace shardscope {

class AskpassServer;

/// The engine as a child process: commands in, events out, nothing else known of it. Never blocks; it is started by the
/// first command and again only when somebody asks. On another machine the child is ssh, and the stream is the same.
class EngineLink : public QObject
{
    Q_OBJECT
public:
    explicit EngineLink(QString program, QObject *parent = nullptr);
    ~EngineLink() override;

    /// The engine beside this program; `given` (--engine) wins.
    [[nodiscard]] static QString findProgram(const QString &given);

    /// Where the engine runs: [USER@]HOST of another machine, or empty: here. Ends the one that runs.
    void setRemote(const QString &address);
    [[nodiscard]] const QString &remote() const { return m_remote; }
    /// What ssh asks while it connects: by `questionAsked`, or, as it does by itself, on the terminal.
    void setAsksByWindow(bool asks) { m_asksByWindow = asks; }
    void answer(int question, const QString &text);
    /// How long another machine's engine may take to its hello, the time that the user is asked aside; 45 s.
    void setHelloLimit(std::chrono::milliseconds limit) { m_helloLimit.setInterval(limit); }

    [[nodiscard]] bool running() const { return m_process != nullptr; }
    /// Another machine's engine is started and has not said hello yet.
    [[nodiscard]] bool connecting() const { return running() && !m_remote.isEmpty() && !m_hello; }
    /// Whether a command would be heard, or start the engine: of another machine only after its hello.
    [[nodiscard]] bool ready() const { return m_remote.isEmpty() || (running() && m_hello); }
    /// What the engine wrote to stderr, the details of its messages and the lines that could not be read: the last
    /// 128 to 256 thousand characters.
    [[nodiscard]] const QString &log() const { return m_log; }
    [[nodiscard]] const std::optional<HelloEvent> &hello() const { return m_hello; }

    /// Starts the engine when it does not run.
    void connectNow();
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
    void questionAsked(const shardscope::SshQuestion &question);
    /// ssh does not wait for that answer any more.
    void questionWithdrawn(int question);
    /// A line that could not be read; the rest of the stream goes on.
    void lineRejected(int line, const shardscope::Text &problem);
    /// The engine ended by itself or could not be started; `reason` is one sentence, `remedy` may be empty.
    void engineEnded(const QString &reason, const QString &remedy);

private:
    void start();
    /// Empty, or why ssh's questions cannot be asked.
    [[nodiscard]] QString prepareQuestions();
    void readEvents();
    void readLog();
    void addToLog(const QString &text);
    void onEvent(Event &&event);
    void onFinished(int exitCode, QProcess::ExitStatus status);
    void onStartFailed();
    void onNoHello();
    void fail(const QString &reason, const QString &remedy);
    /// Says of an event where its numbers come from.
    void markOrigin(Event &event) const;
    void forget();
    void endQuestions();

    QString m_program; ///< of this machine
    QString m_remote;
    bool m_asksByWindow = false;
    QProcess *m_process = nullptr;
    AskpassServer *m_questions = nullptr; ///< of this connection
    QTimer m_helloLimit;                  ///< stands while the user is asked
    std::shared_ptr<Decoder> m_decoder;   ///< shared with the call that feeds it: a receiver may start another engine
    std::optional<HelloEvent> m_hello;
    QString m_log;
    QString m_errors; ///< of this engine alone, the last of them
};

} // namespace shardscope

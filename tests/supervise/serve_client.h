// SPDX-License-Identifier: MIT
#pragma once

#include "engine/record/codec.h"
#include "engine/supervise/process_table.h"

#include <QProcess>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

namespace shardscope {

/// The host under test: the scripted one, or the real one where SHARDSCOPE_TEST_HOST names it.
[[nodiscard]] QString hostProgram();
[[nodiscard]] bool isRealHost();

/// A rank host as the window sees it: a child that reads commands and writes events.
class ServeClient
{
public:
    explicit ServeClient(const QString &script = {});
    ~ServeClient();

    void send(const Command &command);
    void sendRaw(const QByteArray &bytes);
    void closeInput() { m_process.closeWriteChannel(); }

    /// Reads on until the condition holds for what has arrived; false when the host ends or a minute passes before.
    bool readUntil(const std::function<bool()> &condition);
    /// Reads until the n-th EndEvent.
    bool readEnds(std::size_t count);
    bool waitForEnd();

    [[nodiscard]] const std::vector<Event> &events() const { return m_events; }
    template <typename T>
    [[nodiscard]] std::vector<T> all() const
    {
        std::vector<T> found;
        for (const Event &event : m_events) {
            if (const auto *wanted = std::get_if<T>(&event))
                found.push_back(*wanted);
        }
        return found;
    }
    /// Messages of level Error.
    [[nodiscard]] std::vector<MessageEvent> errors() const;
    [[nodiscard]] int problems() const { return m_problems; }
    [[nodiscard]] pid_t pid() const { return static_cast<pid_t>(m_process.processId()); }
    [[nodiscard]] QProcess &process() { return m_process; }

private:
    void take(const QByteArray &bytes);

    QProcess m_process;
    Decoder m_decoder;
    std::vector<Event> m_events;
    int m_problems = 0;
};

/// The process of a rank of that host, by the name that it carries.
[[nodiscard]] std::optional<ProcessFacts> rankOfHost(pid_t host, int rank);

/// The process and what it has started, `generations` deep.
[[nodiscard]] std::vector<ProcessFacts> familyOf(pid_t head, int generations = 1);

/// Whether every one of them ends soon; a zombie that nobody has collected yet counts as ended.
[[nodiscard]] bool allEnd(const std::vector<ProcessFacts> &processes);

/// A run of `ranks` ranks with many or few steps.
[[nodiscard]] RunCommand runOf(const char *id, int ranks, int steps, const char *timeout = "10");

} // namespace shardscope

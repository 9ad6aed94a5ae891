// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QFile>
#include <QTemporaryDir>
#include <vector>

namespace shardscope::tests {

inline const QString kEngine = QStringLiteral(SHARDSCOPE_FAKE_ENGINE);
inline const Computer kComputer{2, std::int64_t{16'000'000'000}};

inline Experiment withRanks(int ranks)
{
    Experiment experiment;
    experiment.mesh.extents = {ranks, 1, 1};
    return experiment;
}

/// The longest plan that is allowed.
inline Experiment longest(int ranks)
{
    Experiment experiment = withRanks(ranks);
    experiment.layers = 64;
    experiment.microBatches = 8;
    return experiment;
}

/// A session on the fake engine, with what it said.
struct SessionSetup {
    explicit SessionSetup(const char *mode = "", const Experiment &first = withRanks(4),
                          const Computer &computer = kComputer)
        : commands(folder.filePath(QStringLiteral("commands"))), link(prepared(mode)), session(first, link, computer)
    {
        QObject::connect(&session, &Session::messageRaised,
                         [this](const UserMessage &message) { messages.push_back(message); });
    }
    QString prepared(const char *mode) const
    {
        qputenv("SHARDSCOPE_FAKE_MODE", mode);
        qputenv("SHARDSCOPE_FAKE_LOG", commands.toLocal8Bit());
        return kEngine;
    }
    /// How many commands of that name the engine has read.
    int sent(const QByteArray &command) const
    {
        QFile file(commands);
        return file.open(QIODevice::ReadOnly) ? static_cast<int>(file.readAll().count('"' + command + '"')) : 0;
    }
    /// Whether a message of that level with these words was raised.
    [[nodiscard]] bool said(UserMessage::Level level, const QString &words) const
    {
        for (const UserMessage &message : messages) {
            if (message.level == level && message.text.contains(words))
                return true;
        }
        return false;
    }
    [[nodiscard]] bool idle() const { return session.status().state != RunStatus::State::Running; }
    [[nodiscard]] std::size_t measured() const { return session.results().measured.size(); }

    QTemporaryDir folder;
    QString commands;
    EngineLink link;
    Session session;
    std::vector<UserMessage> messages;
};

} // namespace shardscope::tests

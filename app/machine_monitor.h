// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/engine_link.h"
#include "ui/pages/engine_machine.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace shardscope {

/// Gathers what the engine says of its machine: what it is made of, and how busy it has been for a minute.
class MachineMonitor : public QObject
{
    Q_OBJECT
public:
    explicit MachineMonitor(EngineLink &link, QObject *parent = nullptr);

    [[nodiscard]] const EngineMachine &machine() const { return m_machine; }
    /// Another machine may be used from now on: what the last one said goes.
    void follow();
    /// How long an engine may take from its hello to its topology before it counts as one that says nothing; 6 s.
    void setPatience(std::chrono::milliseconds patience) { m_patience.setInterval(patience); }

Q_SIGNALS:
    void changed();

private:
    void onHello();
    void onEvent(const Event &event);
    void onRest();
    void onEnded();

    EngineLink &m_link;
    QString m_remote; ///< the address that m_machine is of
    EngineMachine m_machine;
    QElapsedTimer m_clock;
    QTimer m_patience;
    QTimer m_rest; ///< between two runs of a row nothing rests
};

} // namespace shardscope

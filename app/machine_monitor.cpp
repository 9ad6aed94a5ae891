// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/machine_monitor.h"

#include "engine/record/plausible.h"
#include "ui/remote/host_name.h"

namespace shardscope {

namespace {

constexpr int kPatienceMs = 6000; ///< the management library of GPUs takes a second or two to load
constexpr int kRestMs = 1500;
constexpr double kMillisecond = 1e-3;

} // namespace

MachineMonitor::MachineMonitor(EngineLink &link, QObject *parent) : QObject(parent), m_link(link)
{
    m_clock.start();
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMs);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &MachineMonitor::onRest);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        m_machine.state = EngineMachine::State::Silent;
        Q_EMIT changed();
    });
    connect(&m_link, &EngineLink::helloReceived, this, &MachineMonitor::onHello);
    connect(&m_link, &EngineLink::eventReceived, this, &MachineMonitor::onEvent);
    connect(&m_link, &EngineLink::engineEnded, this, &MachineMonitor::onEnded);
}

void MachineMonitor::follow()
{
    if (m_link.remote() != m_remote) {
        m_remote = m_link.remote();
        m_machine = {};
        m_machine.name = m_remote.isEmpty() ? QString() : hostName(m_remote);
        m_patience.stop();
        m_rest.stop();
    }
    // Of an engine that ended nothing more comes; one that starts is asked.
    if (m_machine.state == EngineMachine::State::NotStarted && m_link.running())
        m_machine.state = EngineMachine::State::Asked;
    Q_EMIT changed();
}

void MachineMonitor::onHello()
{
    const HelloEvent &hello = *m_link.hello();
    m_machine.title = QString::fromStdString(hello.machine.host);
    m_machine.engineVersion = QString::fromStdString(hello.engineVersion);
    if (!m_machine.topology) {
        m_machine.state = EngineMachine::State::Asked;
        m_patience.start();
    }
    Q_EMIT changed();
}

void MachineMonitor::onEvent(const Event &event)
{
    if (const auto *told = std::get_if<TopologyEvent>(&event)) {
        m_patience.stop();
        int leftOut = 0; // another machine's engine may be of any version
        Topology topology = plausible(told->topology, leftOut);
        // It comes again with every run.
        if (m_machine.topology == topology)
            return;
        m_machine.topology = std::move(topology);
        m_machine.state = EngineMachine::State::Told;
    } else if (const auto *load = std::get_if<LoadEvent>(&event)) {
        addLoad(m_machine.loads, {static_cast<double>(m_clock.elapsed()) * kMillisecond, plausible(*load)});
        m_machine.computing = true;
        m_rest.stop();
    } else if (std::holds_alternative<RunEvent>(event)) {
        m_rest.stop();
        return;
    } else if (std::holds_alternative<EndEvent>(event)) {
        m_rest.start();
        return;
    } else {
        return;
    }
    Q_EMIT changed();
}

void MachineMonitor::onRest()
{
    if (!m_machine.computing)
        return;
    m_machine.computing = false;
    Q_EMIT changed();
}

/// What the machine is made of stays true; what it does is not known any more.
void MachineMonitor::onEnded()
{
    m_patience.stop();
    m_rest.stop();
    m_machine.computing = false;
    if (m_machine.state != EngineMachine::State::Told)
        m_machine.state = EngineMachine::State::NotStarted;
    Q_EMIT changed();
}

} // namespace shardscope

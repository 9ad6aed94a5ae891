// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/simulate/hardware.h"
#include "ui/results.h"

#include <QString>
#include <functional>
#include <optional>

namespace shardscope {

/// Answers about experiments other than the workbench's, for pages that show many beside each other. A value: later
/// measurements are seen, another machine of the predictions is another value.
class RunLookups
{
public:
    using FindRun = std::function<RunPtr(const Experiment &)>;
    using FindWords = std::function<QString(const Experiment &)>;

    /// Nothing is known and everything may run.
    RunLookups() = default;
    /// `predicted` may be called from any thread, the others from the GUI's alone.
    /// `machine` is another one that runs the ranks; empty: this one. `own` is what was measured of it.
    RunLookups(FindRun measured, FindRun predicted, FindWords refusal, Hardware hardware, QString machine = {},
               std::optional<Hardware> own = {})
        : m_measured(std::move(measured)), m_predicted(std::move(predicted)), m_refusal(std::move(refusal)),
          m_hardware(std::move(hardware)), m_machine(std::move(machine)), m_own(std::move(own))
    {
    }

    /// What was measured on the machine in use, or stands in the opened file, however often its step was repeated; null
    /// when nothing was.
    [[nodiscard]] RunPtr measured(const Experiment &experiment) const { return askRun(m_measured, experiment); }
    /// On the machine of the predictions, by any thread; null when the experiment is not valid.
    [[nodiscard]] RunPtr predicted(const Experiment &experiment) const { return askRun(m_predicted, experiment); }
    /// Why it cannot run there, one sentence; empty: it can.
    [[nodiscard]] QString refusal(const Experiment &experiment) const
    {
        return m_refusal ? m_refusal(experiment) : QString();
    }
    /// Which machine the predictions are for, in the workbench's number format; without a name: none yet.
    [[nodiscard]] const Hardware &hardware() const { return m_hardware; }
    /// Another machine that runs the ranks; empty: this one.
    [[nodiscard]] const QString &machine() const { return m_machine; }
    /// What was measured of the machine that runs the ranks, whatever the predictions are for; null: nothing yet.
    [[nodiscard]] const Hardware *own() const { return m_own ? &*m_own : nullptr; }

private:
    static RunPtr askRun(const FindRun &find, const Experiment &experiment)
    {
        return find ? find(experiment) : nullptr;
    }

    FindRun m_measured;
    FindRun m_predicted;
    FindWords m_refusal;
    Hardware m_hardware;
    QString m_machine;
    std::optional<Hardware> m_own;
};

} // namespace shardscope

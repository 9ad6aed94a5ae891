// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"

class QPushButton;

namespace shardscope {

/// A page about the workbench's layer that shows points of its own, with a button that has them measured here and a
/// line that says how many are.
class MeasuredPage : public Page
{
    Q_OBJECT
public:
    using Page::Page;

    void setInput(const PageInput &input) final;
    void setBusy(bool busy) final;

protected:
    /// Below the controls that a page adds before; its words belong to its `wantedRuns`.
    void addMeasureButton(const QString &label, const QString &tooltip);
    /// The same input, but other points or another picture of it.
    void refresh();
    [[nodiscard]] const PageInput &input() const { return m_input; }
    /// Begins the picture of the input. Called with a plan there, whenever anything has changed.
    virtual void showInput() = 0;

private:
    void onMeasure();

    PageInput m_input;
    QPushButton *m_button = nullptr;
    TextLabel *m_state = nullptr;
    std::vector<Experiment> m_runnable; ///< of the points those that can run here
    std::vector<Experiment> m_missing;  ///< of those what is not measured
    bool m_busy = false;
};

/// What was measured of these points, null where nothing was: collected in the GUI's thread, used in any.
[[nodiscard]] std::vector<RunPtr> measuredOf(const std::vector<Experiment> &points, const RunLookups &runs);

} // namespace shardscope

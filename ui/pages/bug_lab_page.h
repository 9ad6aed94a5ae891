// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/bug_values.h"
#include "ui/pages/page.h"

class QComboBox;
class QPushButton;

namespace shardscope {

/// Ten mistakes that people make, each run for real beside the layer done right.
class BugLabPage : public Page
{
    Q_OBJECT
public:
    explicit BugLabPage(QWidget *parent = nullptr);

    void setInput(const PageInput &input) override;
    /// "--scheme bug:all-reduce-columns".
    [[nodiscard]] QString options() const override;
    void setOptions(const QString &words) override;
    /// All of them that can run here.
    [[nodiscard]] std::vector<Experiment> wantedRuns() const override;
    void setBusy(bool busy) override;

private:
    void addControls();
    void choose(Scheme bug);
    void showChosen();
    void enableWhatApplies();

    PageInput m_input;
    std::optional<Scheme> m_ofWorkbench; ///< whose bug was chosen by the workbench's last
    BugLabValues m_values;
    bool m_busy = false;
    QComboBox *m_list = nullptr;
    QPushButton *m_run = nullptr;
    QPushButton *m_runAll = nullptr;
    QPushButton *m_open = nullptr;
};

} // namespace shardscope

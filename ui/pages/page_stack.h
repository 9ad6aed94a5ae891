// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/page_id.h"

#include <QStackedWidget>
#include <map>
#include <set>

namespace shardscope {

/// The workbench and the pages beside it, one shown at a time. A page is built when it is first needed: the window
/// opens without waiting for any.
class PageStack : public QStackedWidget
{
    Q_OBJECT
public:
    /// `workbench` is the page that is shown first.
    explicit PageStack(QWidget *workbench, QWidget *parent = nullptr);

    void showPage(PageId id);
    [[nodiscard]] PageId current() const { return m_current; }
    /// Built, and up to date, from now on; nullptr for the workbench and for what this version has not.
    Page *page(PageId id);

    void setExperiment(const Experiment &experiment, std::shared_ptr<const Plan> plan);
    void setResults(const Results &results);
    /// What is known of other experiments; `runsChanged` says that more was measured.
    void setLookups(const RunLookups &lookups);
    void runsChanged();
    /// The machine whose engine is used, for the page about it.
    void setMachine(const EngineMachine &machine);
    /// Whether ranks run.
    void setBusy(bool busy);
    void setLook(const Look &look);

    /// The settings of every page, built or not.
    [[nodiscard]] QByteArray saveState() const;
    void restoreState(const QByteArray &state);

Q_SIGNALS:
    void pageChanged(shardscope::PageId id);
    void experimentChosen(const shardscope::Experiment &experiment);
    void runsWanted(const std::vector<shardscope::Experiment> &points);

private:
    [[nodiscard]] Page *build(PageId id);
    void inputChanged();

    PageId m_current = PageId::Workbench;
    std::map<PageId, Page *> m_pages;
    std::set<PageId> m_outdated; ///< built, but given older input than this
    std::map<PageId, QString> m_options;
    PageInput m_input;
    EngineMachine m_machine;
    bool m_busy = false;
    Look m_look;
};

} // namespace shardscope

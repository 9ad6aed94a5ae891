// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/newest_answer.h"
#include "ui/pages/engine_machine.h"
#include "ui/pages/page_picture.h"
#include "ui/results.h"
#include "ui/run_lookups.h"

#include <QWidget>

namespace shardscope {

class PageCanvas;
class PageControls;

/// What the workbench shows, for the pages that are about the same layer.
struct PageInput {
    Experiment experiment;
    std::shared_ptr<const Plan> plan;
    Results results;
    RunLookups runs{}; ///< of other experiments
};

/// One page beside the workbench: a few controls on the left, one picture on the right.
class Page : public QWidget, public LookUser
{
    Q_OBJECT
public:
    /// `title` heads the controls and names the page for screen readers.
    explicit Page(const QString &title, QWidget *parent = nullptr);

    /// The layer, its plan and its runs changed. Only called while the page is shown, and before it is.
    virtual void setInput(const PageInput &) {}
    /// The settings of the page as shell words: "--model gpt3 --tp 8". Empty: it has none of its own.
    [[nodiscard]] virtual QString options() const { return {}; }
    /// What `options` gave at an earlier time; what cannot be read leaves the page as it is.
    virtual void setOptions(const QString &) {}
    /// What the page's picture shows as measured beside the layer of the workbench: an export without a window runs
    /// it first. Only valid experiments; those that cannot run here are left out by whoever runs them.
    [[nodiscard]] virtual std::vector<Experiment> wantedRuns() const { return {}; }
    /// Whether ranks run now, for whomever.
    virtual void setBusy(bool) {}
    /// What the machine whose engine is used is made of, and how busy it is: again every second of a run.
    virtual void setMachine(const EngineMachine &) {}
    /// Waits for one that is being made.
    [[nodiscard]] const PagePicture &picture() const;
    /// What goes to a file: the picture, without what is of this moment alone.
    [[nodiscard]] virtual PagePicture exported() const { return picture(); }

    void applyLook(const Look &look) override;

Q_SIGNALS:
    /// The user wants this layer in the workbench, and run.
    void experimentChosen(const shardscope::Experiment &experiment);
    /// The user wants these measured for the page; the workbench stays as it is, and setInput follows with each result.
    void runsWanted(const std::vector<shardscope::Experiment> &points);

protected:
    void setPicture(PagePicture picture);
    /// The same picture with other numbers: what is chosen in it stays chosen.
    void updatePicture(PagePicture picture);
    /// The same for a picture that takes long: `make` is called in another thread, the last one stays meanwhile.
    void setPictureLater(std::function<PagePicture()> make);
    [[nodiscard]] PageControls &controls() { return *m_controls; }
    [[nodiscard]] PageCanvas &canvas() { return *m_canvas; }

private:
    void show(const PagePicture &picture);

    PagePicture m_picture;
    mutable NewestAnswer<PagePicture> m_maker; ///< asking for the picture finishes it
    PageControls *m_controls;
    PageCanvas *m_canvas;
};

} // namespace shardscope

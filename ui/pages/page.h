// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/pages/page_picture.h"
#include "ui/results.h"

#include <QWidget>

namespace shardscope {

class PageCanvas;
class PageControls;

/// What the workbench shows, for the pages that are about the same layer.
struct PageInput {
    Experiment experiment;
    std::shared_ptr<const Plan> plan;
    Results results;
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
    [[nodiscard]] const PagePicture &picture() const { return m_picture; }

    void applyLook(const Look &look) override;

Q_SIGNALS:
    /// The user wants this layer in the workbench, and run.
    void experimentChosen(const shardscope::Experiment &experiment);

protected:
    void setPicture(PagePicture picture);
    [[nodiscard]] PageControls &controls() { return *m_controls; }
    [[nodiscard]] PageCanvas &canvas() { return *m_canvas; }

private:
    PagePicture m_picture;
    PageControls *m_controls;
    PageCanvas *m_canvas;
};

} // namespace shardscope

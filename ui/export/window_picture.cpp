// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/window_picture.h"

#include "ui/app_style.h"
#include "ui/main_window.h"
#include "ui/panels/experiment_panel.h"
#include "ui/panels/run_section.h"
#include "ui/timeline/timeline_view.h"
#include "ui/workbench.h"

#include <QCoreApplication>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>

namespace shardscope {

namespace {

/// A row of a scrolled panel of which a line or two are in sight: scaled down, its clip would be empty, which Qt takes
/// for none, and it would be painted over what lies below.
void hideSlivers(const QWidget &window)
{
    constexpr int kSliver = 2;
    for (QWidget *widget : window.findChildren<QWidget *>()) {
        const QRect inSight = widget->visibleRegion().boundingRect();
        if (!inSight.isEmpty() && inSight.height() <= kSliver && inSight.height() < widget->height())
            widget->hide();
    }
}

/// Whether something lies out of sight that no reader of a picture can scroll to. The panel of options is longer than
/// any window.
bool isCut(MainWindow &window)
{
    for (const QScrollArea *area : window.findChildren<QScrollArea *>()) {
        const bool scrolls = area->verticalScrollBar()->maximum() > 0 || area->horizontalScrollBar()->maximum() > 0;
        if (scrolls && area->isVisible() && !window.panel().isAncestorOf(area))
            return true;
    }
    return false;
}

/// Lays the window out for these design pixels, or for as many more as it takes to show everything.
void layOut(MainWindow &window, QSizeF designSize)
{
    constexpr double kMore = 1.06;
    constexpr double kWidest = 1920;
    for (QSizeF size = designSize;; size *= kMore) {
        window.resize(size.toSize());
        window.show();
        // Layouts settle by posted events; nothing else is let through.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        if (!isCut(window) || size.width() >= kWidest)
            return;
    }
}

} // namespace

QSize paintWindowPicture(QPainter &painter, QSizeF designSize, const Theme &theme, AppStyle &style,
                         const PictureContent &content, const WindowPictureState &state)
{
    MainWindow window(style);
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.setLook({&theme, 1});
    window.panel().setMostRanks(state.mostRanks);
    window.panel().runSection().setHardware(state.machines, state.machine);
    window.panel().runSection().setAutoRun(state.autoRun);
    window.setExperiment(state.experiment, content.plan);
    window.setResults(content.results);
    window.setStatus(state.status);
    window.workbench().playback().setPosition(content.position);
    window.workbench().playback().follow(content.followed);
    if (auto *timeline = window.findChild<TimelineView *>())
        timeline->choose(content.timelineStep);
    if (content.derivedStep)
        window.workbench().showDerivation(*content.derivedStep);
    layOut(window, designSize);
    hideSlivers(window);
    painter.save();
    // The window has whole design pixels; the picture has none to spare at its edge.
    painter.scale(designSize.width() / window.width(), designSize.height() / window.height());
    window.render(&painter, {}, {}, QWidget::DrawWindowBackground | QWidget::DrawChildren);
    painter.restore();
    window.hide();
    AppStyle::apply(style, state.current);
    return window.size();
}

} // namespace shardscope

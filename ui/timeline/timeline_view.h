// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/playback.h"
#include "ui/timeline/playhead_map.h"
#include "ui/timeline/timeline_plot.h"

#include <QWidget>

class QComboBox;

namespace shardscope {

/// The timeline card. Wheel or W/S zoom at the cursor, drag or A/D pan, F fits the selection, then everything, ',' and
/// '.' go to the previous and next collective, '<' and '>' to the previous and next measured step, a click puts the
/// playhead there.
class TimelineView : public QWidget
{
    Q_OBJECT
public:
    explicit TimelineView(Playback *playback, QWidget *parent = nullptr);

    /// `stale`: measured for other settings. The view is kept while the same experiment goes on.
    void setRun(std::shared_ptr<const Run> run, bool stale);
    void setTheme(const Theme &theme);
    void setUnit(double unit); ///< pixels per design pixel
    /// Which of the measured steps is drawn. A number falls back to the median when another experiment is shown.
    void choose(const IterationChoice &choice);
    [[nodiscard]] const IterationChoice &choice() const { return m_choice; }

    [[nodiscard]] TimelinePlot &plot() { return *m_plot; }

Q_SIGNALS:
    /// A collective was clicked, or Enter pressed on a chosen bar: why is it there?
    void derivationRequested(int step);

protected:
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    [[nodiscard]] double duration() const;
    void showPlayhead();
    void showFocus();
    void showHoveredStep(int step);
    void focusBar(const TimelineBar *bar);
    void select(const TimelineBar *bar);
    void zoom(double factor, double anchor);
    void pan(double share);
    void fit();
    void goToCollective(int direction);
    void goToStep(int direction);
    void showRun(std::shared_ptr<const Run> run, bool stale, bool keepView);
    void fillSteps();
    void placeSteps();
    [[nodiscard]] double anchorTime() const;

    Playback *m_playback;
    TimelinePlot *m_plot;
    QComboBox *m_steps; ///< hidden where there is nothing to choose
    IterationChoice m_choice;
    PlayheadMap m_map;
    const TimelineBar *m_selected = nullptr; ///< by click or key; F fits it first
    std::optional<QPointF> m_pressedAt;
    TimeRange m_pressedView;
    bool m_dragging = false;
};

} // namespace shardscope

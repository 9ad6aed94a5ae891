// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "ui/diagram/text_box.h"
#include "ui/theme.h"

#include <QPointer>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

namespace shardscope {

class Playback;

/// One named piece of the scrub bar: a plan step with all its hops.
struct ScrubSegment {
    int step = 0;
    int firstScene = 0;
    int scenes = 1;
    QString label;
    Pass pass = Pass::Forward;
};
[[nodiscard]] std::vector<ScrubSegment> scrubSegments(const Plan &plan);

/// Neighbouring steps of one pass, layer and micro-batch: what a long plan is read by.
struct ScrubGroup {
    int firstSegment = 0;
    int segments = 1;
    QString label; ///< "backward · layer 2 · #1"
    QString brief; ///< "b 2 #1"
    Pass pass = Pass::Forward;
};
[[nodiscard]] std::vector<ScrubGroup> scrubGroups(const Plan &plan);

/// The animation as a bar with a named segment per step; drag, click or arrow keys move the position. A collective's
/// segment is wider than a compute step's, but not by the number of its hops. A plan of many steps has a bar of groups,
/// and under it all steps in two rows; where these have no room, the steps of the group in which the position is.
class ScrubBar : public QWidget
{
    Q_OBJECT
public:
    explicit ScrubBar(QWidget *parent = nullptr);

    void setPlan(std::shared_ptr<const Plan> plan);
    void setTheme(const Theme &theme);
    void setUnit(double unit);
    void setPlayback(Playback *playback);

    /// Between position in scenes and x in this widget.
    [[nodiscard]] double xOf(double position) const;
    [[nodiscard]] double positionAt(double x) const;
    /// Whether there are too many steps to name each on the bar.
    [[nodiscard]] bool grouped() const { return m_groups.size() > 1; }
    /// The room of a step in the rows under the groups; empty for a step that is in none of them.
    [[nodiscard]] QRectF stepRect(int step) const;
    /// The names under the groups, that of the position's first.
    [[nodiscard]] std::vector<TextBox> groupLabels() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Enter: why is the step at the position there?
    void derivationRequested(int step);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    static constexpr double kStepRow = 22; ///< design pixels of a row of steps under the groups

    /// A step in one of the rows under the groups.
    struct StepBox {
        int segment = 0;
        QRectF box;
        QString text;
    };
    [[nodiscard]] const ScrubSegment &segmentIn(const StepBox &box) const
    {
        return m_segments[static_cast<std::size_t>(box.segment)];
    }
    /// The row of these segments, as wide as their names ask.
    [[nodiscard]] std::vector<StepBox> stepRow(int first, int count, double top) const;
    /// The first segment of the second of two rows; 0 where two rows have no room for the names of all steps.
    [[nodiscard]] int splitOfRows() const;
    void arrangeRows();
    /// Where there is one row, it is of the group in which the position is.
    void showGroup();
    [[nodiscard]] QRectF track() const;
    [[nodiscard]] double weight(const ScrubSegment &segment) const;
    [[nodiscard]] int segmentAt(double x) const;
    [[nodiscard]] int segmentOf(double position) const;
    [[nodiscard]] int groupOf(int segment) const;
    [[nodiscard]] int stepUnder(const QPointF &point) const;
    [[nodiscard]] std::pair<double, double> spanOf(const ScrubGroup &group) const;
    void goToSegment(int index);
    void paintTrack(QPainter &painter) const;
    void paintMark(QPainter &painter, double left, double right, bool lit) const;
    void paintSegments(QPainter &painter) const;
    void paintGroups(QPainter &painter) const;
    void paintSteps(QPainter &painter) const;
    void paintStep(QPainter &painter, const StepBox &step, bool current, bool near) const;
    void updateAccessibleText();

    std::vector<ScrubSegment> m_segments;
    std::vector<double> m_before{0};  ///< weights of the segments before each, and of all
    std::vector<ScrubGroup> m_groups; ///< empty: every step is named on the bar
    int m_split = 0;                  ///< of two rows of steps
    int m_groupShown = -1;            ///< where there is one row
    std::vector<StepBox> m_boxes;     ///< under the groups
    const Theme *m_theme;
    double m_unit = 1;
    QPointer<Playback> m_playback;
};

} // namespace shardscope

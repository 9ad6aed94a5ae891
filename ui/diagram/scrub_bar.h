// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "ui/theme.h"

#include <QPointer>
#include <QWidget>
#include <memory>
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

/// The animation as a bar with a named segment per step; drag, click or arrow keys move the position. A collective's
/// segment is wider than a compute step's, but not by the number of its hops.
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

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    [[nodiscard]] QRectF track() const;
    [[nodiscard]] double weight(const ScrubSegment &segment) const;
    [[nodiscard]] double totalWeight() const;
    [[nodiscard]] int segmentAt(double x) const;
    void updateAccessibleText();

    std::vector<ScrubSegment> m_segments;
    const Theme *m_theme;
    double m_unit = 1;
    QPointer<Playback> m_playback;
};

} // namespace shardscope

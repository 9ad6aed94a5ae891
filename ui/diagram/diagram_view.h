// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/diagram/scene_painter.h"

#include <QImage>
#include <QPointer>
#include <QWidget>
#include <memory>

namespace shardscope {

class Playback;
struct DiagramLayout;

/// The diagram in the window: paintDiagram with its still layer kept as an image. Click follows a tensor, click
/// beside tensors lets it go, or else asks for the derivation of the step; hovering lights the step everywhere.
class DiagramView : public QWidget
{
    Q_OBJECT
public:
    explicit DiagramView(QWidget *parent = nullptr);
    ~DiagramView() override;

    void setPlan(std::shared_ptr<const Plan> plan);
    void setRun(std::shared_ptr<const Run> run);
    /// The theme must outlive the view; themes are singletons.
    void setTheme(const Theme &theme);
    /// Pixels per design pixel; the screen's ratio is not in it.
    void setUnit(double unit);
    void setReducedMotion(bool reduced);
    /// Shared with timeline and scrub bar; the view sets its number of scenes.
    void setPlayback(Playback *playback);

    [[nodiscard]] QString narrationText() const;
    /// Ranks and their cards, for assistive technology.
    [[nodiscard]] int rankCount() const;
    [[nodiscard]] QRect rankRect(int rank) const;
    [[nodiscard]] QString rankText(int rank) const;
    /// The drawn frame, for tests and "copy picture".
    [[nodiscard]] DiagramFrame frame() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void narrationChanged(const QString &text);
    /// The title or a collective was clicked, or Enter pressed: why is the step there?
    void derivationRequested(int step);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    struct StillLayer;

    void invalidate();
    void onPosition();
    [[nodiscard]] int sceneAt(double position) const;
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] const StillLayer &still();
    [[nodiscard]] bool hasScenes() const;
    void showTensorTip(const QPointF &position, const QPoint &global);

    std::shared_ptr<const Plan> m_plan;
    std::shared_ptr<const Run> m_run;
    const Theme *m_theme;
    double m_unit = 1;
    bool m_reducedMotion = false;
    QPointer<Playback> m_playback;
    std::unique_ptr<StillLayer> m_still;
    QString m_narration;
    int m_narratedScene = -1;
    int m_sceneCount = 0;
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/diagram_view.h"

#include "ui/diagram/diagram_accessible.h"
#include "ui/diagram/paint_target.h"
#include "ui/diagram/scene_layers.h"
#include "ui/playback.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace shardscope {

/// One scene's still layer, and everything that it depends on.
struct DiagramView::StillLayer {
    int scene = -1;
    bool arrived = false;
    QString followed;
    bool hovered = false;
    qreal ratio = 1;
    DiagramLayout layout;
    QImage image;
};

DiagramView::DiagramView(QWidget *parent) : QWidget(parent), m_theme(&Theme::light())
{
    installDiagramAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Sharding diagram"));
}

DiagramView::~DiagramView() = default;

void DiagramView::setPlan(std::shared_ptr<const Plan> plan)
{
    m_plan = std::move(plan);
    m_sceneCount = m_plan ? static_cast<int>(sceneList(*m_plan).size()) : 0;
    if (m_playback)
        m_playback->setSceneCount(m_sceneCount);
    m_narratedScene = -1;
    invalidate();
    onPosition();
}

void DiagramView::setRun(std::shared_ptr<const Run> run)
{
    m_run = std::move(run);
    invalidate();
}

void DiagramView::setTheme(const Theme &theme)
{
    m_theme = &theme;
    invalidate();
}

void DiagramView::setUnit(double unit)
{
    m_unit = unit;
    invalidate();
}

void DiagramView::setReducedMotion(bool reduced)
{
    m_reducedMotion = reduced;
    invalidate();
}

void DiagramView::setPlayback(Playback *playback)
{
    if (m_playback)
        m_playback->disconnect(this);
    m_playback = playback;
    if (!playback)
        return;
    playback->setSceneCount(m_sceneCount);
    connect(playback, &Playback::positionChanged, this, &DiagramView::onPosition);
    connect(playback, &Playback::hoveredStepChanged, this, [this] { update(); });
    connect(playback, &Playback::followedTensorChanged, this, [this] { update(); });
    onPosition();
}

QString DiagramView::narrationText() const
{
    return hasScenes() ? narration(*m_plan, m_playback ? m_playback->position() : 0) : QString();
}

DiagramFrame DiagramView::frame() const
{
    DiagramFrame frame;
    frame.plan = m_plan.get();
    frame.run = m_run.get();
    frame.theme = m_theme;
    frame.unit = m_unit;
    frame.reducedMotion = m_reducedMotion;
    if (m_playback) {
        frame.position = m_playback->position();
        frame.followed = m_playback->followedTensor();
        frame.hoveredStep = m_playback->hoveredStep();
    }
    return frame;
}

int DiagramView::rankCount() const
{
    return hasScenes() ? m_plan->mesh().size() : 0;
}

QRect DiagramView::rankRect(int rank) const
{
    const DiagramLayout layout = layoutDiagram(frame(), area());
    for (const CardBox &card : layout.cards) {
        if (card.rank == rank)
            return card.box.toRect();
    }
    // In the map a rank is a row; in the overview all ranks share one card.
    const int row = layout.collective ? layout.collective->memberOf(rank).index : -1;
    if (layout.map && row >= 0) {
        const QRectF first = layout.map->cell(row, 0);
        return (first | layout.map->cell(row, layout.map->columns - 1)).toAlignedRect();
    }
    return layout.cards.empty() ? rect() : layout.cards.front().box.toRect();
}

QString DiagramView::rankText(int rank) const
{
    const DiagramLayout layout = layoutDiagram(frame(), area());
    const Step &step = m_plan->steps[static_cast<std::size_t>(layout.scene.step)];
    QStringList parts;
    for (const auto *list : {&step.inputs, &step.outputs}) {
        for (const TensorId id : *list) {
            const MatrixView view = matrixView(*m_plan, id, false, rank);
            if (view.look == MatrixView::Look::Absent)
                continue;
            parts << tr("%1 %2, here %3, %4").arg(view.name, view.globalShape, view.localShape, view.placement);
        }
    }
    return parts.join(QStringLiteral("; "));
}

QSize DiagramView::sizeHint() const
{
    return (QSizeF(960, 480) * m_unit).toSize();
}

QSize DiagramView::minimumSizeHint() const
{
    return {420, 240};
}

bool DiagramView::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        showTensorTip(help->pos(), help->globalPos());
        return true;
    }
    return QWidget::event(event);
}

void DiagramView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (!hasScenes()) {
        painter.fillRect(rect(), m_theme->background);
        return;
    }
    const DiagramFrame current = frame();
    if (!paintsOnScreen(painter, devicePixelRatioF())) {
        paintDiagram(painter, area(), current);
        return;
    }
    const StillLayer &layer = still();
    painter.drawImage(QPointF(0, 0), layer.image);
    const double fraction = std::clamp(current.position - layer.scene, 0.0, 1.0);
    paintMovingLayer(painter, layer.layout, current, fraction);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme->accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void DiagramView::mousePressEvent(QMouseEvent *event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton || !hasScenes() || !m_playback)
        return;
    const DiagramLayout &layout = still().layout;
    const QString tensor = tensorIn(layout, frame(), event->position());
    if (m_playback->followedTensor().isEmpty() && asksWhy(layout, frame(), event->position()))
        Q_EMIT derivationRequested(layout.scene.step);
    else
        m_playback->follow(tensor == m_playback->followedTensor() ? QString() : tensor);
}

void DiagramView::mouseMoveEvent(QMouseEvent *event)
{
    if (!hasScenes() || !m_playback)
        return;
    const DiagramLayout &layout = still().layout;
    const bool onCard = std::any_of(layout.cards.begin(), layout.cards.end(),
                                    [&](const CardBox &card) { return card.box.contains(event->position()); });
    m_playback->setHoveredStep(onCard ? layout.scene.step : -1);
    const bool leads =
        !tensorIn(layout, frame(), event->position()).isEmpty() || asksWhy(layout, frame(), event->position());
    setCursor(leads ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void DiagramView::leaveEvent(QEvent *event)
{
    if (m_playback)
        m_playback->setHoveredStep(-1);
    QWidget::leaveEvent(event);
}

void DiagramView::keyPressEvent(QKeyEvent *event)
{
    // The keys that move the picture are the window's; Escape lets the tensor go before it cancels a run.
    if (event->key() == Qt::Key_Escape && m_playback && !m_playback->followedTensor().isEmpty())
        m_playback->follow({});
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && hasScenes())
        Q_EMIT derivationRequested(still().layout.scene.step);
    else
        QWidget::keyPressEvent(event);
}

void DiagramView::invalidate()
{
    m_still.reset();
    update();
}

void DiagramView::onPosition()
{
    update();
    // Within a scene the words stay; the animation ticks sixty times a second.
    const int scene = sceneAt(m_playback ? m_playback->position() : 0);
    if (std::exchange(m_narratedScene, scene) == scene)
        return;
    QString text = narrationText();
    if (text == m_narration)
        return;
    m_narration = std::move(text);
    setAccessibleDescription(m_narration);
    Q_EMIT narrationChanged(m_narration);
}

int DiagramView::sceneAt(double position) const
{
    return std::clamp(static_cast<int>(std::floor(position)), 0, std::max(0, m_sceneCount - 1));
}

QRectF DiagramView::area() const
{
    return QRectF(QPointF(0, 0), QSizeF(size()));
}

bool DiagramView::hasScenes() const
{
    return m_plan && m_sceneCount > 0;
}

const DiagramView::StillLayer &DiagramView::still()
{
    const DiagramFrame current = frame();
    const int scene = sceneAt(current.position);
    const bool arrived = motionAt(std::min(1.0, current.position - scene), m_reducedMotion).arrived;
    const qreal ratio = devicePixelRatioF();
    const QSize pixels = (QSizeF(size()) * ratio).toSize();
    if (m_still && m_still->scene == scene && m_still->arrived == arrived && m_still->followed == current.followed &&
        m_still->hovered == (current.hoveredStep == m_still->layout.scene.step) && m_still->ratio == ratio &&
        m_still->image.size() == pixels)
        return *m_still;
    auto layer = std::make_unique<StillLayer>();
    layer->scene = scene;
    layer->arrived = arrived;
    layer->followed = current.followed;
    layer->ratio = ratio;
    layer->layout = layoutDiagram(current, area());
    layer->hovered = current.hoveredStep == layer->layout.scene.step;
    layer->image = QImage(pixels, QImage::Format_RGB32);
    layer->image.setDevicePixelRatio(ratio);
    QPainter painter(&layer->image);
    paintStillLayer(painter, layer->layout, current);
    painter.end();
    m_still = std::move(layer);
    return *m_still;
}

void DiagramView::showTensorTip(const QPointF &position, const QPoint &global)
{
    const QString tensor = hasScenes() ? tensorIn(still().layout, frame(), position) : QString();
    if (tensor.isEmpty() && hasScenes() && asksWhy(still().layout, frame(), position))
        QToolTip::showText(global, tr("Why this step: click for its derivation"), this);
    else if (tensor.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(global, tr("%1: click to follow it through all steps").arg(tensor), this);
}

} // namespace shardscope

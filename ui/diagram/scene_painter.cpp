// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/diagram/scene_painter.h"

#include "ui/diagram/chunk_painter.h"
#include "ui/diagram/matrix_painter.h"
#include "ui/diagram/scene_layers.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

void paintCard(QPainter &painter, const CardBox &card, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const Theme &t = *frame.theme;
    const double u = layout.metrics.u;
    const double radius = std::min(9 * u, card.box.width() / 4);
    const bool lit = frame.hoveredStep == layout.scene.step;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.surface);
    painter.drawRoundedRect(card.box, radius, radius);

    QPainterPath head;
    head.moveTo(card.header.bottomLeft());
    head.lineTo(card.header.left(), card.header.top() + radius);
    head.quadTo(card.header.topLeft(), card.header.topLeft() + QPointF(radius, 0));
    head.lineTo(card.header.right() - radius, card.header.top());
    head.quadTo(card.header.topRight(), card.header.topRight() + QPointF(0, radius));
    head.lineTo(card.header.bottomRight());
    head.closeSubpath();
    painter.fillPath(head, card.rank == kAllRanks || card.idle ? t.surface2 : t.rank(card.rank, layout.ranks));

    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(lit ? t.accent : t.border, (lit ? 2.4 : 1.2) * u));
    painter.drawRoundedRect(card.box, radius, radius);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintArrowHead(QPainter &painter, const QPointF &tip, const QPointF &from, double size)
{
    const double angle = std::atan2(tip.y() - from.y(), tip.x() - from.x());
    const auto corner = [&](double turn) {
        return tip - QPointF(std::cos(angle + turn) * size, std::sin(angle + turn) * size);
    };
    painter.drawPolygon(QPolygonF{tip, corner(-0.45), corner(0.45)});
}

void paintArrow(QPainter &painter, const ArrowBox &arrow, const Theme &theme, double u)
{
    const QPointF from(arrow.box.left(), arrow.box.center().y());
    const QPointF to(arrow.box.right(), arrow.box.center().y());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.text2, 1.8 * u));
    painter.drawLine(from, to - QPointF(4 * u, 0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text2);
    paintArrowHead(painter, to, from, 9 * u);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

bool isFollowed(const MatrixBox &matrix, const DiagramFrame &frame)
{
    return QString::fromStdString(frame.plan->tensor(matrix.view.tensor).name) == frame.followed;
}

bool isOutput(const Step &step, TensorId tensor)
{
    return std::find(step.outputs.begin(), step.outputs.end(), tensor) != step.outputs.end();
}

/// The result of a collective is there only when its last hop has arrived.
bool isPending(const MatrixBox &matrix, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    if (!layout.collective || !isOutput(step, matrix.view.tensor))
        return false;
    return !layout.collective->lastHop() || !motionAt(layout.fraction, frame.reducedMotion).arrived;
}

void paintVeil(QPainter &painter, const QRectF &box, const Theme &theme, double opacity)
{
    QColor veil = theme.surface;
    veil.setAlphaF(static_cast<float>(opacity));
    painter.fillRect(box, veil);
}

void paintMatrixBox(QPainter &painter, const MatrixBox &matrix, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const double u = layout.metrics.u;
    paintMatrix(painter, matrix.box, matrix.view, *frame.theme, u);
    if (isPending(matrix, layout, frame))
        paintVeil(painter, matrix.box.adjusted(-u, -u, u, u), *frame.theme, 0.62);
    if (frame.followed.isEmpty() || !isFollowed(matrix, frame))
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.theme->accent, 2.4 * u));
    const double out = 4.5 * u;
    painter.drawRoundedRect(matrix.box.adjusted(-out, -out, out, out), 4 * u, 4 * u);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

ChunkState stateOf(const DiagramLayout &layout, const DiagramFrame &frame, const ChunkBox &box)
{
    const CollectiveScene &c = *layout.collective;
    const bool arrived = motionAt(layout.fraction, frame.reducedMotion).arrived;
    const Contributions &shown = arrived ? c.after : c.before;
    const CollectiveScene::Member member = c.memberOf(box.rank);
    ChunkState state;
    state.chunk = box.chunk;
    state.members = c.groups[static_cast<std::size_t>(member.group)];
    state.ranks = layout.ranks;
    state.held = shown[static_cast<std::size_t>(member.index)][static_cast<std::size_t>(box.chunk)];
    state.complete = c.isComplete(state.held, box.chunk);
    state.leftover = arrived && c.lastHop() && !state.complete;
    if (arrived)
        return state;
    for (const Transfer &t : c.transfers()) {
        if (box.chunk < t.firstChunk || box.chunk >= t.firstChunk + t.chunkCount)
            continue;
        state.sending |= t.from == member.index;
        if (t.to == member.index) {
            state.receiving = true;
            state.accumulates = t.accumulate;
        }
    }
    return state;
}

void paintChunks(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame)
{
    for (const ChunkBox &box : layout.chunks) {
        const ChunkState state = stateOf(layout, frame, box);
        paintChunk(painter, box.box, state, *layout.collective, *frame.theme, layout.metrics.u);
        const bool written = state.complete || !layout.collective->gathers();
        if (box.count.isEmpty() && written)
            paintPill(painter, countPill(box.box, layout.metrics.u), *frame.theme);
    }
}

void paintLane(QPainter &painter, const LinkLane &lane, const QColor &colour, double u, bool thin)
{
    // The line stops at the node's rim, where the arrow head points to.
    const double rim = 10 * u;
    const QPointF end = lane.points.back();
    const QPointF before = lane.points[lane.points.size() - 2];
    const QLineF last(before, end);
    const QPointF tip = last.length() > rim ? last.pointAt(1 - rim / last.length()) : end;
    QPolygonF line(QList<QPointF>(lane.points.begin(), lane.points.end()));
    line.back() = tip;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(linkPen(colour, (thin ? 1.0 : 2.6) * u, lane.apart));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    paintArrowHead(painter, tip, last.length() > 4 * u ? before : lane.points[lane.points.size() / 2], 10 * u);
}

void paintLinks(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const Theme &t = *frame.theme;
    const double u = layout.metrics.u;
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const LinkLanes::Node &node : layout.links.nodes) {
        painter.setPen(QPen(t.text3, 1.8 * u));
        const QLineF line(node.card, node.at);
        painter.drawLine(line.pointAt(std::min(1.0, 2 * u / std::max(1.0, line.length()))), node.at);
    }
    const bool thin = layout.links.lanes.size() > 2 * layout.links.nodes.size();
    for (const LinkLane &lane : layout.links.lanes)
        paintLane(painter, lane, transferColour(*layout.collective, lane.transfer, t), u, thin);
    for (const LinkLanes::Node &node : layout.links.nodes) {
        painter.setPen(QPen(t.text, 1.4 * u));
        painter.setBrush(t.rank(node.rank, layout.ranks));
        painter.drawEllipse(node.at, 7.5 * u, 7.5 * u);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintRounded(QPainter &painter, const QRectF &box, const QColor &fill)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintHeader(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame)
{
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    paintRounded(painter, layout.badge, frame.theme->compute(step.pass));
    for (const TravelBox &travel : layout.travels) {
        if (!travel.never)
            paintRounded(painter, travel.box, travel.now ? frame.theme->accent : frame.theme->surface2);
    }
    for (std::size_t i = 0; i < layout.chips.size(); ++i) {
        const bool now = static_cast<int>(i) == layout.chipNow;
        paintRounded(painter, layout.chips[i], now ? frame.theme->accent : frame.theme->surface2);
    }
}

/// All boxes of a message's chunks at one rank, as one rectangle.
QRectF chunksRect(const DiagramLayout &layout, const Transfer &t, int rank)
{
    QRectF box;
    for (int c = t.firstChunk; c < t.firstChunk + t.chunkCount; ++c) {
        if (const ChunkBox *chunk = layout.chunk(rank, c))
            box |= chunk->box;
    }
    return box;
}

QRectF between(const QRectF &a, const QRectF &b, double share)
{
    const auto mix = [&](double x, double y) { return x + (y - x) * share; };
    return {mix(a.x(), b.x()), mix(a.y(), b.y()), mix(a.width(), b.width()), mix(a.height(), b.height())};
}

QRectF tokenRect(const DiagramLayout &layout, const LinkLane &lane, double travel)
{
    QRectF box(QPointF(), layout.links.token);
    box.moveCenter(pointAt(lane.points, travel));
    return box;
}

/// Fading copies behind the token, along the way that it came.
void paintTrail(QPainter &painter, const DiagramLayout &layout, const LinkLane &lane, double travel, QColor colour)
{
    constexpr int kGhosts = 5;
    // On a long way the copies still overlap: a trail, not a row of boxes.
    const double pace = std::min(0.05, 0.3 * layout.links.token.width() / std::max(1.0, lengthOf(lane.points)));
    for (int i = kGhosts; i >= 1; --i) {
        const double behind = travel - pace * i;
        if (behind <= 0)
            continue;
        QRectF ghost = tokenRect(layout, lane, behind);
        const double shrink = ghost.height() * 0.04 * i;
        colour.setAlphaF(static_cast<float>(0.34 - 0.055 * i));
        painter.fillRect(ghost.adjusted(0, shrink, 0, -shrink), colour);
    }
}

QString tokenLabel(const CollectiveScene &c, const Transfer &t)
{
    if (c.schedule.chunks == 1)
        return {};
    if (t.chunkCount == 1)
        return QStringLiteral("c%1").arg(t.firstChunk);
    return QStringLiteral("c%1–%2").arg(t.firstChunk).arg(t.firstChunk + t.chunkCount - 1);
}

void paintToken(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, const LinkLane &lane,
                const Motion &motion)
{
    const CollectiveScene &c = *layout.collective;
    const Transfer &t = lane.transfer;
    const Theme &theme = *frame.theme;
    const double u = layout.metrics.u;
    QRectF box = tokenRect(layout, lane, motion.travel);
    if (motion.travel <= 0)
        box = between(chunksRect(layout, t, lane.from), box, motion.leave);
    else if (motion.travel >= 1)
        box = between(box, chunksRect(layout, t, lane.to), motion.enter);
    const auto from = static_cast<std::size_t>(t.from);
    const std::uint64_t held = c.before[from][static_cast<std::size_t>(t.firstChunk)];
    const bool crowded = layout.links.lanes.size() > 2 * layout.links.nodes.size();
    if (motion.travel > 0 && motion.travel < 1 && !crowded)
        paintTrail(painter, layout, lane, motion.travel, theme.rank(lane.from, layout.ranks));
    const auto group = static_cast<std::size_t>(c.memberOf(lane.from).group);
    const ChunkState state{held, t.firstChunk, c.groups[group], layout.ranks, true};
    paintChunk(painter, box, state, c, theme, u);
    const QString label = tokenLabel(c, t);
    const double pixels = std::round(std::min(layout.metrics.small, layout.links.token.height() * 0.5));
    if (label.isEmpty() || pixels < 7)
        return;
    QRectF pill(QPointF(), textSize(label, pixels, 600) + QSizeF(8 * u, 0));
    pill.moveCenter(box.center());
    if (pill.width() > box.width() - 4)
        return;
    paintPill(painter, pill, theme);
    drawTextBox(painter, {pill, label, pixels, 600, theme.text, Qt::AlignCenter});
}

/// What just arrived shines briefly in the colour of its kind.
void paintFlash(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, double flash)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    for (const LinkLane &lane : layout.links.lanes) {
        const Transfer &t = lane.transfer;
        QColor colour = transferColour(*layout.collective, t, *frame.theme);
        colour.setAlphaF(static_cast<float>(flash));
        painter.setPen(QPen(colour, 4 * layout.metrics.u));
        for (int c = t.firstChunk; c < t.firstChunk + t.chunkCount; ++c) {
            if (const ChunkBox *chunk = layout.chunk(lane.to, c))
                painter.drawRoundedRect(chunk->box, 3 * layout.metrics.u, 3 * layout.metrics.u);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// While a step computes, the part of its result that is not there yet lies under a veil that a front lifts.
void paintSweep(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, const Motion &motion)
{
    const Step &step = frame.plan->steps[static_cast<std::size_t>(layout.scene.step)];
    const double u = layout.metrics.u;
    const double opacity = 0.78 * std::min(1.0, motion.sweep * 40);
    for (const MatrixBox &matrix : layout.matrices) {
        if (!isOutput(step, matrix.view.tensor) || matrix.view.look == MatrixView::Look::Absent)
            continue;
        const QRectF held = heldRect(matrix.box, matrix.view).adjusted(-u, -u, u, u);
        const double front = held.y() + held.height() * motion.sweep;
        paintVeil(painter, QRectF(held.x(), front, held.width(), held.bottom() - front), *frame.theme, opacity);
        painter.fillRect(QRectF(held.x() - 3 * u, front - u, held.width() + 6 * u, 2 * u), frame.theme->accent);
    }
}

} // namespace

void paintStillLayer(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame)
{
    painter.setRenderHint(QPainter::TextAntialiasing, true);
    painter.fillRect(layout.area, frame.theme->background);
    paintHeader(painter, layout, frame);
    paintSchedule(painter, layout, *frame.theme);
    paintHosts(painter, layout, *frame.theme);
    for (const CardBox &card : layout.cards)
        paintCard(painter, card, layout, frame);
    for (const MatrixBox &matrix : layout.matrices)
        paintMatrixBox(painter, matrix, layout, frame);
    for (const ArrowBox &arrow : layout.arrows)
        paintArrow(painter, arrow, *frame.theme, layout.metrics.u);
    if (layout.collective)
        paintChunks(painter, layout, frame);
    paintLinks(painter, layout, frame);
    if (layout.map)
        paintMap(painter, layout, frame);
    for (const SwatchBox &swatch : layout.swatches)
        paintSwatch(painter, swatch, layout, frame);
    for (const TextBox &text : layout.texts)
        drawTextBox(painter, text);
}

void paintMovingLayer(QPainter &painter, const DiagramLayout &layout, const DiagramFrame &frame, double fraction)
{
    const Motion motion = motionAt(fraction, frame.reducedMotion);
    if (!layout.collective) {
        if (motion.sweep >= 0)
            paintSweep(painter, layout, frame, motion);
        return;
    }
    if (motion.arrived) {
        if (motion.flash > 0)
            paintFlash(painter, layout, frame, motion.flash);
        return;
    }
    if (layout.map)
        paintMapMotion(painter, layout, frame, motion);
    if (motion.leave <= 0)
        return;
    for (const LinkLane &lane : layout.links.lanes)
        paintToken(painter, layout, frame, lane, motion);
}

void paintDiagram(QPainter &painter, const QRectF &area, const DiagramFrame &frame)
{
    painter.save();
    if (sceneList(*frame.plan).empty()) {
        painter.fillRect(area, frame.theme->background);
    } else {
        const DiagramLayout layout = layoutDiagram(frame, area);
        paintStillLayer(painter, layout, frame);
        paintMovingLayer(painter, layout, frame, layout.fraction);
    }
    painter.restore();
}

} // namespace shardscope

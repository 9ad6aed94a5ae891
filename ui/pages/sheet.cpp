// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sheet.h"

#include "ui/timeline/gantt_bars.h"

#include <QPainter>
#include <QPainterPath>
#include <cmath>
#include <numbers>

namespace shardscope {

namespace {

QVector<QLineF> uprightLines(const QRectF &rect, double spacing)
{
    QVector<QLineF> lines;
    for (double x = rect.left() + spacing / 2; x < rect.right(); x += spacing)
        lines.append(QLineF(x, rect.top(), x, rect.bottom()));
    return lines;
}

void paintBox(QPainter &painter, const Sheet::Box &box, double unit)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(box.fill.isValid() ? QBrush(box.fill) : QBrush(Qt::NoBrush));
    if (box.radius > 0)
        painter.drawRoundedRect(box.rect, box.radius, box.radius);
    else
        painter.drawRect(box.rect);
    if (box.hatch != Hatch::None) {
        painter.setPen(QPen(box.hatchColour, std::max(1.0, 1.4 * unit)));
        painter.drawLines(box.hatch == Hatch::Diagonal ? hatchLines(box.rect, box.spacing)
                                                       : uprightLines(box.rect, box.spacing));
    }
    if (!box.outline.isValid())
        return;
    painter.setPen(QPen(box.outline, box.line, box.dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    const double inset = box.line / 2;
    const QRectF frame = box.rect.adjusted(inset, inset, -inset, -inset);
    if (box.radius > 0)
        painter.drawRoundedRect(frame, box.radius, box.radius);
    else if (frame.isValid())
        painter.drawRect(frame);
}

QPainterPath starPath(const QRectF &rect)
{
    constexpr int kPoints = 10;
    constexpr double kInner = 0.45;
    QPainterPath path;
    for (int i = 0; i < kPoints; ++i) {
        const double angle = std::numbers::pi * (2.0 * i / kPoints - 0.5);
        const double radius = rect.width() / 2 * (i % 2 == 0 ? 1 : kInner);
        const QPointF point = rect.center() + radius * QPointF(std::cos(angle), std::sin(angle));
        if (i == 0)
            path.moveTo(point);
        else
            path.lineTo(point);
    }
    path.closeSubpath();
    return path;
}

QPainterPath trianglePath(const QRectF &rect)
{
    QPainterPath path(QPointF(rect.center().x(), rect.top() + rect.height() * 0.04));
    path.lineTo(rect.right(), rect.bottom() - rect.height() * 0.06);
    path.lineTo(rect.left(), rect.bottom() - rect.height() * 0.06);
    path.closeSubpath();
    return path;
}

/// The strokes inside a sign.
QPainterPath strokes(SheetMark mark, const QRectF &rect)
{
    const auto at = [&rect](double x, double y) {
        return rect.topLeft() + QPointF(x * rect.width(), y * rect.height());
    };
    QPainterPath path;
    switch (mark) {
    case SheetMark::Tick:
        path.moveTo(at(0.27, 0.53));
        path.lineTo(at(0.44, 0.70));
        path.lineTo(at(0.74, 0.33));
        break;
    case SheetMark::Cross:
        path.moveTo(at(0.31, 0.31));
        path.lineTo(at(0.69, 0.69));
        path.moveTo(at(0.69, 0.31));
        path.lineTo(at(0.31, 0.69));
        break;
    case SheetMark::Dash:
        path.moveTo(at(0.29, 0.5));
        path.lineTo(at(0.71, 0.5));
        break;
    case SheetMark::Warning:
        path.moveTo(at(0.5, 0.38));
        path.lineTo(at(0.5, 0.62));
        path.moveTo(at(0.5, 0.78));
        path.lineTo(at(0.5, 0.79));
        break;
    case SheetMark::Star:
        break;
    }
    return path;
}

void paintMark(QPainter &painter, const Sheet::Mark &mark)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(mark.colour);
    if (mark.mark == SheetMark::Star)
        painter.drawPath(starPath(mark.rect));
    else if (mark.mark == SheetMark::Warning)
        painter.drawPath(trianglePath(mark.rect));
    else
        painter.drawEllipse(mark.rect);
    painter.setPen(QPen(mark.inside, mark.rect.width() * 0.12, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(strokes(mark.mark, mark.rect));
}

QPolygonF cornersOf(const Sheet::Dot &dot)
{
    const double r = dot.radius;
    QPolygonF corners;
    switch (dot.shape) {
    case DotShape::Square:
        corners = QRectF(-0.88 * r, -0.88 * r, 1.76 * r, 1.76 * r);
        break;
    case DotShape::Diamond:
        corners << QPointF(0, -1.25 * r) << QPointF(1.25 * r, 0) << QPointF(0, 1.25 * r) << QPointF(-1.25 * r, 0);
        break;
    case DotShape::Triangle:
        corners << QPointF(0, -1.2 * r) << QPointF(1.15 * r, 0.85 * r) << QPointF(-1.15 * r, 0.85 * r);
        break;
    case DotShape::TriangleDown:
        corners << QPointF(0, 1.2 * r) << QPointF(1.15 * r, -0.85 * r) << QPointF(-1.15 * r, -0.85 * r);
        break;
    case DotShape::Circle:
        break;
    }
    return corners.translated(dot.centre);
}

void paintDot(QPainter &painter, const Sheet::Dot &dot)
{
    painter.setPen(QPen(dot.outline, dot.line, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(dot.fill.isValid() ? QBrush(dot.fill) : QBrush(Qt::NoBrush));
    if (dot.shape == DotShape::Circle)
        painter.drawEllipse(dot.centre, dot.radius, dot.radius);
    else
        painter.drawPolygon(cornersOf(dot));
}

} // namespace

void paintSheet(QPainter &painter, const Sheet &sheet)
{
    painter.save();
    for (const Sheet::Box &box : sheet.boxes) {
        // Boxes share edges: with antialiasing their ground would shine through between them.
        painter.setRenderHint(QPainter::Antialiasing, box.radius > 0 || box.hatch == Hatch::Diagonal);
        paintBox(painter, box, sheet.unit);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const Sheet::Line &line : sheet.lines) {
        painter.setPen(QPen(line.colour, line.width, line.dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(line.line);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    for (const Sheet::Curve &curve : sheet.curves) {
        painter.setPen(QPen(curve.colour, curve.width, curve.style, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(curve.points);
    }
    for (const Sheet::Dot &dot : sheet.dots)
        paintDot(painter, dot);
    for (const Sheet::Mark &mark : sheet.marks)
        paintMark(painter, mark);
    for (const TextBox &text : sheet.texts)
        drawTextBox(painter, text);
    painter.restore();
}

} // namespace shardscope

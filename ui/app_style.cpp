// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/app_style.h"

#include <QApplication>
#include <QPainter>
#include <QPainterPath>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolTip>

namespace shardscope {

AppStyle::AppStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

QPalette AppStyle::paletteOf(const Theme &theme)
{
    QPalette palette;
    const std::pair<QPalette::ColorRole, QColor> roles[] = {
        {QPalette::Window, theme.background},
        {QPalette::WindowText, theme.text},
        {QPalette::Base, theme.surface},
        {QPalette::AlternateBase, theme.surface2},
        {QPalette::Text, theme.text},
        {QPalette::Button, theme.surface2},
        {QPalette::ButtonText, theme.text},
        {QPalette::BrightText, theme.error},
        {QPalette::Highlight, theme.accent},
        {QPalette::HighlightedText, theme.onAccent},
        {QPalette::ToolTipBase, theme.text},
        {QPalette::ToolTipText, theme.surface},
        {QPalette::PlaceholderText, theme.text3},
        {QPalette::Link, theme.accent},
        {QPalette::Light, theme.surface},
        {QPalette::Midlight, theme.surface2},
        {QPalette::Mid, theme.border},
        {QPalette::Dark, theme.border},
        {QPalette::Shadow, theme.border},
    };
    for (const auto &[role, color] : roles)
        palette.setColor(role, color);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.text3);
    return palette;
}

void AppStyle::apply(AppStyle &style, const Look &look)
{
    style.setLook(look);
    const QPalette palette = paletteOf(*look.theme);
    QApplication::setFont(uiFont(13, look.unit));
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
    QToolTip::setFont(uiFont(13, look.unit));
}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_SliderThickness:
    case PM_SliderControlThickness:
    case PM_SliderLength:
        return m_look.px(20);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
        return m_look.px(16);
    case PM_CheckBoxLabelSpacing:
        return m_look.px(8);
    case PM_ScrollBarExtent:
        return m_look.px(12);
    case PM_SplitterWidth:
        return m_look.px(8);
    case PM_ButtonMargin:
        return m_look.px(12);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int AppStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                        QStyleHintReturn *returned) const
{
    // A click on the groove goes there, as on a video's time line.
    if (hint == SH_Slider_AbsoluteSetButtons)
        return Qt::LeftButton;
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons)
        return 0;
    return QProxyStyle::styleHint(hint, option, widget, returned);
}

void AppStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                  const QWidget *widget) const
{
    const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
    if (control == CC_Slider && slider && slider->orientation == Qt::Horizontal)
        drawSlider(*slider, *painter, widget);
    else
        QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void AppStyle::drawSlider(const QStyleOptionSlider &option, QPainter &painter, const QWidget *widget) const
{
    const Theme &theme = *m_look.theme;
    const bool enabled = option.state & State_Enabled;
    const QRectF handle = subControlRect(CC_Slider, &option, SC_SliderHandle, widget);
    const double thickness = 4 * m_look.unit;
    QRectF groove(option.rect.left() + handle.width() / 2, handle.center().y() - thickness / 2,
                  option.rect.width() - handle.width(), thickness);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.border);
    painter.drawRoundedRect(groove, thickness / 2, thickness / 2);
    groove.setRight(handle.center().x());
    painter.setBrush(enabled ? theme.accent : theme.text3);
    painter.drawRoundedRect(groove, thickness / 2, thickness / 2);
    const double radius = 7.5 * m_look.unit;
    if (option.state & State_HasFocus) {
        QColor halo = theme.accent;
        halo.setAlpha(60);
        painter.setBrush(halo);
        painter.drawEllipse(handle.center(), radius + 2.5 * m_look.unit, radius + 2.5 * m_look.unit);
    }
    painter.setPen(QPen(enabled ? theme.accent : theme.text3, 2.5 * m_look.unit));
    painter.setBrush(theme.surface);
    painter.drawEllipse(handle.center(), radius - m_look.unit, radius - m_look.unit);
    painter.restore();
}

void AppStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                             const QWidget *widget) const
{
    switch (element) {
    case PE_PanelButtonCommand:
    case PE_PanelButtonTool:
        drawButton(*option, *painter, widget);
        return;
    case PE_IndicatorCheckBox:
        drawCheckBox(*option, *painter);
        return;
    case PE_FrameFocusRect:
        // Buttons and sliders show the focus themselves.
        if (widget && (widget->inherits("QAbstractButton") && !widget->inherits("QCheckBox")))
            return;
        break;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void AppStyle::drawButton(const QStyleOption &option, QPainter &painter, const QWidget *widget) const
{
    const Theme &theme = *m_look.theme;
    const bool enabled = option.state & State_Enabled;
    const bool primary = widget && widget->property("primary").toBool() && enabled;
    const bool on = option.state & State_On;
    QColor fill = primary ? theme.accent : on ? theme.surface : theme.surface2;
    if (enabled && (option.state & State_Sunken))
        fill = primary ? theme.accent.darker(115) : theme.border;
    else if (enabled && (option.state & State_MouseOver))
        fill = primary ? theme.accent.lighter(110) : on ? theme.surface : theme.grid;
    QColor line = primary || on ? theme.accent : theme.border;
    double width = on ? 1.5 : 1;
    if (option.state & State_HasFocus) {
        line = primary ? theme.text : theme.accent;
        width = 2;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, width * m_look.unit));
    painter.setBrush(fill);
    const double inset = width * m_look.unit / 2;
    const double radius = 5 * m_look.unit;
    painter.drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), radius, radius);
    painter.restore();
}

void AppStyle::drawCheckBox(const QStyleOption &option, QPainter &painter) const
{
    const Theme &theme = *m_look.theme;
    const bool on = option.state & State_On;
    const bool enabled = option.state & State_Enabled;
    const QRectF box = QRectF(option.rect).adjusted(1, 1, -1, -1);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(on && enabled ? theme.accent : theme.text3, 1.4 * m_look.unit));
    painter.setBrush(on && enabled ? theme.accent : theme.surface);
    painter.drawRoundedRect(box, 3 * m_look.unit, 3 * m_look.unit);
    if (on) {
        QPainterPath tick(box.topLeft() + QPointF(box.width() * 0.22, box.height() * 0.52));
        tick.lineTo(box.topLeft() + QPointF(box.width() * 0.42, box.height() * 0.72));
        tick.lineTo(box.topLeft() + QPointF(box.width() * 0.78, box.height() * 0.28));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(
            QPen(enabled ? theme.onAccent : theme.text3, 2 * m_look.unit, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPath(tick);
    }
    painter.restore();
}

void AppStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                           const QWidget *widget) const
{
    const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
    if (element == CE_PushButtonLabel && button && widget && (option->state & State_Enabled) &&
        widget->property("primary").toBool()) {
        QStyleOptionButton colored(*button);
        colored.palette.setColor(QPalette::ButtonText, m_look.theme->onAccent);
        QProxyStyle::drawControl(element, &colored, painter, widget);
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

} // namespace shardscope

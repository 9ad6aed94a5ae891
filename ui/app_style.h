// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"

#include <QProxyStyle>

class QStyleOptionSlider;

namespace shardscope {

/// Fusion with our metrics, sliders, buttons and check boxes. A button with the dynamic property "primary" is filled
/// with the accent; a checkable one shows its state by an accent outline.
class AppStyle : public QProxyStyle
{
public:
    AppStyle();

    void setLook(const Look &look) { m_look = look; }
    [[nodiscard]] static QPalette paletteOf(const Theme &theme);
    /// Sets palette, font and metrics of the whole application; the style must be the application's.
    static void apply(AppStyle &style, const Look &look);

    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returned) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;

private:
    void drawSlider(const QStyleOptionSlider &option, QPainter &painter, const QWidget *widget) const;
    void drawButton(const QStyleOption &option, QPainter &painter, const QWidget *widget) const;
    void drawCheckBox(const QStyleOption &option, QPainter &painter) const;

    Look m_look;
};

} // namespace shardscope

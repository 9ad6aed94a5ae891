// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look.h"

#include <QLayout>
#include <QPainter>

namespace shardscope {

namespace {

QColor colorOf(const Theme &theme, TextLabel::Role role)
{
    switch (role) {
    case TextLabel::Role::Text:
        return theme.text;
    case TextLabel::Role::Text2:
        return theme.text2;
    case TextLabel::Role::Text3:
        return theme.text3;
    case TextLabel::Role::Accent:
        return theme.accent;
    case TextLabel::Role::Ok:
        return theme.ok;
    case TextLabel::Role::Warn:
        return theme.warn;
    case TextLabel::Role::Error:
        return theme.error;
    }
    return theme.text;
}

} // namespace

void applyLookToAll(QWidget &root, const Look &look)
{
    if (auto *user = dynamic_cast<LookUser *>(&root))
        user->applyLook(look);
    const auto children = root.findChildren<QWidget *>();
    for (QWidget *child : children) {
        if (auto *user = dynamic_cast<LookUser *>(child))
            user->applyLook(look);
    }
}

TextLabel::TextLabel(const QString &text, double pixels, int weight, Role role, QWidget *parent)
    : QLabel(text, parent), m_pixels(pixels), m_weight(weight), m_role(role)
{
}

void TextLabel::setRole(Role role)
{
    m_role = role;
    applyLook(m_look);
}

void TextLabel::applyLook(const Look &look)
{
    m_look = look;
    setFont(uiFont(m_pixels, look.unit, m_weight));
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, colorOf(*look.theme, m_role));
    setPalette(colors);
}

Card::Card(QWidget *parent) : QWidget(parent) {}

void Card::applyLook(const Look &look)
{
    m_look = look;
    if (layout())
        layout()->setContentsMargins(look.px(14), look.px(12), look.px(14), look.px(12));
    update();
}

void Card::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_look.theme->border, 1));
    painter.setBrush(m_look.theme->surface);
    const double radius = 8 * m_look.unit;
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

#include <QColor>
#include <QLabel>
#include <QWidget>

namespace shardscope {

/// What all widgets share: colours, and pixels per design pixel.
struct Look {
    const Theme *theme = &Theme::light();
    double unit = 1;

    [[nodiscard]] int px(double designPixels) const { return qRound(designPixels * unit); }
};

/// A widget that colours or sizes itself beyond what palette and style do.
class LookUser
{
public:
    virtual ~LookUser() = default;
    virtual void applyLook(const Look &look) = 0;
};

/// Hands the look to every LookUser below `root`, `root` included.
void applyLookToAll(QWidget &root, const Look &look);

/// A label with its own size, weight and colour.
class TextLabel : public QLabel, public LookUser
{
public:
    enum class Role { Text, Text2, Text3, Accent, Ok, Warn, Error };
    TextLabel(const QString &text, double pixels, int weight, Role role, QWidget *parent = nullptr);

    void setRole(Role role);
    void applyLook(const Look &look) override;

private:
    double m_pixels;
    int m_weight;
    Role m_role;
    Look m_look;
};

/// A rounded surface that holds one thing.
class Card : public QWidget, public LookUser
{
public:
    explicit Card(QWidget *parent = nullptr);
    void applyLook(const Look &look) override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Look m_look;
};

} // namespace shardscope

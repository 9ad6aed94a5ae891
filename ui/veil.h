// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace shardscope {

/// Greys a card whose picture is of settings that are no longer shown. Takes neither mouse nor keys.
class Veil : public QWidget
{
public:
    /// Covers `card`, whatever its size; hidden at first.
    explicit Veil(QWidget &card);

    bool eventFilter(QObject *watched, QEvent *event) override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace shardscope

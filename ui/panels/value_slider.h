// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"

#include <QElapsedTimer>
#include <QSpinBox>
#include <QWidget>
#include <cstdint>
#include <vector>

class QSlider;

namespace shardscope {

/// A spin box whose arrows go from stop to stop; any other number can be typed.
class StopSpinBox : public QSpinBox
{
    Q_OBJECT
public:
    StopSpinBox(std::vector<int> stops, QWidget *parent = nullptr);
    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;

private:
    std::vector<int> m_stops;
};

/// Name, value to type, and a slider over the stops of a roughly logarithmic scale.
class ValueSlider : public QWidget, public LookUser
{
    Q_OBJECT
public:
    ValueSlider(const QString &name, std::vector<int> stops, QWidget *parent = nullptr);

    /// Shows a value without telling anybody; the slider stands at the nearest stop.
    void setValue(std::int64_t value);
    [[nodiscard]] int value() const { return m_spin->value(); }
    /// Explains the quantity, with its formula.
    void setExplanation(const QString &tooltip);
    void applyLook(const Look &look) override;

Q_SIGNALS:
    /// The user changed the value; changes of one drag, or in quick succession, share the gesture.
    void edited(int value, int gesture);

private:
    void onSlider(int index);
    void onSpin(int value);
    void announce(int value);
    [[nodiscard]] int nearestStop(std::int64_t value) const;

    std::vector<int> m_stops;
    QSlider *m_slider;
    StopSpinBox *m_spin;
    QElapsedTimer m_sinceEdit;
    int m_gesture = 0;
};

} // namespace shardscope

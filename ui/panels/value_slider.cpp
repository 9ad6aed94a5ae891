// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/value_slider.h"

#include <QGridLayout>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

/// Beyond every slider, and as many digits as have room; the experiment's own rules say what is too large.
constexpr int kLargestTyped = 99'999'999;
constexpr int kGesturePauseMs = 700;

/// Gestures are numbered over all sliders, so that two sliders never share one.
int nextGesture()
{
    static int last = 0;
    return ++last;
}

} // namespace

StopSpinBox::StopSpinBox(std::vector<int> stops, QWidget *parent) : QSpinBox(parent), m_stops(std::move(stops))
{
    setRange(1, kLargestTyped);
    setKeyboardTracking(false);
    setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setLocale(QLocale::c());
    setGroupSeparatorShown(false);
}

void StopSpinBox::stepBy(int steps)
{
    for (; steps > 0; --steps) {
        const auto next = std::upper_bound(m_stops.begin(), m_stops.end(), value());
        if (next != m_stops.end())
            setValue(*next);
    }
    for (; steps < 0; ++steps) {
        const auto here = std::lower_bound(m_stops.begin(), m_stops.end(), value());
        if (here != m_stops.begin())
            setValue(*std::prev(here));
    }
}

QAbstractSpinBox::StepEnabled StopSpinBox::stepEnabled() const
{
    StepEnabled enabled = StepNone;
    enabled.setFlag(StepUpEnabled, value() < m_stops.back());
    enabled.setFlag(StepDownEnabled, value() > m_stops.front());
    return enabled;
}

ValueSlider::ValueSlider(const QString &name, std::vector<int> stops, QWidget *parent)
    : QWidget(parent), m_stops(std::move(stops)), m_slider(new QSlider(Qt::Horizontal)),
      m_spin(new StopSpinBox(m_stops))
{
    auto *label = new QLabel(name);
    label->setBuddy(m_spin);
    m_slider->setRange(0, static_cast<int>(m_stops.size()) - 1);
    m_slider->setPageStep(2);
    const QString spokenName = QString(name).remove(QLatin1Char('&'));
    m_slider->setAccessibleName(spokenName);
    m_spin->setAccessibleName(spokenName);
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(label, 0, 0);
    grid->addWidget(m_spin, 0, 1);
    grid->addWidget(m_slider, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    connect(m_slider, &QSlider::sliderPressed, this, [this] { m_gesture = nextGesture(); });
    connect(m_slider, &QSlider::valueChanged, this, &ValueSlider::onSlider);
    connect(m_spin, &QSpinBox::valueChanged, this, &ValueSlider::onSpin);
}

int ValueSlider::nearestStop(std::int64_t value) const
{
    // Near on the slider's own, logarithmic scale.
    const double wanted = std::log2(static_cast<double>(std::max<std::int64_t>(value, 1)));
    const auto nearest = std::min_element(m_stops.begin(), m_stops.end(), [wanted](int a, int b) {
        return std::abs(std::log2(a) - wanted) < std::abs(std::log2(b) - wanted);
    });
    return static_cast<int>(nearest - m_stops.begin());
}

void ValueSlider::setValue(std::int64_t value)
{
    const QSignalBlocker quietSlider(m_slider);
    const QSignalBlocker quietSpin(m_spin);
    m_spin->setValue(static_cast<int>(std::clamp<std::int64_t>(value, 1, kLargestTyped)));
    // While the mouse holds the handle, a snapped value must not pull it away.
    if (!m_slider->isSliderDown())
        m_slider->setValue(nearestStop(value));
}

void ValueSlider::setExplanation(const QString &tooltip)
{
    setToolTip(tooltip);
    m_slider->setAccessibleDescription(tooltip);
    m_spin->setAccessibleDescription(tooltip);
}

void ValueSlider::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(2));
    m_spin->setMinimumWidth(look.px(84));
}

void ValueSlider::onSlider(int index)
{
    const int value = m_stops[static_cast<std::size_t>(index)];
    const QSignalBlocker quiet(m_spin);
    m_spin->setValue(value);
    announce(value);
}

void ValueSlider::onSpin(int value)
{
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(nearestStop(value));
    announce(value);
}

void ValueSlider::announce(int value)
{
    const bool pause = !m_sinceEdit.isValid() || m_sinceEdit.elapsed() > kGesturePauseMs;
    if (m_gesture == 0 || (!m_slider->isSliderDown() && pause))
        m_gesture = nextGesture();
    m_sinceEdit.start();
    Q_EMIT edited(value, m_gesture);
}

} // namespace shardscope

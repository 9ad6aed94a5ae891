// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/measured_page.h"

#include "ui/pages/page_controls.h"

#include <QPushButton>
#include <QStringList>
#include <algorithm>

namespace shardscope {

void MeasuredPage::addMeasureButton(const QString &label, const QString &tooltip)
{
    m_button = controls().addButton(label, tooltip);
    m_state = new TextLabel({}, 12, 400, TextLabel::Role::Text2);
    m_state->setWordWrap(true);
    controls().addWidget(m_state);
    connect(m_button, &QPushButton::clicked, this, &MeasuredPage::onMeasure);
}

void MeasuredPage::setInput(const PageInput &input)
{
    m_input = input;
    refresh();
}

void MeasuredPage::setBusy(bool busy)
{
    m_busy = busy;
    if (m_button)
        m_button->setEnabled(!busy && !m_runnable.empty());
}

void MeasuredPage::refresh()
{
    if (!m_input.plan)
        return;
    m_runnable.clear();
    m_missing.clear();
    const std::vector<Experiment> points = wantedRuns();
    QString refusal;
    for (const Experiment &point : points) {
        if (const QString why = m_input.runs.refusal(point); !why.isEmpty()) {
            refusal = why;
            continue;
        }
        m_runnable.push_back(point);
        const RunPtr run = m_input.runs.measured(point);
        if (!run || run->source != Source::Measured)
            m_missing.push_back(point);
    }
    const auto recorded = std::ranges::count_if(points, [this](const Experiment &point) {
        const RunPtr run = m_input.runs.measured(point);
        return run && run->source == Source::Recorded;
    });
    const QString &machine = m_input.runs.machine();
    const QString where = machine.isEmpty() ? tr("here") : tr("on %1").arg(machine);
    QStringList lines{
        tr("%1 of %2 measured %3.").arg(m_runnable.size() - m_missing.size()).arg(points.size()).arg(where)};
    if (recorded > 0)
        lines << tr("%1 recorded elsewhere.").arg(recorded);
    if (!refusal.isEmpty())
        lines << tr("%1 stay predicted: %2.").arg(points.size() - m_runnable.size()).arg(refusal);
    m_state->setText(lines.join(QLatin1Char(' ')));
    m_state->setVisible(!points.empty());
    setBusy(m_busy);
    showInput();
}

void MeasuredPage::onMeasure()
{
    // With nothing missing whoever asks wants them again.
    Q_EMIT runsWanted(m_missing.empty() ? m_runnable : m_missing);
}

std::vector<RunPtr> measuredOf(const std::vector<Experiment> &points, const RunLookups &runs)
{
    std::vector<RunPtr> found;
    found.reserve(points.size());
    for (const Experiment &point : points)
        found.push_back(runs.measured(point));
    return found;
}

} // namespace shardscope

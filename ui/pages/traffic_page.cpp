// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/traffic_page.h"

#include "ui/pages/layer_words.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_controls.h"
#include "ui/pages/traffic_sheet.h"

#include <QComboBox>
#include <algorithm>

namespace shardscope {

TrafficPage::TrafficPage(QWidget *parent) : Page(tr("Who sends to whom"), parent)
{
    m_axis = controls().addList(tr("&Axis"), {},
                                tr("Traffic along one axis of the mesh alone; the layer and its phase are the "
                                   "workbench's"));
    controls().addText(
        tr("One step of the workbench's layer, in its phase, with its algorithm. Rows send, columns receive."));
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this] {
        if (m_showing)
            return;
        m_wanted = m_axis->currentData().toString();
        refresh();
    });
}

void TrafficPage::setInput(const PageInput &input)
{
    m_input = input;
    showAxes();
    refresh();
}

void TrafficPage::showAxes()
{
    m_showing = true;
    m_axis->clear();
    m_axis->addItem(tr("All"), QString());
    for (const MeshAxis axis : kMeshAxes) {
        if (m_input.plan->mesh().extent(axis) > 1)
            m_axis->addItem(axisWord(axis), axisWord(axis));
    }
    m_axis->setEnabled(m_axis->count() > 2);
    // Another mesh may lack the axis that was chosen.
    m_axis->setCurrentIndex(std::max(0, m_axis->findData(m_wanted)));
    m_showing = false;
}

std::optional<MeshAxis> TrafficPage::axis() const
{
    for (const MeshAxis axis : kMeshAxes) {
        if (m_axis->isEnabled() && m_axis->currentData().toString() == axisWord(axis))
            return axis;
    }
    return std::nullopt;
}

void TrafficPage::refresh()
{
    if (m_input.plan)
        setPicture(trafficPicture(trafficValues(m_input, axis())));
}

QString TrafficPage::options() const
{
    return m_wanted.isEmpty() ? QString() : wordsOf({{"axis", m_wanted.toStdString()}});
}

void TrafficPage::setOptions(const QString &words)
{
    const OptionValues values = valuesOf(words);
    const auto axis = values.find("axis");
    m_wanted = axis == values.end() ? QString() : QString::fromStdString(axis->second);
    if (!m_input.plan)
        return;
    showAxes();
    refresh();
}

} // namespace shardscope

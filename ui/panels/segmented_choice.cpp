// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/segmented_choice.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

namespace shardscope {

SegmentedChoice::SegmentedChoice(const QString &name, const QVector<Option> &options, QWidget *parent)
    : QWidget(parent), m_group(new QButtonGroup(this))
{
    setAccessibleName(name);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    for (int i = 0; i < options.size(); ++i) {
        auto *button = new QPushButton(options[i].text);
        button->setCheckable(true);
        button->setToolTip(options[i].tooltip);
        button->setAccessibleName(name + QStringLiteral(": ") + options[i].text);
        button->setSizePolicy(QSizePolicy::MinimumExpanding, QSizePolicy::Fixed);
        m_group->addButton(button, i);
        row->addWidget(button);
    }
    m_group->setExclusive(true);
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool on) {
        if (on)
            Q_EMIT chosen(id);
    });
}

void SegmentedChoice::setIndex(int index)
{
    const QSignalBlocker quiet(m_group);
    if (QAbstractButton *button = m_group->button(index))
        button->setChecked(true);
}

int SegmentedChoice::index() const
{
    return m_group->checkedId();
}

void SegmentedChoice::setState(int index, bool enabled, const QString &tooltip)
{
    QAbstractButton *button = m_group->button(index);
    button->setEnabled(enabled);
    button->setToolTip(tooltip);
}

void SegmentedChoice::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(4));
    const auto buttons = m_group->buttons();
    for (QAbstractButton *button : buttons)
        button->setMinimumSize(look.px(36), look.px(28));
}

} // namespace shardscope

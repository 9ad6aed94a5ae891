// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_controls.h"

#include "ui/panels/labelled_row.h"
#include "ui/panels/scrolling_column.h"
#include "ui/panels/value_slider.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace shardscope {

namespace {

constexpr int kWidth = 270;

} // namespace

PageControls::PageControls(const QString &title, QWidget *parent)
    : Card(parent), m_problem(new TextLabel({}, 12, 500, TextLabel::Role::Warn))
{
    auto *content = new QWidget;
    m_column = new QVBoxLayout(content);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->addWidget(new TextLabel(title, 16, 600, TextLabel::Role::Text));
    m_column->addStretch(1);
    auto *scroll = new QScrollArea;
    scrollColumn(*scroll, content);
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto *outer = new QVBoxLayout(this);
    outer->addWidget(scroll, 1);
    outer->addWidget(m_problem);
    setAccessibleName(title);
}

void PageControls::addWidget(QWidget *widget)
{
    m_column->insertWidget(m_column->count() - 1, widget); // before the stretch
}

void PageControls::addCaption(const QString &text)
{
    addWidget(new TextLabel(text, 13, 600, TextLabel::Role::Text2));
}

void PageControls::addText(const QString &text)
{
    auto *label = new TextLabel(text, 13, 400, TextLabel::Role::Text2);
    label->setWordWrap(true);
    addWidget(label);
}

void PageControls::addRow(const QString &label, QWidget *control, bool below)
{
    QWidget *row = labelledRow(label, control, below);
    control->setAccessibleName(spoken(label));
    row->setToolTip(control->toolTip());
    addWidget(row);
}

void PageControls::addRow(const QString &label, QWidget *control, const QString &tooltip)
{
    control->setToolTip(tooltip);
    addRow(label, control, true);
}

QComboBox *PageControls::addList(const QString &label, const QVector<QPair<QString, QString>> &items,
                                 const QString &tooltip)
{
    auto *combo = new QComboBox;
    for (const auto &[id, text] : items)
        combo->addItem(text, id);
    combo->setToolTip(tooltip);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(12);
    addRow(label, combo, true);
    return combo;
}

QSpinBox *PageControls::addNumber(const QString &label, std::vector<int> stops, int least, int most,
                                  const QString &tooltip)
{
    auto *spin = new StopSpinBox(std::move(stops));
    spin->setRange(least, most);
    spin->setToolTip(tooltip);
    addRow(label, spin, false);
    return spin;
}

QCheckBox *PageControls::addSwitch(const QString &label, const QString &tooltip)
{
    auto *box = new QCheckBox(label);
    box->setToolTip(tooltip);
    addWidget(box);
    return box;
}

QPushButton *PageControls::addButton(const QString &label, const QString &tooltip)
{
    auto *button = new QPushButton(label);
    button->setToolTip(tooltip);
    button->setAccessibleName(spoken(label));
    addWidget(button);
    return button;
}

void PageControls::setProblem(const QString &problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

void PageControls::applyLook(const Look &look)
{
    Card::applyLook(look);
    setFixedWidth(look.px(kWidth));
    layout()->setSpacing(look.px(10));
    m_column->setSpacing(look.px(8));
    m_column->setContentsMargins(0, 0, look.px(8), 0);
}

} // namespace shardscope

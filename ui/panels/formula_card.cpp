// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/formula_card.h"

#include <QVBoxLayout>

namespace shardscope {

FormulaCard::FormulaCard(QWidget *parent)
    : QWidget(parent), m_caption(new TextLabel({}, 12, 400, TextLabel::Role::Text2)),
      m_formula(new TextLabel({}, 14, 500, TextLabel::Role::Text)),
      m_numbers(new TextLabel({}, 12, 400, TextLabel::Role::Text2)),
      m_result(new TextLabel({}, 20, 600, TextLabel::Role::Text)),
      m_perStep(new TextLabel({}, 12, 400, TextLabel::Role::Text2))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    for (TextLabel *label : {m_caption, m_formula, m_numbers, m_result, m_perStep}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    setAccessibleName(tr("Bytes sent by each rank"));
}

void FormulaCard::setFormula(const TrafficFormula &formula)
{
    m_caption->setText(formula.caption);
    m_formula->setText(formula.formula);
    m_formula->setVisible(!formula.formula.isEmpty());
    m_numbers->setText(QStringLiteral("= ") + formula.numbers);
    m_numbers->setVisible(!formula.numbers.isEmpty());
    m_result->setText(formula.result);
    m_perStep->setText(formula.perStep);
}

void FormulaCard::applyLook(const Look &look)
{
    layout()->setSpacing(look.px(3));
}

} // namespace shardscope

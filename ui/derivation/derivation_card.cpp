// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/derivation/derivation_card.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

/// The caption leads its first line.
QString htmlOf(const DerivationContent::Row &row, const Theme &theme)
{
    QStringList lines;
    for (const QString &line : row.lines)
        lines << line.toHtmlEscaped();
    return QStringLiteral("<span style=\"font-weight:600;color:%1\">%2</span>&ensp;%3")
        .arg(theme.accent.name(), row.caption.toHtmlEscaped(), lines.join(QStringLiteral("<br>")));
}

} // namespace

DerivationCard::DerivationCard(QWidget *parent)
    : Card(parent), m_list(new QComboBox), m_copy(new QPushButton(tr("Copy as te&xt"))),
      m_close(new QPushButton(tr("Close"))), m_scroll(new QScrollArea)
{
    auto *column = new QVBoxLayout(this);
    auto *heading = new QHBoxLayout;
    heading->addWidget(new TextLabel(tr("Derivation"), 16, 600, TextLabel::Role::Text), 1);
    heading->addWidget(m_copy);
    heading->addWidget(m_close);
    column->addLayout(heading);
    column->addWidget(m_list);
    column->addWidget(m_scroll, 1);
    m_close->setToolTip(tr("Back to the charts (Esc)"));
    m_copy->setToolTip(tr("The derivation as plain text, into the clipboard"));
    m_list->setAccessibleName(tr("Collectives and weight gradients"));
    m_list->setToolTip(tr("Collectives and weight gradients of this plan; the picture goes there"));
    m_list->setPlaceholderText(tr("Collectives and weight gradients"));
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(12);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    setAccessibleName(tr("Derivation"));
    connect(m_close, &QPushButton::clicked, this, &DerivationCard::closed);
    connect(m_copy, &QPushButton::clicked, this, &DerivationCard::copy);
    connect(m_list, &QComboBox::activated, this,
            [this](int index) { Q_EMIT stepChosen(m_list->itemData(index).toInt()); });
}

void DerivationCard::setPlan(std::shared_ptr<const Plan> plan)
{
    m_plan = std::move(plan);
    m_listed = false;
    setStep(m_step);
}

void DerivationCard::setResults(const Results &results)
{
    m_results = results;
    showContent();
}

void DerivationCard::setStep(int step)
{
    const int last = m_plan ? static_cast<int>(m_plan->steps.size()) - 1 : 0;
    m_step = std::clamp(step, 0, std::max(0, last));
    showContent();
}

void DerivationCard::showEvent(QShowEvent *event)
{
    Card::showEvent(event);
    showContent();
}

void DerivationCard::copy() const
{
    QGuiApplication::clipboard()->setText(m_content.asText());
}

void DerivationCard::fillList()
{
    if (std::exchange(m_listed, true))
        return;
    m_list->clear();
    for (const DerivedStep &derived : derivedSteps(*m_plan))
        m_list->addItem(derived.name, derived.step);
    m_list->setEnabled(m_list->count() > 0);
}

void DerivationCard::addText(const QString &text, double pixels, int weight, TextLabel::Role role,
                             Qt::TextFormat format)
{
    auto *label = new TextLabel(text, pixels, weight, role);
    label->setTextFormat(format);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->applyLook(m_look);
    m_lines->addWidget(label);
}

/// Made anew for each step; nobody sees a card that is closed, and a slider must not wait for it.
void DerivationCard::showContent()
{
    if (!m_plan || m_plan->steps.empty() || !isVisible())
        return;
    const DerivationContent before = std::exchange(m_content, derivationContent(*m_plan, m_step, m_results));
    fillList();
    const QSignalBlocker quiet(m_list);
    m_list->setCurrentIndex(m_list->findData(m_step));
    const int kept = before.title == m_content.title ? m_scroll->verticalScrollBar()->value() : 0;
    auto *content = new QWidget;
    m_lines = new QVBoxLayout(content);
    m_lines->setContentsMargins(0, 0, m_look.px(8), 0);
    m_lines->setSpacing(m_look.px(7));
    addText(m_content.place, 12, 400, TextLabel::Role::Text2);
    addText(m_content.title, 18, 600, TextLabel::Role::Text);
    addText(m_content.reason, 14.5, 400, TextLabel::Role::Text);
    for (const DerivationContent::Row &row : m_content.rows)
        addText(htmlOf(row, *m_look.theme), 14, 400, TextLabel::Role::Text, Qt::RichText);
    m_lines->addStretch(1);
    m_scroll->setWidget(content);
    content->setAutoFillBackground(false);
    m_scroll->verticalScrollBar()->setValue(kept);
    setAccessibleDescription(m_content.asText());
}

void DerivationCard::applyLook(const Look &look)
{
    Card::applyLook(look);
    m_look = look;
    layout()->setSpacing(look.px(8));
    showContent();
}

} // namespace shardscope

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

constexpr double kText = 14; ///< design pixels

/// One paragraph; sizes and the room above it in design pixels.
QString paragraph(const QString &html, double size, int weight, const QColor &colour, const Look &look, double above)
{
    return QStringLiteral("<p style=\"margin:%1px 0 0 0;font-size:%2px;font-weight:%3;color:%4\">%5</p>")
        .arg(look.px(above))
        .arg(look.px(size))
        .arg(weight)
        .arg(colour.name(), html);
}

/// The caption leads the first line.
QString htmlOf(const DerivationContent::Row &row, const Theme &theme)
{
    QStringList lines;
    for (const QString &line : row.lines)
        lines << line.toHtmlEscaped();
    return QStringLiteral("<span style=\"font-weight:600;color:%1\">%2</span>&ensp;%3")
        .arg(theme.accent.name(), row.caption.toHtmlEscaped(), lines.join(QStringLiteral("<br>")));
}

QString htmlOf(const DerivationContent &content, const Look &look)
{
    const Theme &theme = *look.theme;
    QString html = paragraph(content.place.toHtmlEscaped(), 12, 400, theme.text2, look, 0) +
                   paragraph(content.title.toHtmlEscaped(), 18, 600, theme.text, look, 3) +
                   paragraph(content.reason.toHtmlEscaped(), 14.5, 400, theme.text, look, 5);
    for (const DerivationContent::Row &row : content.rows)
        html += paragraph(htmlOf(row, theme), kText, 400, theme.text, look, 7);
    return html;
}

} // namespace

DerivationCard::DerivationCard(QWidget *parent)
    : Card(parent), m_list(new QComboBox), m_scroll(new QScrollArea),
      m_text(new TextLabel({}, kText, 400, TextLabel::Role::Text))
{
    auto *copy = new QPushButton(tr("Copy as te&xt"));
    auto *close = new QPushButton(tr("Close"));
    auto *column = new QVBoxLayout(this);
    auto *heading = new QHBoxLayout;
    heading->addWidget(new TextLabel(tr("Derivation"), 16, 600, TextLabel::Role::Text), 1);
    heading->addWidget(copy);
    heading->addWidget(close);
    column->addLayout(heading);
    column->addWidget(m_list);
    column->addWidget(m_scroll, 1);
    copy->setToolTip(tr("The derivation as plain text, into the clipboard"));
    close->setToolTip(tr("Back to the charts (Esc)"));
    m_list->setAccessibleName(tr("Collectives and weight gradients"));
    m_list->setToolTip(tr("Collectives and weight gradients of this plan; the picture goes there"));
    m_list->setPlaceholderText(tr("Collectives and weight gradients"));
    m_list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_list->setMinimumContentsLength(12);
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_scroll->setWidget(m_text);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_text->setAutoFillBackground(false);
    setAccessibleName(tr("Derivation"));
    connect(close, &QPushButton::clicked, this, &DerivationCard::closed);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_content.asText()); });
    connect(m_list, &QComboBox::activated, this,
            [this](int index) { Q_EMIT stepChosen(m_list->itemData(index).toInt()); });
}

void DerivationCard::setPlan(std::shared_ptr<const Plan> plan, int step)
{
    m_listed = m_listed && m_plan == plan;
    m_plan = std::move(plan);
    setStep(step);
}

void DerivationCard::setResults(const Results &results)
{
    m_results = results;
    m_ran.reset();
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

void DerivationCard::fillList()
{
    if (std::exchange(m_listed, true))
        return;
    m_list->clear();
    for (const DerivedStep &derived : derivedSteps(*m_plan))
        m_list->addItem(derived.name, derived.step);
    m_list->setEnabled(m_list->count() > 0);
}

/// Nobody sees a card that is closed, and a slider must not wait for it.
void DerivationCard::showContent()
{
    if (!m_plan || m_plan->steps.empty() || !isVisible())
        return;
    if (!m_ran)
        m_ran = summaryOfWhatRan(*m_plan, m_results);
    const QString before = std::exchange(m_content, derivationContent(*m_plan, m_step, m_results, *m_ran)).title;
    const QSignalBlocker quiet(m_list);
    fillList();
    m_list->setCurrentIndex(m_list->findData(m_step));
    m_text->setText(htmlOf(m_content, m_look));
    if (before != m_content.title)
        m_scroll->verticalScrollBar()->setValue(0);
    setAccessibleDescription(m_content.asText());
}

void DerivationCard::applyLook(const Look &look)
{
    Card::applyLook(look);
    m_look = look;
    layout()->setSpacing(look.px(8));
    m_text->setContentsMargins(0, 0, look.px(8), 0);
    showContent();
}

} // namespace shardscope

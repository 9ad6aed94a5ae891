// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/header_bar.h"

#include "ui/pages/page_list.h"
#include "ui/panels/segmented_choice.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>
#include <utility>

namespace shardscope {

namespace {

/// A label that never makes the window wider: what does not fit is elided, and the tooltip has all of it.
class StatusLabel : public TextLabel
{
public:
    using TextLabel::TextLabel;

    QSize minimumSizeHint() const override
    {
        return TextLabel::minimumSizeHint().boundedTo({24 * fontMetrics().averageCharWidth(), QWIDGETSIZE_MAX});
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const QString fitting = fontMetrics().elidedText(text(), Qt::ElideRight, width());
        style()->drawItemText(&painter, rect(), Qt::AlignLeft | Qt::AlignVCenter, palette(), true, fitting,
                              QPalette::WindowText);
    }
};

} // namespace

StatusDot::StatusDot(QWidget *parent) : QWidget(parent) {}

void StatusDot::setStatus(const RunStatus &status)
{
    m_state = status.state;
    m_incomplete = status.incomplete;
    m_failed = status.checks.failed();
    update();
}

void StatusDot::applyLook(const Look &look)
{
    m_look = look;
    setFixedSize(look.px(12), look.px(12));
}

void StatusDot::paintEvent(QPaintEvent *)
{
    const Theme &theme = *m_look.theme;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor color = theme.ok;
    if (m_state == RunStatus::State::Running)
        color = theme.accent;
    else if (m_failed)
        color = theme.error;
    else if (m_state == RunStatus::State::Stale || m_state == RunStatus::State::Predicted)
        color = theme.text3;
    else if (m_incomplete)
        color = theme.warn;
    // Hollow and solid as the bars are.
    painter.setPen(QPen(color, 2 * m_look.unit));
    painter.setBrush(m_state == RunStatus::State::Predicted ? QBrush(Qt::NoBrush) : QBrush(color));
    const double inset = 1.5 * m_look.unit;
    painter.drawEllipse(QRectF(rect()).adjusted(inset, inset, -inset, -inset));
}

namespace {

void setLine(TextLabel &label, const QString &text, const CheckVerdict &checks)
{
    label.setText(text);
    QStringList tip{text};
    for (const QString &more : {checks.rule, checks.details}) {
        if (!more.isEmpty())
            tip << more;
    }
    label.setToolTip(tip.join(QStringLiteral("\n\n")));
}

} // namespace

HeaderBar::HeaderBar(QWidget *parent)
    : QWidget(parent), m_dot(new StatusDot), m_status(new StatusLabel({}, 13, 500, TextLabel::Role::Text)),
      m_honesty(new StatusLabel({}, 12, 400, TextLabel::Role::Text2)), m_progress(new QProgressBar),
      m_run(new QPushButton(tr("Run"))), m_cancel(new QPushButton(tr("Cancel"))),
      m_export(new QPushButton(tr("&Export"))), m_theme(new QPushButton(tr("Dark"))),
      m_menu(new QPushButton(tr("Men&u"))), m_pageMenu(new QPushButton), m_left(new QHBoxLayout),
      m_right(new QHBoxLayout)
{
    m_run->setProperty("primary", true);
    m_run->setAccessibleName(tr("Run"));
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_cancel->setToolTip(tr("Stops the ranks (Esc)"));
    auto *texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(m_status);
    texts->addWidget(m_honesty);
    m_left->addWidget(new TextLabel(QStringLiteral("Shardscope"), 20, 600, TextLabel::Role::Text));
    m_left->addStretch(1);
    m_left->addWidget(m_dot);
    m_left->addLayout(texts);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_progress, m_cancel, m_run, m_export, m_theme, m_menu})
        m_right->addWidget(widget);
    m_rows = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_rows->addLayout(m_left, 1);
    m_rows->addLayout(m_right);
    connect(m_run, &QPushButton::clicked, this, &HeaderBar::runRequested);
    connect(m_cancel, &QPushButton::clicked, this, &HeaderBar::cancelRequested);
    setStatus({});
}

void HeaderBar::setStatus(const RunStatus &status)
{
    m_running = status.state == RunStatus::State::Running;
    m_dot->setStatus(status);
    // Numbers of a wrong result are not simply "measured": that comes first, and never is what does not fit.
    const QString dot = QStringLiteral(" \u00b7 ");
    const bool failed = status.checks.failed();
    const bool passed = status.checks.state == CheckVerdict::State::Passed;
    m_status->setRole(failed ? TextLabel::Role::Error : TextLabel::Role::Text);
    setLine(*m_status, failed ? status.checks.line + dot + status.text : status.text, status.checks);
    setLine(*m_honesty, passed ? status.checks.line + dot + status.honesty : status.honesty, status.checks);
    m_progress->setRange(0, status.fraction < 0 ? 0 : 1000);
    m_progress->setValue(qRound(status.fraction * 1000));
    m_run->setEnabled(status.canRun || status.canMeasure);
    const bool again = status.state == RunStatus::State::Measured;
    const QString measure =
        status.machine.isEmpty() ? tr("Measure this machine") : tr("Measure %1").arg(status.machine);
    m_run->setText(status.canMeasure ? measure : again ? tr("Run again") : tr("Run"));
    m_run->setToolTip(
        status.canMeasure
            ? tr("%1. Measures the machine instead, so that the prediction is for it (Ctrl+R)").arg(status.whyNot)
        : status.whyNot.isEmpty() ? tr("Measures training, prefill, decode and N = 1 (Ctrl+R)")
                                  : status.whyNot);
    showWhatConcerns();
}

void HeaderBar::showWhatConcerns()
{
    m_progress->setVisible(m_running);
    m_cancel->setVisible(m_running);
    m_run->setVisible(!m_running && m_runShown);
    // A run that goes on is seen from everywhere.
    for (QWidget *widget : std::initializer_list<QWidget *>{m_dot, m_status, m_honesty})
        widget->setVisible(m_running || m_runShown);
}

void HeaderBar::setRunShown(bool shown)
{
    m_runShown = shown;
    showWhatConcerns();
}

void HeaderBar::setPages(const QVector<QPair<QString, QString>> &pages)
{
    QVector<SegmentedChoice::Option> options;
    for (const auto &[title, tooltip] : pages)
        options.append({title, tooltip});
    m_pages = new SegmentedChoice(tr("Page"), options);
    m_pages->setIndex(0);
    m_pageMenu->setMenu(newPageMenu(pages));
    m_pageMenu->setToolTip(tr("What the window shows (Alt+1, Alt+2, ...)"));
    m_left->insertWidget(1, m_pages);
    m_left->insertWidget(2, m_pageMenu);
    m_pageMenu->hide();
    connect(m_pages, &SegmentedChoice::chosen, this, &HeaderBar::pageChosen);
    setPage(0);
}

QMenu *HeaderBar::newPageMenu(const QVector<QPair<QString, QString>> &pages)
{
    auto *menu = new QMenu(this);
    auto *group = new QActionGroup(menu);
    for (const auto &[title, tooltip] : pages) {
        const auto index = m_pageActions.size();
        QAction *action = group->addAction(title + QLatin1Char('\t') + pageKeys(index));
        action->setCheckable(true);
        action->setToolTip(tooltip);
        connect(action, &QAction::triggered, this, [this, index] { Q_EMIT pageChosen(static_cast<int>(index)); });
        m_pageActions << action;
    }
    menu->addActions(m_pageActions);
    menu->setToolTipsVisible(true);
    return menu;
}

void HeaderBar::setPage(int index)
{
    m_pages->setIndex(index);
    QAction *action = m_pageActions[index];
    action->setChecked(true);
    const QString title = action->text().section(QLatin1Char('\t'), 0, 0);
    m_pageMenu->setText(tr("&Page: %1").arg(title));
    m_pageMenu->setAccessibleName(tr("Page: %1").arg(title));
}

void HeaderBar::setMenus(QMenu *exportMenu, QMenu *mainMenu)
{
    m_export->setMenu(exportMenu);
    m_menu->setMenu(mainMenu);
}

void HeaderBar::setThemeAction(QAction *action)
{
    m_theme->setToolTip(action->toolTip());
    connect(m_theme, &QPushButton::clicked, action, &QAction::trigger);
}

void HeaderBar::applyLook(const Look &look)
{
    m_look = look;
    layout()->setContentsMargins(look.px(18), look.px(8), look.px(14), look.px(8));
    for (QBoxLayout *box : std::initializer_list<QBoxLayout *>{m_rows, m_left, m_right})
        box->setSpacing(look.px(10));
    for (QPushButton *button : {m_run, m_cancel, m_export, m_theme, m_menu, m_pageMenu})
        button->setMinimumHeight(look.px(34));
    m_progress->setFixedSize(look.px(110), look.px(8));
    m_theme->setText(look.theme->id == QLatin1String("dark") ? tr("Light") : tr("Dark"));
    m_theme->setAccessibleName(tr("Change to theme %1").arg(m_theme->text()));
    update();
}

QSize HeaderBar::minimumSizeHint() const
{
    const QMargins margins = m_rows->contentsMargins();
    int left = m_left->minimumSize().width();
    if (m_pages && !m_pages->isHidden())
        left += m_pageMenu->minimumSizeHint().width() - m_pages->minimumSizeHint().width();
    const int width = std::max(left, m_right->minimumSize().width());
    return {width + margins.left() + margins.right(), m_rows->minimumSize().height()};
}

bool HeaderBar::event(QEvent *event)
{
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) // other words are longer or shorter
        arrangeRows();
    return handled;
}

void HeaderBar::resizeEvent(QResizeEvent *)
{
    arrangeRows();
}

void HeaderBar::arrangeRows()
{
    const QMargins margins = m_rows->contentsMargins();
    int needed =
        m_left->sizeHint().width() + m_rows->spacing() + m_right->sizeHint().width() + margins.left() + margins.right();
    if (m_pages) {
        const int more = m_pages->sizeHint().width() - m_pageMenu->sizeHint().width();
        const int withSwitch = m_pages->isHidden() ? needed + more : needed;
        const bool fits = width() >= withSwitch;
        needed = fits ? withSwitch : withSwitch - more;
        m_pages->setVisible(fits);
        m_pageMenu->setVisible(!fits);
    }
    m_rows->setDirection(width() < needed ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void HeaderBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_look.theme->surface);
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_look.theme->border);
}

} // namespace shardscope

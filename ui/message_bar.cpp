// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/message_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace shardscope {

namespace {

constexpr int kFadeMs = 8000;

/// The engine's clauses begin in lower case, as a command line wants them. A name of a file, an option or a symbol
/// keeps its letters.
QString asSentence(QString text)
{
    const QString first = text.section(QLatin1Char(' '), 0, 0);
    const bool word = (first.size() > 1 || first == QLatin1String("a")) &&
                      std::all_of(first.begin(), first.end(), [](QChar letter) { return letter.isLetter(); });
    if (word)
        text[0] = text[0].toUpper();
    return text;
}

QString wordsOf(const UserMessage &message)
{
    const QString text = asSentence(message.text);
    if (message.remedy.isEmpty())
        return text;
    // "…stopped Use a smaller…" needs its full stop.
    return text + (text.endsWith(QLatin1Char('.')) ? QStringLiteral(" ") : QStringLiteral(". ")) +
           asSentence(message.remedy);
}

QString actionText(MessageAction action)
{
    switch (action) {
    case MessageAction::ShowLog:
        return MessageBar::tr("Show log");
    case MessageAction::RestartEngine:
        return MessageBar::tr("Restart the engine");
    case MessageAction::UseSmallerSize:
        return MessageBar::tr("Use a smaller size");
    case MessageAction::Run:
        return MessageBar::tr("Run");
    case MessageAction::OpenFile:
        return MessageBar::tr("Open another file");
    case MessageAction::Retry:
        return MessageBar::tr("Retry");
    case MessageAction::UseThisMachine:
        return MessageBar::tr("Back to this machine");
    }
    return {};
}

} // namespace

MessageBar::MessageBar(QWidget *parent)
    : QWidget(parent), m_text(new TextLabel({}, 13, 500, TextLabel::Role::Text)),
      m_news(new TextLabel({}, 13, 400, TextLabel::Role::Text2)), m_buttons(new QHBoxLayout)
{
    auto *words = new QVBoxLayout;
    for (TextLabel *label : {m_text, m_news}) {
        label->setWordWrap(true);
        // The engine's words may hold a '<'.
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->addWidget(label);
    }
    m_news->hide();
    auto *row = new QHBoxLayout(this);
    row->addLayout(words, 1);
    row->addLayout(m_buttons);
    setAccessibleName(tr("Message"));
    m_fade.setSingleShot(true);
    m_fade.setInterval(kFadeMs);
    connect(&m_fade, &QTimer::timeout, this, &MessageBar::dismiss);
    m_newsFade.setSingleShot(true);
    m_newsFade.setInterval(kFadeMs);
    connect(&m_newsFade, &QTimer::timeout, m_news, &QWidget::hide);
    hide();
}

void MessageBar::showMessage(const UserMessage &message)
{
    if (!isHidden() && message.level < m_message.level) {
        showNews(wordsOf(message));
        return;
    }
    m_message = message;
    const QString text = wordsOf(message);
    m_text->setText(text);
    m_text->setAccessibleName(text);
    m_news->hide();
    rebuildButtons();
    m_fade.stop();
    if (message.level == UserMessage::Level::Info && message.actions.isEmpty())
        m_fade.start();
    show();
    update();
}

void MessageBar::showNews(const QString &text)
{
    m_news->setText(text);
    m_news->show();
    m_newsFade.start();
}

void MessageBar::dismiss()
{
    m_message = {};
    m_news->hide();
    hide();
}

QString MessageBar::news() const
{
    return m_news->isHidden() ? QString() : m_news->text();
}

QString MessageBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::rebuildButtons()
{
    while (QLayoutItem *item = m_buttons->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const MessageAction action : m_message.actions) {
        auto *button = new QPushButton(actionText(action));
        connect(button, &QPushButton::clicked, this, [this, action] { Q_EMIT actionChosen(action); });
        m_buttons->addWidget(button);
    }
    auto *close = new QPushButton(tr("Dismiss"));
    connect(close, &QPushButton::clicked, this, &MessageBar::dismiss);
    m_buttons->addWidget(close);
}

void MessageBar::applyLook(const Look &look)
{
    m_look = look;
    layout()->setContentsMargins(look.px(16), look.px(8), look.px(12), look.px(8));
    layout()->setSpacing(look.px(10));
    m_buttons->setSpacing(look.px(6));
    update();
}

void MessageBar::paintEvent(QPaintEvent *)
{
    const Theme &theme = *m_look.theme;
    QColor accent = theme.accent;
    if (m_message.level == UserMessage::Level::Warning)
        accent = theme.warn;
    else if (m_message.level == UserMessage::Level::Error)
        accent = theme.error;
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    QColor tint = accent;
    tint.setAlpha(26);
    painter.fillRect(rect(), tint);
    painter.fillRect(QRect(0, 0, m_look.px(5), height()), accent);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.border);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/user_message.h"

#include <QTimer>

class QHBoxLayout;

namespace shardscope {

/// A message inside the window: what happened, what helps, and buttons that do it. A lesser message does not push it
/// away: until it is dismissed, lesser news stand below it for a while.
class MessageBar : public QWidget, public LookUser
{
    Q_OBJECT
public:
    explicit MessageBar(QWidget *parent = nullptr);

    void showMessage(const UserMessage &message);
    void dismiss();
    /// The message; empty when there is none.
    [[nodiscard]] QString text() const;
    /// The lesser news below it.
    [[nodiscard]] QString news() const;
    void applyLook(const Look &look) override;

Q_SIGNALS:
    void actionChosen(shardscope::MessageAction action);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void rebuildButtons();
    void showNews(const QString &text);

    UserMessage m_message;
    QTimer m_fade; ///< takes away what needs no answer
    QTimer m_newsFade;
    Look m_look;
    TextLabel *m_text;
    TextLabel *m_news;
    QHBoxLayout *m_buttons;
};

} // namespace shardscope

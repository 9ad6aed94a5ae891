// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/look.h"
#include "ui/user_message.h"

#include <QTimer>

class QHBoxLayout;

namespace shardscope {

/// A message inside the window: what happened, what helps, and buttons that do it. The newest error wins over lesser
/// messages until it is dismissed.
class MessageBar : public QWidget, public LookUser
{
    Q_OBJECT
public:
    explicit MessageBar(QWidget *parent = nullptr);

    void showMessage(const UserMessage &message);
    void dismiss();
    [[nodiscard]] QString text() const;
    void applyLook(const Look &look) override;

Q_SIGNALS:
    void actionChosen(shardscope::MessageAction action);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void rebuildButtons();

    UserMessage m_message;
    QTimer m_fade; ///< takes away what needs no answer
    Look m_look;
    TextLabel *m_text;
    QHBoxLayout *m_buttons;
};

} // namespace shardscope

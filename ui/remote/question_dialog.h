// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/remote/ssh_question.h"

#include <QDialog>

class QDialogButtonBox;
class QLineEdit;
class QVBoxLayout;

namespace shardscope {

/// Asks what ssh asks; never blocks the window. What is typed leaves it by `answered` alone and is wiped then.
class QuestionDialog : public QDialog
{
    Q_OBJECT
public:
    explicit QuestionDialog(const SshQuestion &question, QWidget *parent = nullptr);

    [[nodiscard]] int id() const { return m_question.id; }
    /// ssh does not wait for the answer any more.
    void withdraw();

Q_SIGNALS:
    void answered(int id, const QString &text);
    /// The user does not want to connect, or says no.
    void refused(int id);

private:
    void addWords(QVBoxLayout &column);
    void addSecret(QVBoxLayout &column);
    void addButtons(QVBoxLayout &column);
    void send(const QString &text);
    [[nodiscard]] QString heading() const;

    SshQuestion m_question;
    QLineEdit *m_secret = nullptr;
    bool m_done = false;
};

} // namespace shardscope

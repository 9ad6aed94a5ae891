// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>

class QComboBox;
class QLabel;
class QPushButton;

namespace shardscope {

/// Asks for the machine whose ranks shall run; never blocks the window.
class ConnectDialog : public QDialog
{
    Q_OBJECT
public:
    /// `known`: the last hosts, the newest first.
    explicit ConnectDialog(const QStringList &known, QWidget *parent = nullptr);

Q_SIGNALS:
    /// `address` is one that hostProblem() has nothing against.
    void connectRequested(const QString &address);

private:
    [[nodiscard]] QString address() const;
    void onEdited();

    QComboBox *m_host;
    QLabel *m_problem;
    QPushButton *m_connect = nullptr;
};

} // namespace shardscope

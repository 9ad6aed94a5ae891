// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/remote/connect_dialog.h"

#include "ui/remote/host_name.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace shardscope {

ConnectDialog::ConnectDialog(const QStringList &known, QWidget *parent)
    : QDialog(parent), m_host(new QComboBox), m_problem(new QLabel)
{
    setWindowTitle(tr("Connect to another machine"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_host->setEditable(true);
    m_host->setInsertPolicy(QComboBox::NoInsert);
    m_host->setMinimumContentsLength(36);
    m_host->addItems(known);
    m_host->lineEdit()->setPlaceholderText(tr("[USER@]HOST"));
    m_host->lineEdit()->selectAll();
    auto *form = new QFormLayout(this);
    form->addRow(tr("&Machine"), m_host);
    m_host->setAccessibleName(tr("Machine, as USER@HOST or a name of ssh's configuration"));
    auto *hint = new QLabel(tr("Ranks then run there, by ssh, and this window shows them. A name of ~/.ssh/config is "
                               "known too, with its port and key. shardscope-engine must be installed there."));
    for (QLabel *label : {hint, m_problem}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        form->addRow(label);
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_connect = buttons->addButton(tr("C&onnect"), QDialogButtonBox::AcceptRole);
    m_connect->setProperty("primary", true);
    form->addRow(buttons);
    m_connect->setDefault(true);
    buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_host, &QComboBox::editTextChanged, this, &ConnectDialog::onEdited);
    connect(m_connect, &QPushButton::clicked, this, [this] {
        Q_EMIT connectRequested(address());
        accept();
    });
    onEdited();
}

QString ConnectDialog::address() const
{
    return m_host->currentText().trimmed();
}

void ConnectDialog::onEdited()
{
    const QString problem = hostProblem(address());
    m_connect->setEnabled(problem.isEmpty());
    // While nothing is typed there is nothing wrong yet.
    m_problem->setText(address().isEmpty() ? QString() : problem);
    m_problem->setVisible(!m_problem->text().isEmpty());
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text_window.h"

#include "ui/window_actions.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

namespace shardscope {

namespace {

/// A dialog that closes and forgets itself.
QDialog *newDialog(QWidget &parent, const QString &title)
{
    auto *dialog = new QDialog(&parent);
    dialog->setWindowTitle(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    new QVBoxLayout(dialog);
    return dialog;
}

void showWithClose(QDialog *dialog)
{
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    dialog->layout()->addWidget(buttons);
    dialog->show();
}

} // namespace

void showTextWindow(QWidget &parent, const QString &title, const QString &text)
{
    QDialog *dialog = newDialog(parent, title);
    auto *edit = new QPlainTextEdit(text);
    edit->setReadOnly(true);
    edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    edit->setAccessibleName(title);
    dialog->layout()->addWidget(edit);
    dialog->resize(parent.size() * 0.6);
    showWithClose(dialog);
}

void showKeyList(QWidget &parent)
{
    QDialog *dialog = newDialog(parent, WindowActions::tr("Keys"));
    // Large type on a small screen needs more height than there is.
    auto *scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    auto *content = new QWidget;
    auto *grid = new QGridLayout(content);
    grid->setHorizontalSpacing(24);
    int row = 0;
    for (const WindowActions::KeyLine &line : WindowActions::keyList()) {
        auto *key = new QLabel(line.key);
        QFont bold = key->font();
        bold.setWeight(QFont::DemiBold);
        key->setFont(bold);
        grid->addWidget(key, row, 0);
        grid->addWidget(new QLabel(line.action), row, 1);
        ++row;
    }
    scroll->setWidget(content);
    dialog->layout()->addWidget(scroll);
    const QSize bar(scroll->verticalScrollBar()->sizeHint().width(), 2);
    scroll->setMinimumWidth(content->sizeHint().width() + bar.width());
    dialog->resize((content->sizeHint() + bar).grownBy({24, 24, 24, 64}).boundedTo(parent.screen()->availableSize()));
    showWithClose(dialog);
}

} // namespace shardscope

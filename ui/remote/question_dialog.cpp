// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/remote/question_dialog.h"

#include "ui/look.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardscope {

namespace {

constexpr int kLetters = 64;
constexpr int kKeyLetters = 80; ///< of ssh's line with the fingerprint

QLabel *newText(const QString &text)
{
    auto *label = new QLabel(text);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText); // the host's words may hold a '<'
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setFocusPolicy(Qt::NoFocus); // Enter and the first key are for the answer
    label->setMinimumWidth(label->fontMetrics().averageCharWidth() * kLetters);
    return label;
}

} // namespace

QuestionDialog::QuestionDialog(const SshQuestion &question, QWidget *parent) : QDialog(parent), m_question(question)
{
    setWindowTitle(tr("Connecting to %1").arg(question.host));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *column = new QVBoxLayout(this);
    addWords(*column);
    if (question.kind == SshQuestion::Kind::Secret)
        addSecret(*column);
    addButtons(*column);
    // Esc and the window's own close are a no.
    connect(this, &QDialog::rejected, this, [this] {
        if (!std::exchange(m_done, true))
            Q_EMIT refused(m_question.id);
    });
}

QString QuestionDialog::heading() const
{
    switch (m_question.kind) {
    case SshQuestion::Kind::HostKey:
        return tr("This computer does not know %1 yet").arg(m_question.host);
    case SshQuestion::Kind::Notice:
        return tr("%1 waits for your security key").arg(m_question.host);
    case SshQuestion::Kind::Secret:
    case SshQuestion::Kind::Confirm:
        break;
    }
    return tr("ssh asks, to connect to %1:").arg(m_question.host);
}

void QuestionDialog::addWords(QVBoxLayout &column)
{
    QLabel *title = newText(heading());
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    column.addWidget(title);
    if (m_question.again)
        column.addWidget(newText(tr("The last answer was not accepted; ssh asks again.")));
    QLabel *words = newText(m_question.words.trimmed());
    words->setAccessibleName(tr("What ssh asks"));
    if (m_question.kind == SshQuestion::Kind::HostKey) {
        // Fingerprints are compared letter by letter: l, I and 1 must differ.
        QFont letters = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        letters.setPixelSize(words->fontInfo().pixelSize());
        words->setFont(letters);
        words->setMinimumWidth(QFontMetrics(letters).averageCharWidth() * kKeyLetters);
    }
    column.addWidget(words);
    if (m_question.kind == SshQuestion::Kind::HostKey)
        column.addWidget(newText(tr("Compare the fingerprint with the one that the host's administrator gives. ssh "
                                    "remembers the key and asks once.")));
}

void QuestionDialog::addSecret(QVBoxLayout &column)
{
    m_secret = new QLineEdit;
    m_secret->setEchoMode(QLineEdit::Password);
    m_secret->setAccessibleName(m_question.words.trimmed());
    auto *show = new QCheckBox(tr("&Show what I type"));
    connect(show, &QCheckBox::toggled, m_secret,
            [this](bool shown) { m_secret->setEchoMode(shown ? QLineEdit::Normal : QLineEdit::Password); });
    column.addWidget(m_secret);
    column.addWidget(show);
    m_secret->setFocus();
}

void QuestionDialog::addButtons(QVBoxLayout &column)
{
    auto *buttons = new QDialogButtonBox;
    const bool asksYes = m_question.kind == SshQuestion::Kind::HostKey || m_question.kind == SshQuestion::Kind::Confirm;
    QPushButton *no = buttons->addButton(asksYes ? tr("&No") : tr("&Cancel"), QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    QPushButton *yes = nullptr;
    if (asksYes) {
        yes = buttons->addButton(tr("&Yes, connect"), QDialogButtonBox::AcceptRole);
        connect(yes, &QPushButton::clicked, this, [this] { send(QStringLiteral("yes")); });
    } else if (m_question.kind == SshQuestion::Kind::Secret) {
        yes = buttons->addButton(tr("C&ontinue"), QDialogButtonBox::AcceptRole);
        connect(yes, &QPushButton::clicked, this, [this] { send(m_secret->text()); });
    }
    column.addWidget(buttons);
    // Only now they have a dialog whose default they can be. A key is not accepted by a careless Enter.
    if (yes)
        yes->setProperty("primary", m_question.kind == SshQuestion::Kind::Secret);
    const bool enterIsYes = m_question.kind == SshQuestion::Kind::Secret;
    if (yes)
        yes->setAutoDefault(enterIsYes);
    no->setAutoDefault(!enterIsYes);
    (enterIsYes ? yes : no)->setDefault(true);
    if (!enterIsYes)
        no->setFocus();
}

void QuestionDialog::send(const QString &text)
{
    if (std::exchange(m_done, true))
        return;
    Q_EMIT answered(m_question.id, text);
    if (m_secret)
        m_secret->clear();
    accept();
}

void QuestionDialog::withdraw()
{
    m_done = true;
    if (m_secret)
        m_secret->clear();
    close();
}

} // namespace shardscope

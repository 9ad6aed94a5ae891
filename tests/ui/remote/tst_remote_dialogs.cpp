// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shown_window.h"
#include "ui/remote/connect_dialog.h"
#include "ui/remote/host_name.h"
#include "ui/remote/question_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

namespace {

const QString kKeyQuestion =
    QStringLiteral("The authenticity of host 'gpu1 (10.0.0.1)' can't be established.\n"
                   "ED25519 key fingerprint is SHA256:3mMKTfaTJIp0M7yW8ZhYo8mEKB2vT4nqS1mLzvJ0fWk.\n"
                   "This key is not known by any other names.\n"
                   "Are you sure you want to continue connecting (yes/no/[fingerprint])? ");

SshQuestion questionOf(SshQuestion::Kind kind, const QString &words)
{
    return {kind, 7, QStringLiteral("gpu1"), words, false};
}

bool shows(const QDialog &dialog, const QString &words)
{
    for (const QLabel *label : dialog.findChildren<QLabel *>()) {
        if (!label->isHidden() && label->text().contains(words))
            return true;
    }
    return false;
}

/// Every word of a label has its place.
bool nothingIsCut(const QDialog &dialog)
{
    for (const QLabel *label : dialog.findChildren<QLabel *>()) {
        if (!label->isHidden() && label->heightForWidth(label->width()) > label->height() + 1)
            return false;
    }
    return true;
}

} // namespace

class TestRemoteDialogs : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto *style = new AppStyle;
        QApplication::setStyle(style);
        AppStyle::apply(*style, {&Theme::light(), 1});
    }

    void hostsThatAreNone_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *address, const char *why) {
            QTest::newRow(address) << QString::fromLatin1(address) << QString::fromLatin1(why);
        };
        row("", "no host is named");
        row("-oProxyCommand=sh", "begins with '-'");
        row("me@-oProxyCommand=sh", "begins with '-'");
        row("ssh://-x", "begins with '-'");
        row("two words", "blanks");
        row("a\tb", "blanks");
        row("@gpu1", "user or host is empty");
        row("me@", "user or host is empty");
        row("gpu1;id", "mean something to a shell");
        row("$(id)", "mean something to a shell");
    }
    void hostsThatAreNone()
    {
        QFETCH(QString, address);
        QFETCH(QString, why);
        const QString problem = hostProblem(address);
        QVERIFY2(problem.contains(why), qPrintable(problem));
        QVERIFY(problem.contains(QStringLiteral("allowed: [USER@]HOST")));
        QVERIFY(!problem.contains(QLatin1Char('\n')));
    }

    void hostsAndTheirNames_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto &[address, name] :
             {std::pair("gpu1", "gpu1"), std::pair("me@gpu1.example.org", "gpu1.example.org"),
              std::pair("a.b@c@10.0.0.7", "10.0.0.7"), std::pair("ssh://me@gpu1:2222", "gpu1"),
              std::pair("ssh://[fe80::1]:2222", "fe80::1"), std::pair("fe80::1", "fe80::1")})
            QTest::newRow(address) << QString::fromLatin1(name);
    }
    void hostsAndTheirNames()
    {
        QFETCH(QString, name);
        const QString address = QString::fromLatin1(QTest::currentDataTag());
        QCOMPARE(hostProblem(address), QString());
        QCOMPARE(hostName(address), name);
    }

    void whatSshAsks()
    {
        using Kind = SshQuestion::Kind;
        QCOMPARE(questionKind(kKeyQuestion, {}), Kind::HostKey);
        QCOMPARE(questionKind(QStringLiteral("Please type 'yes', 'no' or the fingerprint: "), {}), Kind::HostKey);
        QCOMPARE(questionKind(QStringLiteral("Are you sure you want to continue connecting (yes/no)? "), {}),
                 Kind::HostKey);
        QCOMPARE(questionKind(QStringLiteral("me@gpu1's password: "), {}), Kind::Secret);
        QCOMPARE(questionKind(QStringLiteral("(me@gpu1) Verification code: "), {}), Kind::Secret);
        QCOMPARE(questionKind(QStringLiteral("Allow use of key?"), QStringLiteral("confirm")), Kind::Confirm);
        QCOMPARE(questionKind(QStringLiteral("Confirm user presence for key"), QStringLiteral("none")), Kind::Notice);
    }

    void aSecretIsHiddenSentOnceAndWiped()
    {
        SshQuestion question = questionOf(SshQuestion::Kind::Secret, QStringLiteral("me@gpu1's password: "));
        question.again = true;
        auto *dialog = new QuestionDialog(question);
        QSignalSpy answered(dialog, &QuestionDialog::answered);
        QSignalSpy refused(dialog, &QuestionDialog::refused);
        dialog->show();
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        QVERIFY(shows(*dialog, QStringLiteral("me@gpu1's password")));
        QVERIFY(shows(*dialog, QStringLiteral("not accepted")));
        auto *field = dialog->findChild<QLineEdit *>();
        QCOMPARE(field->echoMode(), QLineEdit::Password);
        dialog->findChild<QCheckBox *>()->click();
        QCOMPARE(field->echoMode(), QLineEdit::Normal);
        QVERIFY(!dialog->isModal());
        field->setText(QStringLiteral("p\u00e4ss"));
        QTest::keyClicks(field, QStringLiteral(" word"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(answered.size(), 1);
        QCOMPARE(answered.front().at(0).toInt(), 7);
        QCOMPARE(answered.front().at(1).toString(), QStringLiteral("p\u00e4ss word"));
        QVERIFY(field->text().isEmpty());
        QCOMPARE(refused.size(), 0);
    }

    void aKeyIsNotAcceptedByACarelessEnter()
    {
        for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Space, Qt::Key_Escape}) {
            auto *dialog = new QuestionDialog(questionOf(SshQuestion::Kind::HostKey, kKeyQuestion));
            QSignalSpy answered(dialog, &QuestionDialog::answered);
            QSignalSpy refused(dialog, &QuestionDialog::refused);
            dialog->show();
            QVERIFY(QTest::qWaitForWindowExposed(dialog));
            QVERIFY(shows(*dialog, QStringLiteral("SHA256:3mMKTfaTJIp0M7yW8ZhYo8mEKB2vT4nqS1mLzvJ0fWk")));
            QVERIFY2(nothingIsCut(*dialog), "a fingerprint is read whole");
            QVERIFY(!dialog->findChild<QLineEdit *>());
            QTest::keyClick(dialog->focusWidget(), key);
            QCOMPARE(answered.size(), 0);
            QCOMPARE(refused.size(), 1);
        }
        auto *again = new QuestionDialog(questionOf(SshQuestion::Kind::HostKey, kKeyQuestion));
        QSignalSpy said(again, &QuestionDialog::answered);
        again->show();
        buttonWith(*again, QStringLiteral("Yes, connect"))->click();
        QCOMPARE(said.size(), 1);
        QCOMPARE(said.front().at(1).toString(), QStringLiteral("yes"));
    }

    void aWithdrawnQuestionSaysNothing()
    {
        for (const auto kind : {SshQuestion::Kind::Secret, SshQuestion::Kind::Notice}) {
            auto *dialog = new QuestionDialog(questionOf(kind, QStringLiteral("Touch the key")));
            QSignalSpy answered(dialog, &QuestionDialog::answered);
            QSignalSpy refused(dialog, &QuestionDialog::refused);
            dialog->show();
            dialog->withdraw();
            QCOMPARE(answered.size() + refused.size(), 0);
            QVERIFY(dialog->isHidden());
        }
    }

    void onlyAHostIsConnectedTo()
    {
        auto *dialog = new ConnectDialog({QStringLiteral("me@gpu1"), QStringLiteral("gpu2")});
        QSignalSpy wanted(dialog, &ConnectDialog::connectRequested);
        dialog->show();
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        auto *host = dialog->findChild<QComboBox *>();
        QCOMPARE(host->currentText(), QStringLiteral("me@gpu1"));
        QCOMPARE(host->count(), 2);
        QPushButton *button = buttonWith(*dialog, QStringLiteral("Connect"));
        QVERIFY(button->isEnabled());
        host->setEditText(QStringLiteral("-x"));
        QVERIFY(!button->isEnabled());
        QVERIFY(shows(*dialog, QStringLiteral("begins with '-'")));
        host->setEditText(QString());
        QVERIFY(!button->isEnabled());
        QVERIFY(!shows(*dialog, QStringLiteral("no host")));
        host->setEditText(QStringLiteral(" me@gpu3 "));
        QTest::keyClick(host, Qt::Key_Return);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().front().toString(), QStringLiteral("me@gpu3"));
    }
};

QTEST_MAIN(TestRemoteDialogs)
#include "tst_remote_dialogs.moc"

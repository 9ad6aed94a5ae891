// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/arguments.h"
#include "app/window_wiring.h"
#include "tests/app/own_config_folder.h"
#include "tests/app/ssh_server.h"
#include "tests/ui/shown_window.h"
#include "ui/message_bar.h"
#include "ui/remote/question_dialog.h"
#include "ui/window_actions.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace shardscope::tests {

inline constexpr int kWaitMs = 60000;
inline const QString kLoop = QStringLiteral("loop");

/// The window that was started with --remote, and what it asked.
struct RemoteWindow {
    explicit RemoteWindow(AppStyle &style, const QString &address = kLoop)
        : wiring(std::make_unique<WindowWiring>(argumentsFor(address), style))
    {
        wiring->start();
    }
    static Arguments argumentsFor(const QString &address)
    {
        Arguments arguments;
        arguments.engine = QStringLiteral(SHARDSCOPE_FAKE_ENGINE);
        arguments.remote = address;
        return arguments;
    }
    [[nodiscard]] QuestionDialog *dialog() const
    {
        for (QuestionDialog *each : wiring->window().findChildren<QuestionDialog *>()) {
            if (each->isVisible())
                return each;
        }
        return nullptr;
    }
    [[nodiscard]] bool asks(const QString &words) const
    {
        QuestionDialog *open = dialog();
        if (!open)
            return false;
        for (const QLabel *label : open->findChildren<QLabel *>()) {
            if (label->text().contains(words))
                return true;
        }
        return false;
    }
    void answer(const QString &secret) const
    {
        QuestionDialog *open = dialog();
        open->findChild<QLineEdit *>()->setText(secret);
        press(*open, QStringLiteral("Continue"));
    }
    static void press(const QWidget &parent, const QString &text)
    {
        QPushButton *button = buttonWith(parent, text);
        QVERIFY2(button, qPrintable(text));
        button->click();
    }
    [[nodiscard]] QString message() const { return wiring->window().messageBar().text(); }
    [[nodiscard]] bool measured() const
    {
        return wiring->session().status().state == RunStatus::State::Measured &&
               session().results().measured.size() == 3;
    }
    /// Waits for it; else message() and the log say what stood in the way.
    [[nodiscard]] bool becomesMeasured() const
    {
        if (QTest::qWaitFor([this] { return measured(); }, kWaitMs))
            return true;
        qInfo("%s | %s", qPrintable(session().status().text), qPrintable(link()->log()));
        return false;
    }
    [[nodiscard]] Session &session() const { return wiring->session(); }
    [[nodiscard]] const Run &run() const { return *session().results().measured.begin()->second; }

    [[nodiscard]] EngineLink *link() const { return &wiring->link(); }

    std::unique_ptr<WindowWiring> wiring;
};

/// The ssh that this process started.
inline QList<qint64> sshClients()
{
    QList<qint64> found;
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(entry));
        if (entry.toLongLong() <= 0 || !stat.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = stat.readAll();
        const qint64 parent = text.mid(text.lastIndexOf(')') + 2).split(' ').value(1).toLongLong();
        if (parent == QCoreApplication::applicationPid() && text.contains("(ssh)"))
            found << entry.toLongLong();
    }
    return found;
}

/// A server, started anew for each test; on the PATH of its sessions the engine that answers by script, by the name
/// that ssh starts.
class RemoteFixture
{
public:
    RemoteFixture()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
        QFile::link(QStringLiteral(SHARDSCOPE_FAKE_ENGINE), folder.filePath(QStringLiteral("shardscope-engine")));
    }
    void begin()
    {
        m_config.clear();
        m_server.useKey(SshServer::Key::Plain);
        m_server.setKnown(SshServer::Knows::Host);
        startServer();
    }
    void end()
    {
        m_server.stop();
        QTRY_VERIFY(sshClients().isEmpty());
    }
    void startServer(const char *mode = "", const QString &version = QStringLiteral("fake"))
    {
        m_server.stop();
        m_server.setEnvironment(QStringLiteral("PATH"), folder.path() + QStringLiteral(":/usr/bin:/bin"));
        m_server.setEnvironment(QStringLiteral("SHARDSCOPE_FAKE_MODE"), QString::fromLatin1(mode));
        m_server.setEnvironment(QStringLiteral("SHARDSCOPE_FAKE_VERSION"), version);
        QCOMPARE(m_server.start(), QString());
    }
    [[nodiscard]] SshServer &server() { return m_server; }
    [[nodiscard]] AppStyle &style() const { return *m_style; }

    QTemporaryDir folder;

private:
    OwnConfigFolder m_config;
    SshServer m_server; ///< its keys take a while: one for all tests
    AppStyle *m_style = nullptr;
};

} // namespace shardscope::tests

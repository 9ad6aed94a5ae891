// SPDX-License-Identifier: MIT
// The progress line: what matters stands where it is seen.
#include "engine/cli/progress_line.h"
#include "tests/cli/engine_program.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace shardscope::cli;
using namespace std::chrono_literals;

namespace {

const std::string kLabel = "pipeline of mlp (gelu), training, 4 ranks: h 1024, f 4096, 4 layers, 256 tokens (4 x 64)";

std::string lineOf(const Progress &progress, int width)
{
    return progressText(progress, Console{.terminal = true, .clears = true, .width = width});
}

/// A terminal of 80 columns whose other end is read here.
class Terminal
{
public:
    Terminal() : m_fd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC))
    {
        winsize size{};
        size.ws_row = 24;
        size.ws_col = 80;
        m_open = m_fd >= 0 && grantpt(m_fd) == 0 && unlockpt(m_fd) == 0 && ioctl(m_fd, TIOCSWINSZ, &size) == 0;
    }
    ~Terminal() { close(m_fd); }
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    [[nodiscard]] bool isOpen() const { return m_open; }
    [[nodiscard]] QString name() const { return QString::fromLocal8Bit(ptsname(m_fd)); }
    /// What has been written since the last call.
    [[nodiscard]] QByteArray read() const
    {
        QByteArray all;
        pollfd waiting{m_fd, POLLIN, 0};
        char buffer[4096];
        while (poll(&waiting, 1, 20) == 1 && (waiting.revents & POLLIN) != 0) {
            const ssize_t count = ::read(m_fd, buffer, sizeof buffer);
            if (count <= 0)
                break;
            all.append(buffer, count);
        }
        return all;
    }

private:
    int m_fd;
    bool m_open = false;
};

/// Everything that the engine writes on a terminal of 80 columns, one line each time it was cleared.
QList<QByteArray> progressOf(const QStringList &words)
{
    const Terminal terminal;
    if (!terminal.isOpen())
        return {};
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TERM", "xterm");
    environment.insert("LC_ALL", "C");
    environment.insert("NO_COLOR", "1");
    process.setProcessEnvironment(environment);
    process.setStandardErrorFile(terminal.name());
    process.start(QStringLiteral(ENGINE_PROGRAM), words);
    QByteArray written;
    while (process.state() != QProcess::NotRunning && !process.waitForFinished(20))
        written += terminal.read();
    written += terminal.read();
    return process.exitCode() == 0 ? written.split('\r') : QList<QByteArray>{};
}

} // namespace

class TestCliProgress : public QObject
{
    Q_OBJECT

private slots:
    void theLabelGivesWay_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("line");
        const auto row = [](int width, const char *line) { QTest::addRow("%d", width) << width << QString(line); };
        row(200, "###................. 15 % 2 of 3: timing step 3 of 20, about 50 s left - pipeline of mlp (gelu), "
                 "training, 4 ranks: h 1024, f 4096, 4 layers, 256 tokens (4 x 64)  Ctrl-C cancels");
        row(110, "###................. 15 % 2 of 3: timing step 3 of 20, about 50 s left - pipeline of mlp (...  "
                 "Ctrl-C cancels");
        row(80, "##........ 15 % 2 of 3: timing step 3 of 20, about 50 s left  Ctrl-C cancels");
        row(50, "##........ 15 % 2 of 3: timing step 3 of 20");
        row(20, "##........ 15 % 2 o");
    }

    void theLabelGivesWay()
    {
        QFETCH(int, width);
        QFETCH(QString, line);
        const std::string said = lineOf({.fraction = 0.15,
                                         .position = "2 of 3",
                                         .stage = "timing step 3 of 20",
                                         .secondsLeft = 48.0,
                                         .label = kLabel},
                                        width);
        QCOMPARE(QString::fromStdString(said), line);
        QVERIFY(int(said.size()) < width);
    }

    void timesAreRounded()
    {
        const auto said = [](double seconds) { return lineOf({.stage = "s", .secondsLeft = seconds}, 40); };
        QCOMPARE(said(0.2), std::string("s, about 1 s left  Ctrl-C cancels"));
        QCOMPARE(said(7.6), std::string("s, about 8 s left  Ctrl-C cancels"));
        QCOMPARE(said(52), std::string("s, about 50 s left  Ctrl-C cancels"));
        QCOMPARE(said(140), std::string("s, about 2 min left  Ctrl-C cancels"));
    }

    void whatIsLeftFollowsFromStepsThatEnded()
    {
        RemainingTime remaining;
        const RemainingTime::Clock::time_point begin{};
        QVERIFY(!remaining.seconds(begin));
        remaining.stepBegins(1, 20, begin);
        QVERIFY(!remaining.seconds(begin + 60s)); // none has ended
        remaining.stepBegins(2, 20, begin + 4s);
        QCOMPARE(remaining.seconds(begin + 4s), std::optional(4.0 * 19));
        remaining.stepBegins(20, 20, begin + 76s);
        QCOMPARE(remaining.seconds(begin + 77s), std::optional(3.0));
        QCOMPARE(remaining.seconds(begin + 90s), std::optional(0.0));
        remaining.stepBegins(1, 20, begin + 100s); // another run
        QVERIFY(!remaining.seconds(begin + 100s));
        remaining.stepBegins(2, 20, begin + 100s + 10ms);
        QVERIFY(!remaining.seconds(begin + 100s + 20ms)); // too short to say
        remaining.forget();
        QVERIFY(!remaining.seconds(begin + 300s));
    }

#ifdef RANK_HOST
    /// Each step is made 300 ms long.
    void stepsAreSeenOnEightyColumns()
    {
        const auto lines = progressOf({"run", "--scheme", "pipeline", "--ranks", "2", "--hidden", "64", "--steps", "8",
                                       "--warmup", "1", "--delay", "0:300"});
        const auto has = [&](const char *words) {
            return std::any_of(lines.begin(), lines.end(),
                               [&](const QByteArray &line) { return line.contains(words); });
        };
        QVERIFY(has("timing step 3 of 8"));
        QVERIFY(has("timing step 8 of 8, about "));
        QVERIFY(has("- pipeline of mlp"));
        for (QByteArray line : lines) {
            line.replace("\033[K", "");
            QVERIFY2(line.size() < 80, line.constData());
            const auto label = line.indexOf(" - pipeline of mlp");
            QVERIFY2(label < 0 || label > line.indexOf("step"), line.constData());
        }
    }
#endif
};

QTEST_GUILESS_MAIN(TestCliProgress)
#include "tst_cli_progress.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Prints one JSON line per case: how fast the window opens and follows a slider. Not a test: tests assert no
// milliseconds.
#include "app/window_wiring.h"
#include "ui/app_style.h"
#include "ui/panels/experiment_panel.h"
#include "ui/panels/value_slider.h"

#include <QApplication>
#include <QProcess>
#include <QSlider>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace shardscope;

namespace {

constexpr int kStarts = 7;
constexpr int kMoves = 41;

double nowMs()
{
    // The monotonic clock is the system's, so a child's reading can be compared with its parent's.
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? -1 : values[values.size() / 2];
}

void print(const QByteArray &name, double ours, double goal)
{
    std::printf("{\"name\":\"%s\",\"ours\":%.2f,\"reference\":null,\"unit\":\"ms\",\"ratio\":null,\"better\":\"lower\","
                "\"goal\":%g,\"met\":%s}\n",
                name.constData(), ours, goal, ours >= 0 && ours <= goal ? "true" : "false");
    std::fflush(stdout);
}

Arguments withoutEngine()
{
    Arguments arguments;
    arguments.experiment = Experiment{};
    arguments.engine = QStringLiteral("/nonexistent/no engine shall disturb the clock");
    return arguments;
}

/// Says when the window has been painted for the first time.
class FirstPaint : public QObject
{
public:
    explicit FirstPaint(double startMs) : m_startMs(startMs) {}
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::UpdateRequest && !m_seen) {
            m_seen = true;
            // The request is handled when this filter returns: what is queued now comes after the painting.
            QTimer::singleShot(0, this, [this] {
                std::printf("%.3f\n", nowMs() - m_startMs);
                QCoreApplication::quit();
            });
        }
        return false;
    }

private:
    double m_startMs;
    bool m_seen = false;
};

int startOnce(double startMs, AppStyle &style)
{
    WindowWiring wiring(withoutEngine(), style);
    FirstPaint firstPaint(startMs);
    wiring.window().installEventFilter(&firstPaint);
    wiring.window().show();
    return QApplication::exec();
}

void benchStart(const QString &program)
{
    std::vector<double> times;
    for (int i = 0; i < kStarts; ++i) {
        QProcess child;
        child.start(program, {QStringLiteral("--start"), QString::number(nowMs(), 'f', 3)});
        child.waitForFinished();
        times.push_back(child.readAllStandardOutput().trimmed().toDouble());
    }
    print("window: start to first frame", median(times), 500);
}

/// Counts the paintings of a window's backing store.
class PaintCount : public QObject
{
public:
    bool eventFilter(QObject *, QEvent *event) override
    {
        m_paintings += event->type() == QEvent::UpdateRequest;
        return false;
    }
    [[nodiscard]] int paintings() const { return m_paintings; }

private:
    int m_paintings = 0;
};

/// A move is painted with the plan of the new setting; its prediction follows and is painted too.
void benchSlider(AppStyle &style, int ranks)
{
    Arguments arguments = withoutEngine();
    arguments.experiment->mesh.extents = {ranks, 1, 1};
    WindowWiring wiring(arguments, style);
    wiring.session().setAutoRun(false);
    wiring.window().resize(1440, 860);
    wiring.window().show();
    QApplication::processEvents();
    QSlider *slider = wiring.window().panel().findChildren<QSlider *>().at(1); // hidden size
    PaintCount count;
    wiring.window().installEventFilter(&count);
    std::vector<double> moved;
    std::vector<double> predicted;
    for (int i = 0; i < kMoves; ++i) {
        const int paintings = count.paintings();
        const double start = nowMs();
        slider->setValue(i % 2 == 0 ? 2 : 5);
        // Layouts, then what they and the new plan have changed on screen; no timer, so no prediction.
        QCoreApplication::sendPostedEvents();
        if (count.paintings() == paintings)
            wiring.window().repaint();
        moved.push_back(nowMs() - start);
        while (wiring.session().results().pending)
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::processEvents(); // timeline and charts
        predicted.push_back(nowMs() - start);
    }
    const QByteArray ofRanks = ranks == 2 ? QByteArray() : ", N = " + QByteArray::number(ranks);
    print("window: slider move to repaint" + ofRanks, median(moved), 16);
    // What follows within a tenth of a second is felt as immediate.
    print("window: slider move to repainted prediction" + ofRanks, median(predicted), 100);
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("XDG_CONFIG_HOME", "/nonexistent"); // the user's settings stay out of it
    QApplication application(argc, argv);
    auto *style = new AppStyle;
    QApplication::setStyle(style);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() == 3 && words[1] == QLatin1String("--start"))
        return startOnce(words[2].toDouble(), *style);
    benchStart(QCoreApplication::applicationFilePath());
    benchSlider(*style, 2);
    benchSlider(*style, 64);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Prints one JSON line per case: how fast the window opens and follows a slider. Not a test: tests assert no
// milliseconds.
#include "app/window_wiring.h"
#include "engine/plan/experiment_options.h"
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
const QString kStart = QStringLiteral("--start");
const QString kStartLarge = QStringLiteral("--start-large");
const QByteArray kOfLarge = ", 64 ranks x 64 layers, ring";

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

/// A step of many thousand operations, each collective of 126 hops.
Experiment large()
{
    return *readExperiment({{"scheme", "block"},
                            {"ranks", "64"},
                            {"layers", "64"},
                            {"hidden", "4096"},
                            {"heads", "64"},
                            {"algorithm", "ring"}});
}

Arguments withoutEngine(const Experiment &experiment)
{
    Arguments arguments;
    arguments.experiment = experiment;
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

int startOnce(double startMs, const Experiment &experiment, AppStyle &style)
{
    WindowWiring wiring(withoutEngine(experiment), style);
    FirstPaint firstPaint(startMs);
    wiring.window().installEventFilter(&firstPaint);
    wiring.window().show();
    return QApplication::exec();
}

void benchStart(const QString &program, const QString &option, const QByteArray &what)
{
    std::vector<double> times;
    for (int i = 0; i < kStarts; ++i) {
        QProcess child;
        child.start(program, {option, QString::number(nowMs(), 'f', 3)});
        child.waitForFinished();
        times.push_back(child.readAllStandardOutput().trimmed().toDouble());
    }
    print("window: start to first frame" + what, median(times), 500);
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

Experiment withRanks(int ranks)
{
    Experiment experiment;
    experiment.mesh.extents = {ranks, 1, 1};
    return experiment;
}

/// A move is painted with the plan of the new setting, if that is built at once; its prediction follows and is painted
/// too.
void benchSlider(AppStyle &style, const Experiment &experiment, const QByteArray &what, int moves = kMoves)
{
    WindowWiring wiring(withoutEngine(experiment), style);
    wiring.session().setAutoRun(false);
    wiring.window().resize(1440, 860);
    wiring.window().show();
    QApplication::processEvents();
    QSlider *slider = wiring.window().panel().findChildren<QSlider *>().at(1); // hidden size
    PaintCount count;
    wiring.window().installEventFilter(&count);
    std::vector<double> moved;
    std::vector<double> predicted;
    for (int i = 0; i < moves; ++i) {
        const int paintings = count.paintings();
        const double start = nowMs();
        slider->setValue(i % 2 == 0 ? 2 : 5);
        // Layouts, then what they and the new plan have changed on screen; no timer, so no prediction.
        QCoreApplication::sendPostedEvents();
        if (count.paintings() == paintings)
            wiring.window().repaint();
        moved.push_back(nowMs() - start);
        while (!wiring.session().plan() || wiring.session().results().pending)
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QApplication::processEvents(); // timeline and charts
        predicted.push_back(nowMs() - start);
    }
    print("window: slider move to repaint" + what, median(moved), 16);
    // What follows within a tenth of a second is felt as immediate.
    print("window: slider move to repainted prediction" + what, median(predicted), 100);
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
    if (words.size() == 3)
        return startOnce(words[2].toDouble(), words[1] == kStartLarge ? large() : Experiment{}, *style);
    const QString program = QCoreApplication::applicationFilePath();
    benchStart(program, kStart, "");
    benchStart(program, kStartLarge, kOfLarge);
    benchSlider(*style, withRanks(2), "");
    benchSlider(*style, withRanks(64), ", N = 64");
    benchSlider(*style, large(), kOfLarge, 9);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Prints one JSON line per case: how long a frame of the animation takes. Not a test: tests assert no milliseconds.
#include "engine/plan/experiment_options.h"
#include "tests/benchmarks/bench_result.h"
#include "ui/diagram/scene_layers.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace shardscope;

namespace {

double medianMs(int repetitions, const std::function<void(int)> &work)
{
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        QElapsedTimer timer;
        timer.start();
        work(i);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int firstHop(const Plan &plan)
{
    const std::vector<Scene> scenes = sceneList(plan);
    const auto found = std::find_if(scenes.begin(), scenes.end(), [](const Scene &scene) { return scene.hop == 1; });
    return static_cast<int>(found - scenes.begin());
}

/// Frames as the view makes them: the still layer is an image, tokens are painted above it.
void bench(const char *name, const QSize &size, double unit, const char *ranks)
{
    const Plan plan = buildPlan(*readExperiment({{"scheme", "mlp"}, {"ranks", ranks}}));
    QImage still(size, QImage::Format_RGB32);
    QImage screen(size, QImage::Format_RGB32);
    DiagramFrame frame;
    frame.plan = &plan;
    frame.theme = &Theme::light();
    frame.unit = unit;
    const int hop = firstHop(plan);
    frame.position = hop + 0.4;
    const QRectF area(0, 0, size.width(), size.height());
    DiagramLayout layout = layoutDiagram(frame, area);
    const double layoutMs = medianMs(21, [&](int) { layout = layoutDiagram(frame, area); });
    const double stillMs = medianMs(21, [&](int) {
        QPainter painter(&still);
        paintStillLayer(painter, layout, frame);
    });
    const double frameMs = medianMs(101, [&](int i) {
        QPainter painter(&screen);
        painter.drawImage(0, 0, still);
        paintMovingLayer(painter, layout, frame, 0.8 * i / 101);
    });
    const std::string title = std::string("diagram ") + name;
    printResult({.name = title + ": frame", .ours = frameMs, .unit = "ms", .goal = 5});
    // Once per scene, not per frame.
    printResult({.name = title + ": layout", .ours = layoutMs, .unit = "ms", .goal = 16});
    printResult({.name = title + ": still layer", .ours = stillMs, .unit = "ms", .goal = 40});
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication app(argc, argv);
    bench("1080p N=8", {1920, 1080}, 1.5, "8");
    bench("1080p N=4", {1920, 1080}, 1.5, "4");
    bench("1080p N=64", {1920, 1080}, 1.5, "64");
    bench("4K N=8", {3840, 2160}, 2.5, "8");
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/timeline/sample_run.h"
#include "ui/timeline/timeline_header.h"
#include "ui/timeline/timeline_view.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QWheelEvent>

using namespace shardscope;

namespace {

constexpr QSize kSize(1140, 420);

std::shared_ptr<const Run> shared(const SampleOptions &options = {})
{
    return std::make_shared<Run>(sampleRun(options));
}

void wheel(QWidget &widget, const QPointF &at, int notches)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget, &event);
}

/// A shown view with the playback that it shares.
struct Window {
    Playback playback;
    TimelineView view{&playback};

    explicit Window(std::shared_ptr<const Run> run = shared())
    {
        view.resize(kSize);
        playback.setSceneCount(static_cast<int>(sceneList(run->plan).size()));
        view.setRun(std::move(run), false);
        view.show();
        settle();
    }
    /// Queued replots have been done, so that pixels can be asked for.
    void settle() { view.plot().replot(QCustomPlot::rpImmediateRefresh); }
    [[nodiscard]] TimeRange seen() { return view.plot().view(); }
    [[nodiscard]] TimeRange whole() { return wholeView(static_cast<double>(view.plot().content().data.durationNs)); }
    [[nodiscard]] const TimelineBar &firstCollective()
    {
        return view.plot().content().data.lane(0, Stream::Communication).bars.front();
    }
    [[nodiscard]] QPointF centreOf(const TimelineBar &bar) { return view.plot().gantt().barRect(bar).center(); }
};

} // namespace

class TestTimelineView : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void beginsWithTheWholeStep()
    {
        Window window;
        QCOMPARE(window.seen(), window.whole());
        QVERIFY(!window.view.accessibleDescription().isEmpty());
    }
    /// What the layout takes from the header lies on itself: legend on the names of the passes.
    void aLowCardNeverSqueezesItsHeader()
    {
        Window window(shared({Phase::Training, 2}));
        for (int height = 200; height <= 420; height += 10) {
            for (const int width : {480, 560, 900}) {
                window.view.resize(width, height);
                window.settle();
                auto *header = qobject_cast<TimelineHeader *>(window.view.plot().plotLayout()->element(0, 0));
                QVERIFY(header);
                QVERIFY2(header->rect().height() >= header->heightFor(header->rect().width()),
                         qPrintable(QStringLiteral("%1 x %2").arg(width).arg(height)));
                QVERIFY2(window.view.plot().laneRect().height() >= 50 || height < 240,
                         qPrintable(QStringLiteral("lanes of %1").arg(window.view.plot().laneRect().height())));
            }
        }
    }
    void wheelZoomsAtTheCursor()
    {
        Window window;
        const QPointF at = window.centreOf(window.firstCollective());
        const double before = window.view.plot().timeAtPixel(at.x());
        wheel(window.view, at, 5);
        QVERIFY(window.seen().size() < 0.5 * window.whole().size());
        QVERIFY(std::abs(window.view.plot().timeAtPixel(at.x()) - before) < 0.001 * before);
        wheel(window.view, at, -50);
        QCOMPARE(window.seen(), window.whole());
        wheel(window.view, at, 500);
        QVERIFY(window.seen().size() >= kShortestView * 0.999);
    }
    void keysZoomPanAndFit()
    {
        Window window;
        QTest::keyClick(&window.view, Qt::Key_W);
        const TimeRange zoomed = window.seen();
        QVERIFY(zoomed.size() < window.whole().size());
        QTest::keyClick(&window.view, Qt::Key_D);
        QVERIFY(window.seen().begin > zoomed.begin);
        QTest::keyClick(&window.view, Qt::Key_A);
        QTest::keyClick(&window.view, Qt::Key_S);
        QTest::keyClick(&window.view, Qt::Key_F);
        QCOMPARE(window.seen(), window.whole());
    }
    void fitShowsSelectionThenEverything()
    {
        Window window;
        QTest::keyClick(&window.view, Qt::Key_Period);
        const TimelineBar &bar = window.firstCollective();
        QTest::keyClick(&window.view, Qt::Key_F);
        const TimeRange fitted = window.seen();
        QVERIFY(fitted.begin < static_cast<double>(bar.begin) && fitted.end > static_cast<double>(bar.end));
        QVERIFY(fitted.size() < 2 * static_cast<double>(bar.duration()));
        QTest::keyClick(&window.view, Qt::Key_F);
        QCOMPARE(window.seen(), window.whole());
    }
    void periodAndCommaGoThroughCollectives()
    {
        Window window;
        const auto focused = [&] { return window.view.plot().overlay().focused; };
        const std::vector<TimelineBar> &bars = window.view.plot().content().data.lane(0, Stream::Communication).bars;
        QCOMPARE(bars.size(), std::size_t(2));
        QTest::keyClick(&window.view, Qt::Key_Period);
        QCOMPARE(focused(), &bars[0]);
        QTest::keyClick(&window.view, Qt::Key_Period);
        QCOMPARE(focused(), &bars[1]);
        QTest::keyClick(&window.view, Qt::Key_Period);
        QCOMPARE(focused(), &bars[0]);
        QTest::keyClick(&window.view, Qt::Key_Comma);
        QCOMPARE(focused(), &bars[1]);
        QVERIFY(window.view.accessibleDescription().contains(QStringLiteral("busbw")));
    }
    void aMeasuredStepIsChosenByKeyAndByList()
    {
        Window window;
        auto *list = window.view.findChild<QComboBox *>();
        const auto shown = [&]() -> const TimelineData & { return window.view.plot().content().data; };
        QVERIFY(list->isVisible());
        QCOMPARE(list->count(), 3 + 5);
        const int median = shown().medianNumber;
        QCOMPARE(shown().timedNumber, median);
        for (int i = 0; i < 10; ++i)
            QTest::keyClick(&window.view, Qt::Key_Greater);
        QCOMPARE(shown().timedNumber, 5);
        QVERIFY(list->currentText().startsWith(QStringLiteral("Step 5")));
        QTest::keyClick(&window.view, Qt::Key_Less);
        QCOMPARE(shown().timedNumber, 4);
        QVERIFY(window.view.accessibleDescription().contains(QStringLiteral("training step 4 of 5")));
        QTest::keyClick(list, Qt::Key_Home); // the first entry is the median
        QCOMPARE(shown().timedNumber, median);
        QCOMPARE(window.view.choice(), IterationChoice());
        // The choice of a kind follows the run as it grows; a number belongs to its experiment.
        window.view.choose({IterationChoice::Kind::Slowest, 0});
        window.view.setRun(shared({Phase::Decode, 2}), false);
        QCOMPARE(window.view.choice().kind, IterationChoice::Kind::Slowest);
        window.view.choose({IterationChoice::Kind::Number, 2});
        window.view.setRun(shared(), false);
        QCOMPARE(window.view.choice(), IterationChoice());
        window.view.setRun(shared({Phase::Training, 4, 0, 1, Source::Predicted}), false);
        QVERIFY(!list->isVisible());
    }
    void aLowCardKeepsItsLanes()
    {
        Window window;
        for (const int height : {420, 220, 160}) {
            window.view.resize(520, height);
            window.settle();
            QVERIFY2(window.view.plot().laneRect().height() >= 30,
                     qPrintable(QString::number(window.view.plot().laneRect().height())));
        }
    }
    void nothingIsPrintedBeforeTheFirstPicture()
    {
        static QStringList said;
        said.clear();
        const QtMessageHandler before =
            qInstallMessageHandler([](QtMsgType, const QMessageLogContext &, const QString &text) {
                if (text.contains(QStringLiteral("QCP")))
                    said << text;
            });
        {
            Playback playback;
            TimelineView view(&playback);
            view.setRun(shared(), false);
            playback.setPosition(0.5);
            playback.setHoveredStep(1);
            view.show();
            playback.setPosition(0.7);
            QCoreApplication::processEvents();
        }
        qInstallMessageHandler(before);
        QVERIFY2(said.isEmpty(), qPrintable(said.join(QLatin1Char('\n'))));
    }
    void hoverLightsTheStepAndBack()
    {
        Window window;
        QSignalSpy hovered(&window.playback, &Playback::hoveredStepChanged);
        const TimelineBar &bar = window.firstCollective();
        QTest::mouseMove(&window.view, window.centreOf(bar).toPoint());
        QTRY_COMPARE(window.playback.hoveredStep(), bar.step);
        QCOMPARE(window.view.plot().overlay().focused, &bar);
        window.playback.setHoveredStep(0);
        QCOMPARE(window.view.plot().overlay().hoveredStep, 0);
    }
    void clickMovesThePlayhead()
    {
        Window window;
        const TimelineBar &bar = window.firstCollective();
        QTest::mouseClick(&window.view, Qt::LeftButton, {}, window.centreOf(bar).toPoint());
        const std::vector<Scene> scenes = sceneList(window.view.plot().content().run->plan);
        const auto scene = static_cast<std::size_t>(window.playback.position());
        QVERIFY(scene < scenes.size());
        QCOMPARE(scenes[scene].step, bar.step);
        const double clicked = window.view.plot().timeAtPixel(window.centreOf(bar).toPoint().x());
        QVERIFY(std::abs(*window.view.plot().overlay().playheadNs - clicked) < 1000);
    }
    void dragPansAndDoesNotClick()
    {
        Window window;
        const QPoint from = window.view.plot().laneRect().center();
        wheel(window.view, from, 5);
        const TimeRange before = window.seen();
        const double position = window.playback.position();
        QTest::mousePress(&window.view, Qt::LeftButton, {}, from);
        QTest::mouseMove(&window.view, from + QPoint(100, 0));
        QTest::mouseRelease(&window.view, Qt::LeftButton, {}, from + QPoint(100, 0));
        QVERIFY(window.seen().begin < before.begin);
        QVERIFY(std::abs(window.seen().size() - before.size()) < 1);
        QCOMPARE(window.playback.position(), position);
    }
    void refinedRunKeepsTheView()
    {
        Run partial = sampleRun({});
        std::erase_if(partial.iterations, [](const IterationEvent &e) { return e.iteration > 3; });
        Window window(std::make_shared<Run>(partial));
        wheel(window.view, window.view.plot().laneRect().center(), 5);
        const TimeRange before = window.seen();
        QCOMPARE(window.view.plot().content().data.timedCount, 2);
        window.view.setRun(shared(), false);
        QCOMPARE(window.view.plot().content().data.timedCount, 5);
        QCOMPARE(window.seen().size(), before.size());
    }
    void anotherExperimentBeginsWhole()
    {
        Window window;
        wheel(window.view, window.view.plot().laneRect().center(), 5);
        QTest::keyClick(&window.view, Qt::Key_Period);
        window.view.setRun(shared({Phase::Decode, 2}), false);
        QCOMPARE(window.seen(), window.whole());
        QVERIFY(!window.view.plot().overlay().focused);
        QTest::keyClick(&window.view, Qt::Key_F); // the old selection is gone
        QCOMPARE(window.seen(), window.whole());
    }
    void noRunIsNoProblem()
    {
        Window window;
        window.view.setRun(nullptr, false);
        for (const Qt::Key key : {Qt::Key_W, Qt::Key_F, Qt::Key_Period, Qt::Key_D})
            QTest::keyClick(&window.view, key);
        QTest::mouseClick(&window.view, Qt::LeftButton, {}, {200, 200});
        QVERIFY(!window.view.plot().overlay().playheadNs);
    }
    void tooltipCoversNoBar_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::newRow("light") << "light";
        QTest::newRow("dark") << "dark";
    }
    void tooltipCoversNoBar()
    {
        QFETCH(QString, theme);
        Window window;
        window.view.setTheme(Theme::byId(theme));
        window.playback.setPosition(firstSceneOf(sceneList(window.view.plot().content().run->plan), 5) + 0.5);
        const TimelineBar &bar = window.view.plot().content().data.lane(2, Stream::Communication).bars.front();
        QTest::mouseMove(&window.view, {1, 1}); // where the pointer stands already, no move is reported
        QTest::mouseMove(&window.view, window.centreOf(bar).toPoint());
        QTRY_COMPARE(window.view.plot().overlay().focused, &bar);
        window.view.clearFocus();
        window.settle();
        SHARDSCOPE_COMPARE_GOLDEN(window.view.grab().toImage(), "view-tooltip-" + theme);
    }
};

QTEST_MAIN(TestTimelineView)
#include "tst_timeline_view.moc"

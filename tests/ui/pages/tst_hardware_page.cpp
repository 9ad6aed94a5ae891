// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/machines.h"
#include "tests/ui/pages/page_runs.h"

#include "ui/pages/gpu_paths.h"
#include "ui/pages/hardware_page.h"
#include "ui/pages/hardware_sheet.h"
#include "ui/pages/page_canvas.h"

#include <QElapsedTimer>

using namespace shardscope;

namespace {

HardwareValues valuesOf(const Topology &topology, int ranks = 4)
{
    return hardwareValues(inputFor(ranks), engineOf(topology), LiveValues::Shown);
}

QString findingOf(const Topology &topology, int ranks = 4)
{
    return hardwareFinding(valuesOf(topology, ranks)).replace(QChar::Nbsp, QLatin1Char(' '));
}

QStringList textsOf(const Sheet &sheet)
{
    QStringList texts;
    for (const TextBox &text : sheet.texts)
        texts << QString(text.text).replace(QChar::Nbsp, QLatin1Char(' '));
    return texts;
}

Sheet sheetOf(const HardwareValues &values)
{
    return hardwareSheet(values, {20, 20, 1240, 680}, Theme::light(), 1);
}

bool says(const Sheet &sheet, const QString &words)
{
    return textsOf(sheet).join(QLatin1Char('\n')).contains(words);
}

/// Every state that has a layout of its own.
std::vector<HardwareValues> allValues()
{
    std::vector<HardwareValues> all;
    const Topology many{{{0, 192, 1500 * kGibibyte}}, {}, {}};
    Topology scattered;
    for (int node = 0; node < 16; ++node)
        scattered.nodes.push_back({node, 8, 32 * kGibibyte});
    const Topology kinds[] = {
        onSwitch(8),       onSwitch(16), byLinks(), bridged(), byPcie(),
        twoNodes(32, 252), many,         scattered, {},        {{{0, 2, 24 * kGibibyte}}, {}, {}}};
    for (const Topology &topology : kinds) {
        all.push_back(hardwareValues(inputFor(4, "pcie5-8"), computing(topology), LiveValues::Shown));
        PageInput ran = inputFor(8);
        ran.results.measured[Phase::Training] = runOf(ran, topology, topology.gpus.size() >= 8);
        for (const LiveValues live : {LiveValues::Shown, LiveValues::Left})
            all.push_back(hardwareValues(ran, computing(topology, false), live));
    }
    for (const auto state :
         {EngineMachine::State::NotStarted, EngineMachine::State::Asked, EngineMachine::State::Silent}) {
        EngineMachine engine;
        engine.state = state;
        engine.engineVersion = QStringLiteral("0.0.9");
        all.push_back(hardwareValues(inputFor(4), engine, LiveValues::Shown));
        all.push_back(hardwareValues(inputFor(64), engine, LiveValues::Left));
    }
    PageInput hosts = inputFor(8);
    const std::shared_ptr<Run> run = runOf(hosts, twoNodes(32, 252), false);
    run->machine.hosts = {{"gpu1", {0, 1, 2, 3}}, {"gpu2", {4, 5, 6, 7}}};
    hosts.results.measured[Phase::Training] = run;
    all.push_back(hardwareValues(hosts, {}, LiveValues::Left));
    return all;
}

} // namespace

class TestHardwarePage : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void fabrics()
    {
        QVERIFY(fabricOf(onSwitch(8)) == GpuFabric::Switch);
        QVERIFY(fabricOf(onSwitch(16)) == GpuFabric::Switch);
        QVERIFY(fabricOf(byLinks()) == GpuFabric::Links);
        QVERIFY(fabricOf(bridged()) == GpuFabric::Links);
        QVERIFY(fabricOf(byPcie()) == GpuFabric::Pcie);
        QVERIFY(fabricOf(twoNodes(4, 8)) == GpuFabric::None);
        QVERIFY(fabricOf({}) == GpuFabric::None);
    }

    void findings()
    {
        QCOMPARE(findingOf(onSwitch(8)),
                 QString::fromUtf8("8 × H100 80GB HBM3 on a switch: every pair talks by NVLink, 450 GB/s each way"));
        QCOMPARE(findingOf(byLinks()), QString::fromUtf8("4 × A100-SXM4-40GB, NVLinks from GPU to GPU, 100 GB/s each "
                                                         "way between the nearest two"));
        QCOMPARE(findingOf(byPcie()), QStringLiteral("2 GPUs without NVLink: they talk over PCIe, 31.5 GB/s each way "
                                                     "between the nearest two"));
        QCOMPARE(findingOf(twoNodes(32, 252)),
                 QStringLiteral("No GPU: 4 ranks are processes on 64 cores in 2 NUMA nodes"));
        QCOMPARE(findingOf(twoNodes(1, 8), 8),
                 QStringLiteral("No GPU: 8 ranks are processes that share 2 cores in 2 NUMA nodes"));
        EngineMachine contained = engineOf(twoNodes(4, 8));
        contained.title = QStringLiteral("2 cores, AMD EPYC 7763");
        QCOMPARE(hardwareFinding(hardwareValues(inputFor(4), contained, LiveValues::Shown)),
                 QStringLiteral("No GPU: 4 ranks are processes that share 2 of 8 cores in 2 NUMA nodes"));
        Topology one = onSwitch(8);
        one.gpus.resize(1);
        one.paths.clear();
        QCOMPARE(findingOf(one), QString::fromUtf8("1 × H100 80GB HBM3: no other GPU to talk to"));
    }

    void kindsOfPaths()
    {
        const std::vector<PathKind> kinds = pathKinds(bridged());
        QCOMPARE(kinds.size(), std::size_t{2});
        QCOMPARE(kinds.front().word, std::string("NV12"));
        QCOMPARE(kinds.front().pairs, 2);
        QCOMPARE(kinds.back().pairs, 4);
        const Topology topology = bridged();
        QVERIFY(pathBetween(topology, 1, 3));
        QCOMPARE(pathBetween(topology, 3, 1), pathBetween(topology, 1, 3));
        QVERIFY(!pathBetween(bridged(), 1, 1));
        for (const char *word : {"NV1", "PIX", "PXB", "PHB", "NODE", "SYS"})
            QVERIFY(pathMeaning(word) != pathMeaning("?"));
    }

    /// Where the description comes from is said, and never mixed.
    void everyDescriptionHasItsOrigin()
    {
        using Origin = HardwareValues::Origin;
        PageInput input = inputFor(4);
        const EngineMachine engine = engineOf(twoNodes(32, 252));
        QVERIFY(hardwareValues(input, engine, LiveValues::Left).origin == Origin::Engine);
        QVERIFY(hardwareValues(input, {}, LiveValues::Left).origin == Origin::None);
        const std::shared_ptr<Run> run = runOf(input, onSwitch(8), true);
        input.results.measured[Phase::Training] = run;
        QVERIFY(hardwareValues(input, {}, LiveValues::Left).origin == Origin::Measured);
        // The engine that runs now knows better than the last run.
        QVERIFY(hardwareValues(input, engine, LiveValues::Left).origin == Origin::Engine);
        run->source = Source::Recorded;
        const HardwareValues recorded = hardwareValues(input, computing(twoNodes(32, 252)), LiveValues::Shown);
        QVERIFY(recorded.origin == Origin::Recorded);
        QCOMPARE(recorded.gpus(), std::size_t{8});
        QVERIFY(!recorded.live && recorded.loads.empty());
        QVERIFY(says(sheetOf(recorded), QStringLiteral("recorded elsewhere")));
        QVERIFY(hardwareProvenance(recorded).contains(QStringLiteral("recorded on")));
        run->topology.reset();
        QVERIFY(says(sheetOf(hardwareValues(input, engine, LiveValues::Shown)),
                     QStringLiteral("The recording does not say")));
    }

    void ranksStandAtTheirGpus()
    {
        PageInput input = inputFor(8);
        input.results.measured[Phase::Training] = runOf(input, onSwitch(8), true);
        const HardwareValues values = hardwareValues(input, engineOf(onSwitch(8)), LiveValues::Left);
        QCOMPARE(values.onGpu.size(), std::size_t{8});
        QCOMPARE(values.onGpu[5], std::vector<int>{5});
        QVERIFY(ranksWords(values).contains(QStringLiteral("each on a GPU of its own")));
        input.results.measured[Phase::Training] = runOf(input, onSwitch(8), false);
        QVERIFY(hardwareValues(input, engineOf(onSwitch(8)), LiveValues::Left).onGpu.empty());
        // Numbers of other settings say nothing of these.
        input.results.stale = true;
        QVERIFY(!hardwareValues(input, engineOf(onSwitch(8)), LiveValues::Left).ran);
        QCOMPARE(rankListWords({0, 1, 2, 5}), QString::fromUtf8("ranks 0–2, 5"));
    }

    void whatIsMissingIsSaid()
    {
        EngineMachine older;
        older.state = EngineMachine::State::Silent;
        older.engineVersion = QStringLiteral("0.0.9");
        QVERIFY(says(sheetOf(hardwareValues(inputFor(4), older, LiveValues::Shown)),
                     QStringLiteral("The engine (version 0.0.9) has not said")));
        QVERIFY(says(sheetOf(hardwareValues(inputFor(4), {}, LiveValues::Shown)), QStringLiteral("No engine runs")));
        const Sheet sheet = sheetOf(valuesOf({}));
        QVERIFY(says(sheet, QStringLiteral("Memory: not told")));
    }

    /// A picture in a file is not of a moment.
    void filesHaveNoLiveValues()
    {
        HardwarePage page;
        page.setInput(inputFor(4));
        page.setMachine(computing(onSwitch(8)));
        const auto words = [](const PagePicture &picture) {
            QStringList all;
            for (const PageSpot &spot : picture.spots({0, 0, 1240, 680}, 1))
                all << spot.details;
            return all.join(QLatin1Char('\n'));
        };
        QVERIFY(words(page.picture()).contains(QStringLiteral("everything else")));
        QVERIFY(!words(page.exported()).contains(QStringLiteral("everything else")));
        QVERIFY(words(page.exported()).contains(QStringLiteral("GPU 7")));
    }

    void disturbersAreNamed()
    {
        EngineMachine engine = computing(twoNodes(4, 16));
        const auto sheet = [&] { return sheetOf(hardwareValues(inputFor(4), engine, LiveValues::Shown)); };
        QVERIFY(says(sheet(), QStringLiteral("Something else uses 22 %: times are disturbed")));
        QCOMPARE(sheet().marks.size(), std::size_t{1});
        engine.computing = false;
        QVERIFY(says(sheet(), QStringLiteral("Last run.")));
        QVERIFY(says(sheet(), QStringLiteral("Something else used 22 %: times were disturbed")));
        engine.loads.back().load.ranksPercent = engine.loads.back().load.cpuPercent - 3;
        QVERIFY(!says(sheet(), QStringLiteral("Something else")));
        QVERIFY(sheet().marks.empty());
    }

    void aMinuteIsKept()
    {
        std::vector<LoadSample> history;
        for (int second = 0; second < 100; ++second) {
            if (second < 50 || second > 54)
                addLoad(history, {double(second), {}});
        }
        QCOMPARE(history.front().seconds, 39.0);
        QCOMPARE(history.back().seconds, 99.0);
        const auto parts = stretches(history);
        QCOMPARE(parts.size(), std::size_t{2});
        QCOMPARE(history[parts[1].first].seconds, 55.0);
        QCOMPARE(parts[1].second, history.size());
        addLoad(history, {1.0, {}});
        QCOMPARE(history.size(), std::size_t{1});
        QVERIFY(stretches({}).empty());
    }

    /// What was measured has no data sheet, and is not drawn as if it had.
    void aMeasuredMachineIsPredictedInWords()
    {
        Hardware own = *findHardware("h100-8");
        own.name = "this";
        own.title = "this machine: 4 cores, AMD EPYC 7763";
        own.sharedCores = 4;
        PageInput input = inputFor(4);
        input.runs = {nullptr, nullptr, nullptr, own};
        const HardwareValues values = hardwareValues(input, computing(twoNodes(2, 12)), LiveValues::Shown);
        QVERIFY(says(sheetOf(values), QStringLiteral("as it was measured")));
        QVERIFY(says(sheetOf(values), QStringLiteral("For comparison, h100-8")));
        QVERIFY(!says(sheetOf(values), QStringLiteral("Predicted for h100-8")));
        QVERIFY(!says(sheetOf(values), QStringLiteral("no rank"))); // none of them would be there
        QCOMPARE(textProblemIn(hardwareSheet, values), QString());
    }

    void textsKeepApart()
    {
        for (const HardwareValues &values : allValues())
            QCOMPARE(textProblemIn(hardwareSheet, values), QString());
    }

    /// Cards neither leave their node nor lie upon each other, and everything is inside the page.
    void boxesKeepApart()
    {
        for (const HardwareValues &values : allValues()) {
            for (const PageView &view : kPageViews) {
                const Sheet sheet = hardwareSheet(values, view.area, Theme::light(), view.unit);
                const QRectF room = view.area.adjusted(-1, -1, 1, 1);
                for (const Sheet::Box &box : sheet.boxes)
                    QVERIFY(room.contains(box.rect));
                for (const Sheet::Curve &curve : sheet.curves)
                    QVERIFY(room.contains(curve.points.boundingRect()));
                std::vector<QRectF> cards;
                for (const PageSpot &spot : sheet.spots) {
                    if (spot.details.startsWith(QLatin1String("GPU ")) && spot.rect.height() > 40 * sheet.unit)
                        cards.push_back(spot.rect);
                }
                for (std::size_t i = 0; i < cards.size(); ++i) {
                    for (std::size_t j = i + 1; j < cards.size(); ++j)
                        QVERIFY(!cards[i].adjusted(1, 1, -1, -1).intersects(cards[j]));
                }
            }
        }
    }

    /// It is laid out again every second, on the cores of which the ranks' times are taken.
    void aLayoutIsCheap()
    {
        const HardwareValues values = hardwareValues(inputFor(8), computing(onSwitch(8)), LiveValues::Shown);
        (void)sheetOf(values); // fonts are loaded once
        QElapsedTimer timer;
        timer.start();
        constexpr int kTimes = 10;
        for (int i = 0; i < kTimes; ++i)
            (void)sheetOf(values);
        const double ms = static_cast<double>(timer.elapsed()) / kTimes;
        qInfo("a layout takes %.1f ms", ms);
        QVERIFY2(ms < 200, "more than a fifth of a core while ranks are timed");
    }

    void lettersStayReadable()
    {
        for (const HardwareValues &values : allValues())
            QVERIFY2(sheetOf(values).unit > 0.6, qPrintable(hardwareFinding(values)));
    }

    /// A value every second must not take away what the keyboard has chosen.
    void whatIsChosenStaysChosen()
    {
        HardwarePage page;
        page.resize(1280, 720);
        page.setInput(inputFor(4));
        page.setMachine(computing(onSwitch(8)));
        auto *canvas = page.findChild<PageCanvas *>();
        QTest::keyClick(canvas, Qt::Key_Down);
        QTest::keyClick(canvas, Qt::Key_Down);
        const QString chosen = canvas->accessibleDescription();
        QVERIFY(chosen != page.picture().finding);
        EngineMachine later = computing(onSwitch(8));
        later.loads.back().load.cpuPercent = 1;
        page.setMachine(later);
        QCOMPARE(canvas->accessibleDescription(), chosen);
    }

    void eightOnASwitch()
    {
        PageInput input = inputFor(8, "h100-8");
        input.results.measured[Phase::Training] = runOf(input, onSwitch(8), true);
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(hardwareSheet, hardwareValues(input, computing(onSwitch(8)), LiveValues::Shown), Theme::light()),
            "hardware-switch");
    }
    void fourByLinksInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(hardwareSheet,
                       hardwareValues(inputFor(4, "pcie5-8"), computing(byLinks(), false), LiveValues::Shown),
                       Theme::dark()),
            "hardware-links-dark");
    }
    void coresAlone()
    {
        PageInput input = inputFor(4);
        const Topology topology = twoNodes(8, 16);
        input.results.measured[Phase::Training] = runOf(input, topology, false);
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(hardwareSheet, hardwareValues(input, computing(topology), LiveValues::Shown), Theme::light()),
            "hardware-cores");
    }
    void sixteenForASlide()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(hardwareSheet,
                                             hardwareValues(inputFor(4), engineOf(onSwitch(16)), LiveValues::Left),
                                             Theme::projector()),
                                  "hardware-sixteen-projector");
    }
    void thePredictionAlone()
    {
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(hardwareSheet, hardwareValues(inputFor(16, "pcie5-8"), {}, LiveValues::Left), Theme::light()),
            "hardware-predicted");
    }
};

QTEST_MAIN(TestHardwarePage)
#include "tst_hardware_page.moc"

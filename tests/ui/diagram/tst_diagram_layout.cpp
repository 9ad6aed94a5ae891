// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/sample_plans.h"
#include "ui/diagram/layout.h"

#include <QtTest>
#include <algorithm>

using namespace shardscope;

namespace {

constexpr double kRounding = 1.0; // of a pixel

QString describe(const QRectF &r)
{
    return QStringLiteral("(%1, %2, %3 x %4)").arg(r.x()).arg(r.y()).arg(r.width()).arg(r.height());
}

bool overlap(const QRectF &a, const QRectF &b)
{
    const QRectF common = a.intersected(b);
    return common.width() > kRounding && common.height() > kRounding;
}

bool inside(const QRectF &inner, const QRectF &outer)
{
    return outer.adjusted(-kRounding, -kRounding, kRounding, kRounding).contains(inner);
}

/// What is wrong with the words of a layout, empty when nothing is.
QString textProblem(const DiagramLayout &layout)
{
    std::vector<QRectF> inks;
    for (const TextBox &text : layout.texts) {
        const QRectF ink = inkRect(text);
        if (!inside(ink, layout.area))
            return QStringLiteral("\"%1\" leaves the area: %2").arg(text.text, describe(ink));
        if (!inside(ink, text.box))
            return QStringLiteral("\"%1\" leaves its box: %2 of %3").arg(text.text, describe(ink), describe(text.box));
        if (text.text.endsWith(QChar(0x2026)))
            return QStringLiteral("\"%1\" is cut").arg(text.text);
        for (std::size_t i = 0; i < inks.size(); ++i) {
            if (overlap(ink, inks[i]))
                return QStringLiteral("\"%1\" lies on \"%2\"").arg(text.text, layout.texts[i].text);
        }
        inks.push_back(ink);
    }
    return {};
}

template <typename Box>
QString boxProblem(const std::vector<Box> &boxes, const QRectF &area, const char *what)
{
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (!inside(boxes[i].box, area))
            return QStringLiteral("%1 %2 leaves the area").arg(what, describe(boxes[i].box));
        for (std::size_t j = 0; j < i; ++j) {
            if (overlap(boxes[i].box, boxes[j].box))
                return QStringLiteral("%1 %2 lies on %3").arg(what, describe(boxes[i].box), describe(boxes[j].box));
        }
    }
    return {};
}

/// Everything that belongs to a rank lies on its card.
QString cardProblem(const DiagramLayout &layout)
{
    const auto onOneCard = [&](const QRectF &box) {
        return std::any_of(layout.cards.begin(), layout.cards.end(),
                           [&](const CardBox &card) { return inside(box, card.box); });
    };
    for (const MatrixBox &matrix : layout.matrices) {
        if (!onOneCard(matrix.box))
            return QStringLiteral("matrix %1 leaves its card").arg(matrix.view.name);
    }
    for (const ChunkBox &chunk : layout.chunks) {
        if (!onOneCard(chunk.box))
            return QStringLiteral("chunk %1 of rank %2 leaves its card").arg(chunk.chunk).arg(chunk.rank);
    }
    return {};
}

QString layoutProblem(const DiagramLayout &layout)
{
    for (const QString &problem :
         {textProblem(layout), boxProblem(layout.cards, layout.area, "card"),
          boxProblem(layout.matrices, layout.area, "matrix"), boxProblem(layout.chunks, layout.area, "chunk"),
          boxProblem(layout.swatches, layout.area, "swatch"), cardProblem(layout)}) {
        if (!problem.isEmpty())
            return problem;
    }
    for (const LinkLane &lane : layout.links.lanes) {
        for (const QPointF &point : lane.points) {
            if (!layout.area.contains(point))
                return QStringLiteral("a link leaves the area");
        }
    }
    if (layout.cards.empty() && !layout.map)
        return QStringLiteral("nothing is drawn");
    return {};
}

/// Compute steps, and of a collective the first, a middle and the last hop.
std::vector<int> tellingScenes(const std::vector<Scene> &scenes)
{
    std::vector<int> telling;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const Scene &scene = scenes[i];
        if (scene.hop <= 0 || scene.hop == scene.hops / 2 || scene.hop == scene.hops - 1)
            telling.push_back(static_cast<int>(i));
    }
    return telling;
}

QString problemAnywhere(const Plan &plan, const QSizeF &size, double unit, const QString &followed = {})
{
    DiagramFrame frame;
    frame.plan = &plan;
    frame.theme = &Theme::light();
    frame.unit = unit;
    frame.followed = followed;
    const std::vector<Scene> scenes = sceneList(plan);
    for (const int scene : tellingScenes(scenes)) {
        // Arrival changes the counts of a hop; a compute step's layout does not depend on the time.
        for (const double fraction : {0.0, 0.9}) {
            if (fraction > 0 && scenes[static_cast<std::size_t>(scene)].hop < 0)
                continue;
            frame.position = scene + fraction;
            const QString problem = layoutProblem(layoutDiagram(frame, QRectF(QPointF(3, 5), size)));
            if (!problem.isEmpty())
                return QStringLiteral("N = %1, %2 x %3, unit %4, position %5: %6")
                    .arg(plan.mesh().size())
                    .arg(size.width())
                    .arg(size.height())
                    .arg(unit)
                    .arg(frame.position)
                    .arg(problem);
        }
    }
    return {};
}

const std::vector<std::pair<QSizeF, double>> &surfaces()
{
    static const std::vector<std::pair<QSizeF, double>> all{
        {{900, 420}, 1.0}, {{900, 420}, 2.5}, {{1280, 720}, 1.25}, {{1920, 1080}, 1.5}, {{3840, 2160}, 2.5}};
    return all;
}

} // namespace

class TestDiagramLayout : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void nothingOverlapsOrLeaves_data()
    {
        QTest::addColumn<int>("ranks");
        for (int ranks = 1; ranks <= 64; ++ranks)
            QTest::addRow("N=%d", ranks) << ranks;
    }
    void nothingOverlapsOrLeaves()
    {
        QFETCH(int, ranks);
        const Plan plan = mlpOn(ranks);
        // Every N at one surface in turn; the powers of two, which the window offers, at all of them.
        const bool offered = (ranks & (ranks - 1)) == 0;
        for (std::size_t i = 0; i < surfaces().size(); ++i) {
            if (!offered && i != static_cast<std::size_t>(ranks) % surfaces().size())
                continue;
            const QString problem = problemAnywhere(plan, surfaces()[i].first, surfaces()[i].second);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    void schemesAndAlgorithms_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("column") << "scheme=column";
        QTest::newRow("column gathered") << "scheme=column gather-output=on";
        QTest::newRow("row") << "scheme=row";
        QTest::newRow("row sliced") << "scheme=row input-parallel=off";
        QTest::newRow("swiglu") << "scheme=mlp mlp=swiglu";
        QTest::newRow("decode") << "scheme=mlp phase=decode batch=1";
        QTest::newRow("large sizes") << "scheme=mlp hidden=16384 ffn=65536 batch=64 sequence=8192";
        QTest::newRow("tree") << "scheme=mlp algorithm=tree";
        QTest::newRow("direct") << "scheme=mlp algorithm=direct";
        QTest::newRow("halving-doubling") << "scheme=mlp algorithm=halving-doubling";
        QTest::newRow("bug") << "scheme=bug:row-bias-each-rank";
    }
    void schemesAndAlgorithms()
    {
        QFETCH(QString, options);
        for (const char *ranks : {"2", "4", "16", "64"}) {
            OptionValues values{{"ranks", ranks}};
            for (const QString &option : options.split(' '))
                values[option.section('=', 0, 0).toStdString()] = option.section('=', 1).toStdString();
            const Plan plan = planOf(values);
            for (const std::size_t surface : {1U, 3U}) {
                const auto &[size, unit] = surfaces()[surface];
                const QString problem = problemAnywhere(plan, size, unit);
                QVERIFY2(problem.isEmpty(), qPrintable(problem));
            }
        }
    }

    void aWrongSchemeSaysSoInEveryScene()
    {
        const auto says = [](const Plan &plan) {
            DiagramFrame frame;
            frame.plan = &plan;
            frame.theme = &Theme::light();
            int scenes = 0;
            for (; frame.position < static_cast<double>(sceneList(plan).size()); ++frame.position) {
                const DiagramLayout layout = layoutDiagram(frame, QRectF(0, 0, 1280, 720));
                scenes += std::any_of(layout.texts.begin(), layout.texts.end(), [](const TextBox &text) {
                    return text.text == QStringLiteral("wrong on purpose");
                });
            }
            return scenes;
        };
        const Plan bug = planOf({{"scheme", "bug:all-reduce-columns"}, {"ranks", "4"}});
        QCOMPARE(says(bug), static_cast<int>(sceneList(bug).size()));
        QCOMPARE(says(mlpOn(4)), 0);
    }

    void ranksOfGpusAreCalledGpus()
    {
        Plan plan = mlpOn(64);
        plan.transport = Transport::Nccl;
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        for (const double position : {0.0, 4.0}) {
            frame.position = position;
            for (const TextBox &text : layoutDiagram(frame, QRectF(0, 0, 1280, 720)).texts)
                QVERIFY2(!text.text.startsWith(QStringLiteral("rank ")) && !text.text.startsWith("all 64 ranks"),
                         qPrintable(text.text));
        }
    }

    void followedTensorFits()
    {
        const Plan plan = mlpOn(8, {{"mlp", "swiglu"}});
        for (const char *name : {"X", "H", "Y", "dX", "W2"}) {
            const QString problem = problemAnywhere(plan, {900, 420}, 1, name);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    void theCheckerSeesOverlaps()
    {
        const Plan plan = mlpOn(4);
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const DiagramLayout good = layoutDiagram(frame, QRectF(0, 0, 1280, 720));
        DiagramLayout moved = good;
        moved.texts[1].box.moveTo(moved.texts[0].box.topLeft());
        QVERIFY(!layoutProblem(moved).isEmpty());
        moved = good;
        moved.matrices[0].box.translate(2000, 0);
        QVERIFY(!layoutProblem(moved).isEmpty());
        moved = good;
        moved.texts[0].pixels *= 4;
        QVERIFY(!layoutProblem(moved).isEmpty());
    }

    void everyMatrixIsNamedWithBothShapes()
    {
        for (const int ranks : {2, 4, 8, 16, 64}) {
            const Plan plan = mlpOn(ranks);
            DiagramFrame frame;
            frame.plan = &plan;
            frame.theme = &Theme::dark();
            frame.unit = 1.5;
            const std::vector<Scene> scenes = sceneList(plan);
            for (std::size_t i = 0; i < scenes.size(); ++i) {
                if (scenes[i].hop >= 0)
                    continue;
                frame.position = static_cast<double>(i);
                const DiagramLayout layout = layoutDiagram(frame, QRectF(0, 0, 1920, 1080));
                QString words;
                for (const TextBox &text : layout.texts) {
                    words += text.text + '\n';
                    QVERIFY2(text.pixels >= 8, qPrintable(text.text));
                }
                for (const MatrixBox &matrix : layout.matrices) {
                    QVERIFY(words.contains(matrix.view.name));
                    QVERIFY(words.contains(matrix.view.globalShape));
                    QVERIFY(words.contains("local " + matrix.view.localShape));
                }
            }
        }
    }

    void shardsTileTheWhole()
    {
        const Plan plan = mlpOn(7);
        const TensorId w1 = plan.versions("W1").front();
        double end = 0;
        for (int rank = 0; rank < 7; ++rank) {
            const MatrixView view = matrixView(plan, w1, false, rank);
            QVERIFY(view.look == MatrixView::Look::Shard);
            QVERIFY(view.cutColumns);
            QCOMPARE(view.cutAt(rank), end);
            end = view.cutAt(rank + 1);
        }
        QCOMPARE(end, 1.0);
    }

    void transposeExchangesRowsAndColumns()
    {
        const Plan plan = mlpOn(4);
        const TensorId w1 = plan.versions("W1").front();
        const MatrixView plain = matrixView(plan, w1, false, 1);
        const MatrixView turned = matrixView(plan, w1, true, 1);
        QCOMPARE(turned.rows, plain.columns);
        QCOMPARE(turned.columns, plain.rows);
        QVERIFY(plain.cutColumns && !turned.cutColumns);
        QCOMPARE(turned.globalShape, QStringLiteral("[256, 128]"));
        QCOMPARE(turned.localShape, QStringLiteral("[64, 128]"));
        QCOMPARE(turned.placement, QStringLiteral("shard rows"));
    }

    void levelOfDetail()
    {
        DiagramFrame frame;
        frame.theme = &Theme::light();
        const auto detailOf = [&](int ranks, bool collective) {
            const Plan plan = mlpOn(ranks);
            frame.plan = &plan;
            frame.unit = 1.5;
            const std::vector<Scene> scenes = sceneList(plan);
            const auto found =
                std::find_if(scenes.begin(), scenes.end(), [&](const Scene &s) { return (s.hop >= 0) == collective; });
            frame.position = static_cast<double>(found - scenes.begin());
            return layoutDiagram(frame, QRectF(0, 0, 1920, 1080));
        };
        QVERIFY(detailOf(4, true).detail == Detail::Equation);
        QCOMPARE(detailOf(4, true).chunks.size(), std::size_t{16});
        QVERIFY(detailOf(8, true).detail == Detail::Grid);
        QCOMPARE(detailOf(8, true).chunks.size(), std::size_t{64});
        QVERIFY(detailOf(64, true).map.has_value());
        QCOMPARE(detailOf(64, false).cards.size(), std::size_t{2});
        QCOMPARE(detailOf(8, false).cards.size(), std::size_t{8});
    }

    void oneRankHasNoCollectivesAndOnlyWholes()
    {
        const Plan plan = mlpOn(1);
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const std::vector<Scene> scenes = sceneList(plan);
        for (std::size_t i = 0; i < scenes.size(); ++i) {
            QCOMPARE(scenes[i].hop, -1);
            frame.position = static_cast<double>(i);
            for (const MatrixBox &matrix : layoutDiagram(frame, QRectF(0, 0, 1280, 720)).matrices)
                QVERIFY(matrix.view.look == MatrixView::Look::Whole);
        }
    }
};

QTEST_MAIN(TestDiagramLayout)
#include "tst_diagram_layout.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/layout_problem.h"
#include "tests/ui/diagram/sample_plans.h"

#include <QtTest>
#include <algorithm>

using namespace shardscope;

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
        QTest::newRow("reduce to rank 0") << "scheme=mlp reduce-to=root";
        QTest::newRow("row-row") << "scheme=mlp pair=row-row";
        QTest::newRow("embedding") << "scheme=embedding";
        QTest::newRow("logits") << "scheme=logits";
        QTest::newRow("zero1") << "scheme=zero1";
        QTest::newRow("zero3") << "scheme=zero3";
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
            QVERIFY(view.cutsColumns());
            QCOMPARE(view.held.left(), end);
            end = view.held.right();
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
        QVERIFY(plain.cutsColumns() && !turned.cutsColumns());
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

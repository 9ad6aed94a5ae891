// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/layout_problem.h"
#include "tests/ui/diagram/sample_plans.h"

#include <QtTest>

using namespace shardscope;

/// What other schemes than linear pairs bring to the picture: heads, replicas, stages, meshes, buckets.
class TestDiagramSchemes : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// Heads, norms, stages and meshes: what a rank has may be a slice along two axes, an addend of one, or nothing.
    void everyKindOfPlanFits_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("attention") << "scheme=attention ranks=4";
        QTest::newRow("attention, shared heads") << "scheme=attention ranks=4 heads=8 kv-heads=2 hidden=512";
        QTest::newRow("attention, decode") << "scheme=attention ranks=4 phase=decode";
        QTest::newRow("block") << "scheme=block ranks=4";
        QTest::newRow("block, 8 ranks") << "scheme=block ranks=8 sequence-parallel=megatron";
        QTest::newRow("block, 16 ranks") << "scheme=block ranks=16";
        QTest::newRow("block, 64 ranks") << "scheme=block ranks=64 hidden=4096";
        QTest::newRow("block, two layers") << "scheme=block ranks=2 layers=2 recompute=full";
        QTest::newRow("zero2 of blocks") << "scheme=zero2 ranks=4 layer=block micro-batches=2";
        QTest::newRow("pipeline") << "scheme=pipeline ranks=4 micro-batches=2";
        QTest::newRow("tp x dp") << "scheme=mlp mesh=tp=2,dp=2";
        QTest::newRow("tp x dp, ZeRO-3") << "scheme=mlp mesh=tp=2,dp=2 zero=3";
        QTest::newRow("tp x pp") << "scheme=block mesh=tp=2,pp=2 micro-batches=2";
        QTest::newRow("dp x pp") << "scheme=mlp mesh=dp=2,pp=2";
        QTest::newRow("tp x dp x pp") << "scheme=mlp mesh=tp=2,dp=2,pp=2";
        QTest::newRow("tp 4 x dp 2 x pp 2") << "scheme=mlp mesh=tp=4,dp=2,pp=2";
        QTest::newRow("large mesh") << "scheme=mlp mesh=tp=8,dp=8";
        QTest::newRow("naive exercise") << "scheme=bug:naive-exercise ranks=4";
    }
    void everyKindOfPlanFits()
    {
        QFETCH(QString, options);
        OptionValues values;
        for (const QString &option : options.split(' '))
            values[option.section('=', 0, 0).toStdString()] = option.section('=', 1).toStdString();
        const Plan plan = planOf(values);
        for (const std::size_t surface : {2U, 3U}) {
            const auto &[size, unit] = surfaces()[surface];
            const QString problem = problemAnywhere(plan, size, unit);
            QVERIFY2(problem.isEmpty(), qPrintable(problem));
        }
    }

    void ranksThatShareHeadsAreDrawnAlike()
    {
        const Plan plan = planOf({{"scheme", "attention"}, {"ranks", "4"}, {"heads", "8"}, {"kv-heads", "2"}});
        const TensorId k = plan.versions("K").front();
        const MatrixView first = matrixView(plan, k, false, 2);
        const MatrixView second = matrixView(plan, k, false, 3);
        QVERIFY(first.look == MatrixView::Look::Shard && first.shared && second.shared);
        QCOMPARE(first.held, second.held);
        QCOMPARE(first.owner, 2);
        QCOMPARE(second.owner, 2);
        QVERIFY(first.placement.contains(QStringLiteral("×2 replicas")));
        const MatrixView gradient = matrixView(plan, plan.versions("dWk").front(), false, 3);
        QVERIFY(gradient.look == MatrixView::Look::Partial);
        QCOMPARE(gradient.addends, 2);
        QVERIFY(!matrixView(plan, plan.versions("Q").front(), false, 3).shared);
    }

    void aMeshCutsAlongBothAxes()
    {
        const Plan plan = planOf({{"scheme", "mlp"}, {"mesh", "tp=2,dp=2"}});
        const MatrixView z = matrixView(plan, plan.versions("Z").front(), false, 3);
        QCOMPARE(z.held, QRectF(0.5, 0.5, 0.5, 0.5));
        QCOMPARE(z.placement, QStringLiteral("tp shard columns · dp shard rows"));
        const MatrixView w = matrixView(plan, plan.versions("W1").front(), false, 3);
        QVERIFY(w.shared);
        QCOMPARE(w.owner, 1);
        const MatrixView y = matrixView(plan, plan.versions("Y").front(), false, 3);
        QVERIFY(y.look == MatrixView::Look::Partial);
        QCOMPARE(y.held, QRectF(0, 0.5, 1, 0.5));
    }

    void onlyTheStageThatWorksIsLit()
    {
        const Plan plan = planOf({{"scheme", "pipeline"}, {"ranks", "4"}, {"micro-batches", "2"}});
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const std::vector<Scene> scenes = sceneList(plan);
        for (std::size_t i = 0; i < scenes.size(); ++i) {
            frame.position = static_cast<double>(i);
            const DiagramLayout layout = layoutDiagram(frame, QRectF(0, 0, 1280, 720));
            const Step &step = plan.steps[static_cast<std::size_t>(scenes[i].step)];
            QCOMPARE(layout.cards.size(), std::size_t{4});
            for (const CardBox &card : layout.cards)
                QCOMPARE(card.idle, !plan.runs(step, card.rank));
            for (const MatrixBox &matrix : layout.matrices)
                QVERIFY(plan.runs(step, matrix.view.rank));
        }
    }

    /// Activations alone between tensor-parallel ranks, weights and their gradients between replicas.
    void theStripSaysWhatTravels()
    {
        const auto stripOf = [](const OptionValues &options) {
            const Plan plan = planOf(options);
            DiagramFrame frame;
            frame.plan = &plan;
            frame.theme = &Theme::light();
            QStringList words;
            for (const TextBox &text : layoutDiagram(frame, QRectF(0, 0, 1280, 720)).texts)
                words << text.text;
            return words.join('\n');
        };
        const QString mlp = stripOf({{"scheme", "mlp"}, {"ranks", "4"}});
        QVERIFY2(mlp.contains(QStringLiteral("activations 1×")), qPrintable(mlp));
        QVERIFY(mlp.contains(QStringLiteral("\nweights –")));
        const QString zero = stripOf({{"scheme", "zero3"}, {"ranks", "4"}});
        QVERIFY2(zero.contains(QStringLiteral("\nweights 1×")), qPrintable(zero));
        QVERIFY(zero.contains(QStringLiteral("activations –")));
    }
};

QTEST_MAIN(TestDiagramSchemes)
#include "tst_diagram_schemes.moc"

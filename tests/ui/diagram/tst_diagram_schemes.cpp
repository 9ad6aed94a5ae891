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

    /// Stages work at the same time: the schedule says at what, on the cards too.
    void thePipelineSaysWhatOtherStagesDoMeanwhile()
    {
        const Plan plan = planOf({{"scheme", "pipeline"}, {"ranks", "4"}, {"micro-batches", "4"}});
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const std::vector<Scene> scenes = sceneList(plan);
        const auto layoutAt = [&](int stage, int microBatch, Pass pass) {
            const auto step = std::ranges::find_if(plan.steps, [&](const Step &each) {
                return each.stage == stage && each.microBatch == microBatch && each.pass == pass && !each.collective;
            });
            frame.position = firstSceneOf(scenes, step->id);
            return layoutDiagram(frame, QRectF(0, 0, 1280, 720));
        };
        const auto wordsOf = [](const DiagramLayout &layout) {
            QStringList words;
            for (const TextBox &text : layout.texts)
                words << text.text;
            return words;
        };
        // Stage 0 alone works on the first micro-batch.
        const DiagramLayout first = layoutAt(0, 0, Pass::Forward);
        QCOMPARE(first.schedule.size(), std::size_t{2 * 4 * 4});
        QCOMPARE(std::ranges::count_if(first.schedule, &ScheduleBox::now), 1);
        QCOMPARE(std::ranges::count_if(first.schedule, &ScheduleBox::beside), 0);
        QCOMPARE(wordsOf(first).count(QStringLiteral("waits meanwhile: the bubble")), 3);
        // While it is at the fourth, stages 1 to 3 are at the third, second and first.
        const QStringList fourth = wordsOf(layoutAt(0, 3, Pass::Forward));
        for (const char *words : {"meanwhile forward of micro-batch 3", "meanwhile forward of micro-batch 2",
                                  "meanwhile forward of micro-batch 1"})
            QCOMPARE(fourth.count(QLatin1String(words)), 1);
        // 1F1B: stage 2 goes back on the first while stage 3 goes back on the second.
        const DiagramLayout back = layoutAt(3, 1, Pass::Backward);
        QCOMPARE(wordsOf(back).count(QStringLiteral("meanwhile backward of micro-batch 1")) > 0, true);
        for (const ScheduleBox &box : back.schedule)
            QVERIFY(back.area.contains(box.box));
        QVERIFY(!wordsOf(back).join('\n').contains(QStringLiteral(" works")));
        // What the ends of names mean is said.
        QVERIFY2(narration(plan, frame.position).endsWith(QStringLiteral(".4 means layer 4, #2 means micro-batch 2.")),
                 qPrintable(narration(plan, frame.position)));
        QVERIFY(!narration(mlpOn(4), 0).contains(QStringLiteral("In names")));
    }

    /// S is not what a rank puts on the wire.
    void payloadAndSentBytesAreToldApart()
    {
        const Plan plan = planOf({{"scheme", "row"}, {"ranks", "4"}});
        const auto reduce =
            std::ranges::find_if(plan.steps, [](const Step &step) { return step.collective.has_value(); });
        const QString words = caption(plan, {reduce->id, 0, 6});
        QVERIFY2(words.endsWith(QStringLiteral("payload 1\u00a0MiB, each rank sends 1.5\u00a0MiB")), qPrintable(words));
        const Plan tree = planOf({{"scheme", "row"}, {"ranks", "4"}, {"algorithm", "tree"}});
        QVERIFY(caption(tree, {reduce->id, 0, 4}).contains(QStringLiteral("the busiest rank sends")));
    }

    /// A long caption takes a second line before its letters become too small to read.
    void aLongCaptionIsNotCut()
    {
        const Plan plan = planOf({{"scheme", "attention"}, {"ranks", "4"}, {"heads", "8"}, {"kv-heads", "2"}});
        DiagramFrame frame;
        frame.plan = &plan;
        frame.theme = &Theme::light();
        const std::vector<Scene> scenes = sceneList(plan);
        for (const Step &step : plan.steps) {
            if (!step.collective)
                continue;
            frame.position = firstSceneOf(scenes, step.id);
            const DiagramLayout layout = layoutDiagram(frame, QRectF(0, 0, 1280, 720));
            const QString words = caption(plan, layout.scene);
            const auto text = std::ranges::find(layout.texts, words, &TextBox::text);
            QVERIFY2(text != layout.texts.end(), qPrintable(words));
            QVERIFY2(text->pixels >= 0.8 * layout.metrics.label, qPrintable(words));
        }
    }

    /// As the card of a window of 1280 x 720 is: words must not take the room of what they are about.
    void aSmallWindowStillDrawsTheMatrices()
    {
        constexpr std::size_t kMost = 5; // the backward of an attention core has eight, one below the other
        for (const OptionValues &options :
             {OptionValues{{"scheme", "mlp"}, {"ranks", "2"}}, OptionValues{{"scheme", "mlp"}, {"ranks", "4"}},
              OptionValues{{"scheme", "block"}, {"ranks", "4"}, {"sequence-parallel", "megatron"}}}) {
            const Plan plan = planOf(options);
            DiagramFrame frame;
            frame.plan = &plan;
            frame.theme = &Theme::light();
            const std::vector<Scene> scenes = sceneList(plan);
            for (const int scene : tellingScenes(plan, scenes)) {
                frame.position = scene;
                const DiagramLayout layout = layoutDiagram(frame, QRectF(0, 0, 560, 232));
                const Step &step = plan.steps[static_cast<std::size_t>(layout.scene.step)];
                if (step.inputs.size() + step.outputs.size() > kMost)
                    continue;
                QVERIFY2(!layout.matrices.empty() || !layout.chunks.empty() || layout.map,
                         qPrintable(caption(plan, layout.scene)));
            }
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

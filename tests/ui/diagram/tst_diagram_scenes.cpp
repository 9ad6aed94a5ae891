// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/plan/hop_schedule.h"
#include "tests/ui/diagram/sample_plans.h"
#include "ui/diagram/scene_painter.h"
#include "ui/diagram/words.h"

#include <QtTest>
#include <algorithm>
#include <set>

using namespace shardscope;

/// Which scenes there are, what they hold and what is said of them; no painting.
class TestDiagramScenes : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void sceneListCoversThePlanInOrder()
    {
        for (const int ranks : {1, 2, 3, 8, 64}) {
            const Plan plan = mlpOn(ranks);
            const std::vector<Scene> scenes = sceneList(plan);
            std::set<int> steps;
            for (std::size_t i = 0; i < scenes.size(); ++i) {
                const Step &step = plan.steps[static_cast<std::size_t>(scenes[i].step)];
                QCOMPARE(scenes[i].hop >= 0, step.collective.has_value());
                if (i > 0 && scenes[i].step == scenes[i - 1].step)
                    QCOMPARE(scenes[i].hop, scenes[i - 1].hop + 1);
                else if (i > 0)
                    QCOMPARE(scenes[i].step, scenes[i - 1].step + 1);
                if (step.collective)
                    QCOMPARE(scenes[i].hops,
                             static_cast<int>(drawnSchedule(*step.collective, ranks).schedule.hops.size()));
                steps.insert(scenes[i].step);
            }
            QCOMPARE(steps.size(), plan.steps.size());
            for (const int step : steps)
                QCOMPARE(scenes[static_cast<std::size_t>(firstSceneOf(scenes, step))].step, step);
        }
    }

    void lastHopCompletesWhatTheCollectivePromises()
    {
        for (const char *algorithm : {"library", "ring", "tree", "direct", "halving-doubling"}) {
            const Plan plan = mlpOn(8, {{"algorithm", algorithm}});
            for (const Scene &scene : sceneList(plan)) {
                if (scene.hop < 0 || scene.hop != scene.hops - 1)
                    continue;
                const std::optional<CollectiveScene> c = collectiveScene(plan, scene);
                QVERIFY(c && c->lastHop());
                for (int rank = 0; rank < 8; ++rank) {
                    for (int chunk = 0; chunk < c->schedule.chunks; ++chunk)
                        QVERIFY(c->isComplete(c->after[static_cast<std::size_t>(rank)][static_cast<std::size_t>(chunk)],
                                              chunk));
                }
            }
        }
    }

    void motionRunsThroughItsPhases()
    {
        QCOMPARE(motionAt(0).leave, 0.0);
        QVERIFY(motionAt(0).sweep < 0);
        double before = 0;
        for (double f = 0; f <= 1.0; f += 0.01) {
            const Motion m = motionAt(f);
            const double way = m.leave + m.travel + m.enter;
            QVERIFY(way >= before);
            QVERIFY(m.travel == 0 || m.leave == 1);
            QVERIFY(m.enter == 0 || m.travel == 1);
            QCOMPARE(m.arrived, m.enter >= 1);
            before = way;
        }
        QCOMPARE(before, 3.0);
        QVERIFY(motionAt(0.5, true).arrived);
        QCOMPARE(eased(0.5), 0.5);
    }

    void narrationGivesTheReason()
    {
        const Plan plan = mlpOn(4);
        const std::vector<Scene> scenes = sceneList(plan);
        for (std::size_t i = 0; i < scenes.size(); ++i) {
            const Step &step = plan.steps[static_cast<std::size_t>(scenes[i].step)];
            const QString words = narration(plan, static_cast<double>(i) + 0.3);
            QVERIFY(words.contains(QString::fromStdString(english(step.reason))));
            if (scenes[i].hop >= 0)
                QVERIFY(words.contains(QStringLiteral("hop %1 of %2").arg(scenes[i].hop + 1).arg(scenes[i].hops)));
        }
    }

    void libraryCollectivesAreLabelledSchematic()
    {
        const auto captionOf = [](const char *algorithm, const Run *run) {
            const Plan plan = mlpOn(4, {{"algorithm", algorithm}});
            for (const Scene &scene : sceneList(plan)) {
                if (scene.hop >= 0)
                    return timeCaption(plan, run, scene);
            }
            return QString();
        };
        QVERIFY(captionOf("library", nullptr).contains("schematic"));
        QVERIFY(!captionOf("ring", nullptr).contains("schematic"));
        // Nor does the narration say that the library goes in a ring.
        const auto leadOf = [](const char *algorithm) {
            const Plan plan = mlpOn(4, {{"algorithm", algorithm}});
            const std::vector<Scene> scenes = sceneList(plan);
            return narrationOf(plan, *std::find_if(scenes.begin(), scenes.end(),
                                                   [](const Scene &scene) { return scene.hop >= 0; }))
                .lead;
        };
        QCOMPARE(leadOf("library"), QStringLiteral("All-reduce drawn as a ring (reduce-scatter phase), hop 1 of 6."));
        QCOMPARE(leadOf("ring"), QStringLiteral("Ring all-reduce (reduce-scatter phase), hop 1 of 6."));
    }

    void measuredHopTimesAreShown()
    {
        Run run;
        run.plan = mlpOn(4, {{"algorithm", "ring"}});
        const std::vector<Scene> scenes = sceneList(run.plan);
        const auto scene = *std::find_if(scenes.begin(), scenes.end(), [](const Scene &s) { return s.hop == 1; });
        // The slowest rank counts, the median over iterations, warm-ups do not.
        for (int iteration = 0; iteration < 4; ++iteration) {
            for (int rank = 0; rank < 4; ++rank)
                run.hops.push_back({rank, iteration, iteration == 0, scene.step, 1, 0,
                                    iteration == 0 ? 900000 : 1000 * (iteration + rank), 0});
        }
        QCOMPARE(timeCaption(run.plan, &run, scene), QStringLiteral("this hop 5\u00a0µs measured, waiting included"));
        run.source = Source::Recorded;
        QVERIFY(timeCaption(run.plan, &run, scene).contains("recorded"));
        // A run of other settings says nothing about this plan.
        const Plan other = mlpOn(4, {{"algorithm", "ring"}, {"batch", "8"}});
        QCOMPARE(timeCaption(other, &run, scene), QString());
    }
};

QTEST_MAIN(TestDiagramScenes)
#include "tst_diagram_scenes.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks on several hosts, and meshes of more ranks than can be drawn one by one.
#include "engine/simulate/simulate.h"
#include "tests/ui/diagram/sample_plans.h"
#include "tests/ui/golden_picture.h"
#include "ui/diagram/layout.h"

#include <QElapsedTimer>
#include <QPainter>
#include <QtTest>
#include <algorithm>

using namespace shardscope;

namespace {

constexpr QSize kSize(1280, 720);

Run predicted(const OptionValues &options)
{
    return simulate(buildPlan(*readExperiment(options), Transport::Nccl), *findHardware("h100-8"));
}

/// Two hosts share the ranks, the first half on the first.
Run onTwoHosts(const OptionValues &options)
{
    Run run;
    run.machine.host = "2 cores";
    run.startedAt = "2026-03-02T10:00:00+01:00";
    run.plan = planOf(options);
    run.machine.hosts = {{"alpha", {}, 0, 0}, {"beta", {}, -1'250'000, 11'000}};
    const int ranks = run.experiment().ranks();
    for (int rank = 0; rank < ranks; ++rank)
        run.machine.hosts[rank < ranks / 2 ? 0 : 1].ranks.push_back(rank);
    return run;
}

DiagramFrame frameOf(const Run &run, double position, const Theme &theme = Theme::light())
{
    DiagramFrame frame;
    frame.plan = &run.plan;
    frame.run = &run;
    frame.position = position;
    frame.theme = &theme;
    frame.unit = 1.1;
    return frame;
}

QImage pictureOf(const DiagramFrame &frame, const QSize &size = kSize)
{
    return paintPicture(size,
                        [&](QPainter &painter) { paintDiagram(painter, QRectF(QPointF(), QSizeF(size)), frame); });
}

DiagramLayout layoutOf(const DiagramFrame &frame)
{
    return layoutDiagram(frame, QRectF(QPointF(), QSizeF(kSize)));
}

/// Position of the first scene whose step `wanted` accepts.
template <typename Wanted>
double positionOf(const Plan &plan, Wanted wanted)
{
    const auto found = std::ranges::find_if(plan.steps, wanted);
    return found == plan.steps.end() ? -1 : firstSceneOf(sceneList(plan), found->id);
}

double sumAlong(const Plan &plan, MeshAxis axis)
{
    return positionOf(plan, [axis](const Step &step) { return step.collective && step.collective->axis == axis; });
}

bool says(const DiagramLayout &layout, const QString &words)
{
    return std::ranges::any_of(layout.texts, [&](const TextBox &text) { return text.text.contains(words); });
}

} // namespace

class TestDiagramHosts : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void golden_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<bool>("collective");
        QTest::addColumn<QString>("theme");
        QTest::newRow("hosts-2x2-compute") << "ranks=4" << false << "light";
        QTest::newRow("hosts-2x2-hop") << "ranks=4" << true << "light";
        QTest::newRow("hosts-2x2-hop-dark") << "ranks=4" << true << "dark";
        QTest::newRow("hosts-2x2-mesh") << "mesh=tp=2,dp=2" << true << "dark";
    }
    void golden()
    {
        QFETCH(QString, options);
        QFETCH(bool, collective);
        QFETCH(QString, theme);
        const Run run = onTwoHosts(
            {{"scheme", "mlp"}, {options.section('=', 0, 0).toStdString(), options.section('=', 1).toStdString()}});
        const double position = collective ? sumAlong(run.plan, MeshAxis::Tp) + 0.4 : 0.4;
        SHARDSCOPE_COMPARE_GOLDEN(pictureOf(frameOf(run, position, Theme::byId(theme))),
                                  QString::fromLatin1(QTest::currentDataTag()));
    }

    void goldenOfTwoNodes()
    {
        const Run run = predicted({{"scheme", "mlp"}, {"mesh", "tp=8,dp=2"}, {"hidden", "4096"}});
        SHARDSCOPE_COMPARE_GOLDEN(pictureOf(frameOf(run, sumAlong(run.plan, MeshAxis::Tp) + 0.4)), "nodes-2x8-hop");
        const Run wide = predicted({{"scheme", "mlp"}, {"mesh", "tp=16"}, {"hidden", "4096"}});
        SHARDSCOPE_COMPARE_GOLDEN(pictureOf(frameOf(wide, sumAlong(wide.plan, MeshAxis::Tp) + 0.4, Theme::dark())),
                                  "nodes-tp16-hop");
        const Run map = predicted({{"scheme", "mlp"}, {"mesh", "tp=32"}, {"hidden", "4096"}});
        SHARDSCOPE_COMPARE_GOLDEN(pictureOf(frameOf(map, sumAlong(map.plan, MeshAxis::Tp) + 0.4)), "nodes-tp32-map");
    }

    void oneHostIsDrawnAsEver()
    {
        const Run one = [] {
            Run run = onTwoHosts({{"scheme", "mlp"}, {"ranks", "4"}});
            run.machine.hosts = {{"alpha", {0, 1, 2, 3}, 0, 0}};
            return run;
        }();
        Run none = one;
        none.machine.hosts.clear();
        for (const double position : {0.4, sumAlong(one.plan, MeshAxis::Tp) + 0.4})
            QCOMPARE(pictureOf(frameOf(one, position)), pictureOf(frameOf(none, position)));
        // Hosts that do not share all ranks among them are no statement.
        Run damaged = onTwoHosts({{"scheme", "mlp"}, {"ranks", "4"}});
        damaged.machine.hosts.back().ranks = {2};
        QCOMPARE(pictureOf(frameOf(damaged, 0.4)), pictureOf(frameOf(none, 0.4)));
    }

    void linksAreToldApart()
    {
        const Run run = onTwoHosts({{"scheme", "mlp"}, {"ranks", "4"}});
        const DiagramLayout layout = layoutOf(frameOf(run, sumAlong(run.plan, MeshAxis::Tp)));
        QCOMPARE(layout.hostBoxes.size(), std::size_t{2});
        QVERIFY(says(layout, "alpha") && says(layout, "beta"));
        QVERIFY(says(layout, "inside a host") && says(layout, "between hosts"));
        QCOMPARE(layout.links.lanes.size(), std::size_t{4});
        for (const LinkLane &lane : layout.links.lanes)
            QCOMPARE(lane.apart, (lane.from < 2) != (lane.to < 2)); // 1 -> 2 and 3 -> 0
        for (const CardBox &card : layout.cards) {
            const QRectF &host = layout.hostBoxes[card.rank < 2 ? 0 : 1].box;
            QVERIFY(host.contains(card.box));
        }
    }

    void rowsOfAHostAreFramed()
    {
        const Run nodes = predicted({{"scheme", "mlp"}, {"mesh", "tp=32"}, {"hidden", "4096"}});
        const DiagramLayout layout = layoutOf(frameOf(nodes, sumAlong(nodes.plan, MeshAxis::Tp)));
        QVERIFY(layout.map);
        QCOMPARE(layout.hostBoxes.size(), std::size_t{4});
        for (int node = 0; node < 4; ++node) {
            QVERIFY(says(layout, QStringLiteral("node %1").arg(node)));
            for (int row = 0; row < layout.map->rows; ++row)
                QCOMPARE(
                    layout.hostBoxes[static_cast<std::size_t>(node)].box.contains(layout.map->cell(row, 0).center()),
                    row / 8 == node);
        }
        // Neighbours along dp are all on nodes of their own: frames of one row would say nothing.
        const Run apart = predicted({{"scheme", "mlp"}, {"mesh", "tp=8,dp=32"}, {"hidden", "4096"}});
        QVERIFY(layoutOf(frameOf(apart, sumAlong(apart.plan, MeshAxis::Dp))).hostBoxes.empty());
    }

    void manyRanks_data()
    {
        QTest::addColumn<QString>("mesh");
        QTest::addColumn<int>("axis");
        QTest::addColumn<QString>("said");
        const auto row = [](const char *mesh, MeshAxis axis, const char *said) {
            QTest::newRow(qPrintable(QString(mesh) + ' ' + axisName(axis).data()))
                << QString(mesh) << static_cast<int>(axis) << QString(said);
        };
        row("tp=8,pp=16,dp=128", MeshAxis::Tp, "128 groups at once");
        row("tp=8,pp=16,dp=128", MeshAxis::Dp, "128 ranks at once");
        row("tp=8,pp=16,dp=128", MeshAxis::Pp, "1024 groups at once");
        row("tp=16384", MeshAxis::Tp, "16384 ranks at once");
        row("dp=16384", MeshAxis::Dp, "16384 ranks at once");
        row("pp=96,dp=2", MeshAxis::Pp, "2 groups at once");
    }
    void manyRanks()
    {
        QFETCH(QString, mesh);
        QFETCH(int, axis);
        QFETCH(QString, said);
        const Run run =
            predicted({{"scheme", "mlp"}, {"layers", "96"}, {"hidden", "65536"}, {"mesh", mesh.toStdString()}});
        QElapsedTimer timer;
        timer.start();
        const double collective = sumAlong(run.plan, static_cast<MeshAxis>(axis));
        const double compute = positionOf(run.plan, [](const Step &step) { return step.kind == StepKind::MatMul; });
        for (const double position : {compute + 0.4, collective + 0.4}) {
            const QImage picture = pictureOf(frameOf(run, position));
            if (qEnvironmentVariableIsSet("SHARDSCOPE_PICTURES"))
                picture.save(qEnvironmentVariable("SHARDSCOPE_PICTURES") + '/' +
                             QString::fromLatin1(QTest::currentDataTag()) + QString::number(position) + ".png");
        }
        const DiagramLayout layout = layoutOf(frameOf(run, collective));
        QVERIFY2(says(layout, said), qPrintable(said));
        QVERIFY(layout.cards.size() <= 16);
        qInfo("%lld ms for two pictures", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 30'000); // none hangs
    }
};

QTEST_MAIN(TestDiagramHosts)
#include "tst_diagram_hosts.moc"

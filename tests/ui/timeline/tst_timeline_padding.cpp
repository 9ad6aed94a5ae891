// SPDX-License-Identifier: GPL-3.0-or-later
// The caption says how far every stage is padded; where the work takes longer that makes no stages equal.
#include "engine/simulate/simulate.h"
#include "ui/timeline/timeline_content.h"

#include <QTest>

using namespace shardscope;

namespace {

QString warningFor(double milliseconds)
{
    Experiment experiment;
    experiment.scheme = Scheme::Pipeline;
    experiment.mesh.extents = {1, 1, 2};
    experiment.layers = 2;
    experiment.microBatches = 2;
    experiment.stageDelay = StageDelay{milliseconds, milliseconds};
    const Run run = simulate(buildPlan(experiment), *findHardware("h100-8"));
    return timelineContent(std::make_shared<Run>(run), false).warning;
}

} // namespace

class TestTimelinePadding : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void tooLittlePaddingWarns()
    {
        const QString warning = warningFor(0.001);
        QVERIFY2(warning.contains(QStringLiteral("too little padding: a forward takes up to")), qPrintable(warning));
        QVERIFY(warning.contains(QStringLiteral("too little padding: a backward takes up to")));
        QVERIFY(warningFor(20).isEmpty());
    }
};

QTEST_MAIN(TestTimelinePadding)
#include "tst_timeline_padding.moc"

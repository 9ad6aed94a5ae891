// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include "tests/app/own_config_folder.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

using namespace shardscope;

class TestSettings : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void init() { m_folder.clear(); }

    void theFirstStartHasDefaults()
    {
        const Settings settings = Settings::load();
        QCOMPARE(settings.theme, QStringLiteral("light"));
        QCOMPARE(settings.scale, 1.0);
        QVERIFY(experimentFromSettings(settings.experiment) == Experiment{});
    }

    void everythingIsKept()
    {
        Experiment experiment;
        experiment.scheme = Scheme::Column;
        experiment.gatherOutput = true;
        experiment.mesh.extents = {8, 1, 1};
        experiment.delay = Delay{2, 20};
        Settings settings;
        settings.theme = QStringLiteral("dark");
        settings.scale = 1.5;
        settings.autoRun = false;
        settings.hardware = QStringLiteral("a100-8");
        settings.experiment = experimentToSettings(experiment);
        settings.thisMachine = QStringLiteral("{ \"a\": \"b, c\" }");
        settings.place = QByteArray("\0\1\2", 3);
        settings.save();
        const Settings again = Settings::load();
        QCOMPARE(again.theme, settings.theme);
        QCOMPARE(again.scale, settings.scale);
        QCOMPARE(again.autoRun, settings.autoRun);
        QCOMPARE(again.hardware, settings.hardware);
        QCOMPARE(again.thisMachine, settings.thisMachine);
        QCOMPARE(again.place, settings.place);
        QVERIFY(experimentFromSettings(again.experiment) == experiment);
    }

    void aChoiceForAnotherPhaseIsKept()
    {
        Experiment experiment;
        experiment.phase = Phase::Prefill;
        experiment.inputGradient = false;
        QVERIFY(experimentFromSettings(experimentToSettings(experiment)) == experiment);
    }

    void foreignValuesFallBack()
    {
        QDir().mkpath(m_folder.path() + QStringLiteral("/shardscope"));
        QFile file(m_folder.path() + QStringLiteral("/shardscope/shardscope.ini"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[General]\nversion=1\nscale=nonsense\nexperiment=hidden=-4 what\n");
        file.close();
        const Settings settings = Settings::load();
        QCOMPARE(settings.scale, 1.0);
        QVERIFY(experimentFromSettings(settings.experiment) == Experiment{});
    }

    void anotherVersionIsNotRead()
    {
        QDir().mkpath(m_folder.path() + QStringLiteral("/shardscope"));
        QFile file(m_folder.path() + QStringLiteral("/shardscope/shardscope.ini"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[General]\nversion=99\ntheme=dark\n");
        file.close();
        QCOMPARE(Settings::load().theme, QStringLiteral("light"));
    }

private:
    tests::OwnConfigFolder m_folder;
};

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"

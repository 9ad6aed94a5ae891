// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_wiring.h"

#include "app/arguments.h"
#include "app/hardware_list.h"
#include "app/run_files.h"
#include "tests/app/own_config_folder.h"
#include "tests/app/session_setup.h"
#include "ui/message_bar.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_list.h"
#include "ui/pages/page_stack.h"
#include "ui/panels/experiment_panel.h"
#include "ui/panels/value_slider.h"
#include "ui/window_actions.h"
#include "ui/workbench.h"

#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QElapsedTimer>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace shardscope;

namespace {

Arguments onFakeEngine(const char *mode)
{
    qputenv("SHARDSCOPE_FAKE_MODE", mode);
    Arguments arguments;
    arguments.engine = QStringLiteral(SHARDSCOPE_FAKE_ENGINE);
    return arguments;
}

} // namespace

class TestWindowWiring : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
    }
    void init()
    {
        QVERIFY(m_config.isValid());
        m_config.clear();
    }

    void theWindowMeasuresByItself()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        wiring.start();
        QTRY_COMPARE(wiring.session().results().measured.size(), 3u);
        QTRY_VERIFY(wiring.session().status().state == RunStatus::State::Measured);
        QCOMPARE(wiring.window().workbench().pictureContent().results.measured.size(), 3u);
    }

    void aSliderAndUndo()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        wiring.start();
        StopSpinBox *ranks = wiring.window().panel().findChild<StopSpinBox *>();
        ranks->setValue(8);
        QCOMPARE(wiring.session().experiment().ranks(), 8);
        QCOMPARE(wiring.window().workbench().pictureContent().plan->experiment.ranks(), 8);
        wiring.window().actions().undo->trigger();
        QCOMPARE(wiring.session().experiment().ranks(), 2);
        QCOMPARE(ranks->value(), 2);
    }

    void aMoveIsDrawnAtOnceAndItsPredictionFollows()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        Workbench &workbench = wiring.window().workbench();
        QCOMPARE(workbench.pictureContent().results.predicted.size(), 3u);
        wiring.window().panel().findChild<StopSpinBox *>()->setValue(8);
        const PictureContent moved = workbench.pictureContent();
        QCOMPARE(moved.plan->experiment.ranks(), 8);
        QVERIFY2(moved.results.predicted.empty(), "two ranks' prediction is not eight ranks'");
        QTRY_COMPARE(workbench.pictureContent().results.predicted.size(), 3u);
        QCOMPARE(workbench.pictureContent().results.predicted.at(Phase::Training)->experiment().ranks(), 8);
    }

    void theWindowOpensBeforeALongPlanIsBuilt()
    {
        Arguments arguments = onFakeEngine("");
        arguments.experiment = tests::longest(64);
        WindowWiring wiring(arguments, *m_style);
        wiring.window().show();
        QVERIFY(!wiring.window().grab().isNull());
        QVERIFY(!wiring.session().plan());
        Workbench &workbench = wiring.window().workbench();
        QCOMPARE(wiring.window().panel().findChild<StopSpinBox *>()->value(), 64);
        QTRY_VERIFY_WITH_TIMEOUT(workbench.pictureContent().plan, 60000);
        QCOMPARE(workbench.pictureContent().plan->mesh().size(), 64);
        QTRY_COMPARE_WITH_TIMEOUT(workbench.pictureContent().results.predicted.size(), 3u, 60000);
    }

    void aPictureIsNeverOfTwoSettings()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        wiring.window().panel().findChild<StopSpinBox *>()->setValue(8);
        wiring.window().actions().copyPicture->trigger();
        QVERIFY(!wiring.session().results().pending);
        QCOMPARE(wiring.session().results().predicted.at(Phase::Training)->experiment().ranks(), 8);
    }

    void whatTheCommandLineChoseIsForThisOnce()
    {
        {
            Arguments arguments = onFakeEngine("");
            arguments.theme = QStringLiteral("projector");
            arguments.hardware = QStringLiteral("a100-8");
            WindowWiring wiring(arguments, *m_style);
            QCOMPARE(wiring.window().look().theme->id, QStringLiteral("projector"));
            wiring.window().show();
            wiring.window().close();
        }
        WindowWiring again(onFakeEngine(""), *m_style);
        QCOMPARE(again.window().look().theme->id, QStringLiteral("light"));
        QCOMPARE(again.session().predictor().chosen(), std::string("this"));
    }

    void anExperimentFromTheCommandLineBringsItsDefaultMachine()
    {
        {
            WindowWiring wiring(onFakeEngine(""), *m_style);
            wiring.session().setHardware("a100-8");
            wiring.window().show();
            wiring.window().close();
        }
        QCOMPARE(WindowWiring(onFakeEngine(""), *m_style).session().predictor().chosen(), std::string("a100-8"));
        // "Copy as command line" names the machine only where it is not this one.
        Arguments arguments = onFakeEngine("");
        arguments.experiment = Experiment{};
        QCOMPARE(WindowWiring(arguments, *m_style).session().predictor().chosen(), std::string("this"));
    }

    void anEngineThatDiesIsSaidAndRestarted()
    {
        WindowWiring wiring(onFakeEngine("crash"), *m_style);
        wiring.start();
        MessageBar &bar = wiring.window().messageBar();
        QTRY_VERIFY(bar.text().contains(QStringLiteral("crashed")));
        qputenv("SHARDSCOPE_FAKE_MODE", "");
        for (QPushButton *button : bar.findChildren<QPushButton *>()) {
            if (button->text() == QLatin1String("Restart the engine"))
                button->click();
        }
        QVERIFY(bar.isHidden());
        QTRY_COMPARE(wiring.session().results().measured.size(), 3u);
    }

    void aPageHasItsPointsMeasured()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        wiring.start();
        QTRY_VERIFY(wiring.session().results().measuredOne);
        QTRY_VERIFY(wiring.session().status().state == RunStatus::State::Measured);
        const Experiment before = wiring.session().experiment();
        Page *page = wiring.window().pages().page(PageId::Phases);
        wiring.window().pages().showPage(PageId::Phases);
        const auto missing = [&] {
            const std::vector<Experiment> points = page->wantedRuns();
            return std::ranges::count_if(
                points, [&](const Experiment &point) { return !wiring.session().lookups().measured(point); });
        };
        QCOMPARE(missing(), 1); // with recomputation
        page->findChild<QPushButton *>()->click();
        QTRY_COMPARE(missing(), 0);
        QTRY_VERIFY(wiring.session().status().state == RunStatus::State::Measured);
        QCOMPARE(wiring.session().experiment(), before);
        QVERIFY(!page->picture().provenance.contains(QStringLiteral("hollow")));
    }

    void itClosesInUnderASecondWhileRanksRun_data()
    {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("slow") << QByteArray("slow");
        QTest::newRow("deaf") << QByteArray("deaf");
    }
    void itClosesInUnderASecondWhileRanksRun()
    {
        QFETCH(QByteArray, mode);
        auto wiring = std::make_unique<WindowWiring>(onFakeEngine(mode.constData()), *m_style);
        wiring->start();
        QTRY_VERIFY(wiring->session().status().state == RunStatus::State::Running);
        QVERIFY(wiring->window().close());
        QElapsedTimer clock;
        clock.start();
        wiring.reset();
        // Loose, because tests assert no milliseconds; QProcess by itself would wait for half a minute.
        QVERIFY2(clock.elapsed() < 10000, qPrintable(QString::number(clock.elapsed())));
    }

    void theStateIsKept()
    {
        {
            WindowWiring wiring(onFakeEngine(""), *m_style);
            wiring.start();
            wiring.window().panel().findChild<StopSpinBox *>()->setValue(4);
            wiring.window().actions().theme->trigger();
            wiring.window().close();
        }
        WindowWiring again(onFakeEngine(""), *m_style);
        QCOMPARE(again.session().experiment().ranks(), 4);
        QCOMPARE(again.window().look().theme->id, QStringLiteral("dark"));
    }

    void aSavedRunOpensAsRecorded()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.shardscope"));
        {
            WindowWiring wiring(onFakeEngine(""), *m_style);
            wiring.start();
            QTRY_VERIFY(wiring.session().results().measuredOne);
            QCOMPARE(saveRuns(file, wiring.session().measuredRuns()), QString());
        }
        Arguments arguments = onFakeEngine("");
        arguments.file = file;
        WindowWiring wiring(arguments, *m_style);
        wiring.start();
        QTRY_VERIFY(wiring.session().status().state == RunStatus::State::Recorded);
        QVERIFY(wiring.window().messageBar().text().contains(QStringLiteral("a.shardscope")));
    }

    void aBadFileIsNamedWithItsLine()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("bad.shardscope"));
        QFile bad(file);
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("this is no run\n");
        bad.close();
        Arguments arguments = onFakeEngine("");
        arguments.file = file;
        WindowWiring wiring(arguments, *m_style);
        wiring.start();
        QTRY_VERIFY(wiring.window().messageBar().text().contains(QStringLiteral("bad.shardscope")));
        QVERIFY(wiring.window().messageBar().text().contains(QStringLiteral("line 1")));
    }

    void theCommandLineAndThePictureAreCopied()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        wiring.start();
        wiring.window().panel().findChild<StopSpinBox *>()->setValue(4);
        wiring.window().actions().copyCommand->trigger();
        // This program is on no search path.
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 shellWord(QCoreApplication::applicationFilePath()) + QStringLiteral(" --ranks 4"));
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(QLatin1Char('/')));
        wiring.window().workbench().goToStep(3);
        wiring.window().actions().copyCommand->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().endsWith(QStringLiteral(" --ranks 4 --step 3")));
        // Of a page the line draws its picture, with its settings or with the layer's.
        for (const PageInfo &page : pageList()) {
            if (page.id == PageId::Workbench)
                continue;
            wiring.window().pages().showPage(page.id);
            wiring.window().actions().copyCommand->trigger();
            QStringList words = QGuiApplication::clipboard()->text().split(QLatin1Char(' '));
            words.removeFirst();
            const ArgumentsResult read = readArguments(words);
            QVERIFY2(read.problem.isEmpty(), qPrintable(read.problem));
            QCOMPARE(read.arguments.mode, Arguments::Mode::Export);
            QCOMPARE(read.arguments.picture.view, viewOf(page.id));
            if (page.options)
                QCOMPARE(wordsOf(read.arguments.page), wiring.window().pages().page(page.id)->options());
            else
                QCOMPARE(read.arguments.experiment->ranks(), 4);
        }
        wiring.window().pages().showPage(PageId::Workbench);
        wiring.window().actions().copyPicture->trigger();
        QCOMPARE(QGuiApplication::clipboard()->image().size(), QSize(1920, 1080));
    }

    void theWindowOpensAtTheStepThatWasAskedFor()
    {
        Arguments arguments = onFakeEngine("");
        arguments.step = 3;
        WindowWiring third(arguments, *m_style);
        QCOMPARE(third.window().workbench().stepShown(), 2);
        QVERIFY(third.window().messageBar().text().isEmpty());
        arguments.step = 999;
        WindowWiring beyond(arguments, *m_style);
        const auto last = static_cast<int>(beyond.session().plan()->steps.size());
        QCOMPARE(beyond.window().workbench().stepShown(), last - 1);
        QVERIFY(beyond.window().messageBar().text().contains(QStringLiteral("Step 999")));
    }

    void aPictureOfTheWindowHasItsDerivation()
    {
        WindowWiring wiring(onFakeEngine(""), *m_style);
        wiring.start();
        const auto picture = [&] {
            Q_EMIT wiring.window().copyPictureRequested(PictureView::Window);
            return QGuiApplication::clipboard()->image();
        };
        const QImage without = picture();
        wiring.window().workbench().showDerivation(4);
        const QImage with = picture();
        QCOMPARE(with.size(), without.size());
        const auto column = [](const QImage &image, double from, double to) {
            const int left = qRound(image.width() * from);
            return image.copy(left, image.height() / 8, qRound(image.width() * to) - left, image.height() / 2);
        };
        QVERIFY2(column(with, 0.8, 1) != column(without, 0.8, 1), "the derivation stands where the charts stood");
        QCOMPARE(column(with, 0, 0.15), column(without, 0, 0.15));
    }

private:
    tests::OwnConfigFolder m_config;
    AppStyle *m_style = nullptr;
};

QTEST_MAIN(TestWindowWiring)
#include "tst_window_wiring.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

#include "tests/ui/shown_window.h"
#include "ui/message_bar.h"
#include "ui/panels/experiment_panel.h"
#include "ui/panels/value_slider.h"
#include "ui/window_actions.h"
#include "ui/workbench.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QSignalSpy>
#include <algorithm>

using namespace shardscope;

class TestMainWindow : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
        m_window = shownWindow(*m_style);
    }
    void cleanupTestCase() { m_window.reset(); }

    void keysMoveThePicture()
    {
        Playback &playback = m_window->workbench().playback();
        playback.setPosition(0);
        m_window->setFocus();
        QTest::keyClick(m_window.get(), Qt::Key_End);
        QVERIFY(playback.position() > 0);
        QTest::keyClick(m_window.get(), Qt::Key_Home);
        QCOMPARE(playback.position(), 0.0);
        QTest::keyClick(m_window.get(), Qt::Key_K);
        QVERIFY(playback.playing());
        QTest::keyClick(m_window.get(), Qt::Key_K);
        QVERIFY(!playback.playing());
        const double speed = playback.speed();
        QTest::keyClick(m_window.get(), Qt::Key_BracketRight);
        QVERIFY(playback.speed() > speed);
    }

    void largerMakesEveryViewLarger()
    {
        const QSize window = m_window->size();
        m_window->resize(1440, 860);
        const auto views = [this] {
            QVector<QSize> sizes;
            for (const char *name : {"DiagramView", "TimelineView", "ComparisonChart"}) {
                for (QWidget *view : m_window->findChildren<QWidget *>()) {
                    if (QByteArray(view->metaObject()->className()).endsWith(name))
                        sizes << view->size();
                }
            }
            return sizes;
        };
        QTest::qWait(50);
        const QVector<QSize> before = views();
        QCOMPARE(before.size(), 3);
        m_window->actions().larger->trigger();
        QTest::qWait(100);
        const QVector<QSize> after = views();
        for (int i = 0; i < 3; ++i)
            QVERIFY2(after[i].width() > 1.1 * before[i].width() && after[i].height() > 1.1 * before[i].height(),
                     qPrintable(QStringLiteral("view %1: %2 x %3, before %4 x %5")
                                    .arg(i)
                                    .arg(after[i].width())
                                    .arg(after[i].height())
                                    .arg(before[i].width())
                                    .arg(before[i].height())));
        m_window->actions().normalSize->trigger();
        m_window->resize(window);
        QTest::qWait(50);
    }

    void theMenuOffersEveryTheme()
    {
        for (QAction *theme : m_window->actions().themes) {
            theme->trigger();
            QCOMPARE(m_window->look().theme->id, theme->data().toString());
            QVERIFY(theme->isChecked());
        }
        QCOMPARE(m_window->look().theme->id, QStringLiteral("projector"));
        m_window->setLook({&Theme::light(), 1});
    }

    void aFailedCheckStandsInTheHeader()
    {
        RunStatus status;
        status.state = RunStatus::State::Measured;
        status.text = QStringLiteral("measured");
        status.checks.state = CheckVerdict::State::Failed;
        status.checks.line = QStringLiteral("check failed: Y");
        m_window->setStatus(status);
        const auto label = [this](const QString &text) {
            for (QLabel *each : m_window->findChildren<QLabel *>()) {
                if (each->text() == text)
                    return each;
            }
            return static_cast<QLabel *>(nullptr);
        };
        QLabel *failed = label(QStringLiteral("check failed: Y · measured"));
        QVERIFY(failed);
        QCOMPARE(failed->palette().color(QPalette::WindowText), Theme::light().error);
        m_window->setStatus({});
        QVERIFY(failed->palette().color(QPalette::WindowText) != Theme::light().error);
    }

    void keysMeanTheSameOnTheDiagram()
    {
        Playback &playback = m_window->workbench().playback();
        m_window->workbench().focusPicture();
        QWidget *diagram = m_window->focusWidget();
        QVERIFY(diagram && diagram != m_window.get());
        playback.setSpeed(1);
        QTest::keyClick(diagram, Qt::Key_Home);
        QTest::keyClick(diagram, Qt::Key_Space);
        QVERIFY(playback.playing());
        QTest::keyClick(diagram, Qt::Key_Space);
        QVERIFY(!playback.playing());
        QCOMPARE(playback.position(), 1.0);
        QTest::keyClick(diagram, Qt::Key_BracketLeft);
        QCOMPARE(playback.speed(), 0.5);
        QTest::keyClick(diagram, Qt::Key_End);
        QCOMPARE(playback.position(), static_cast<double>(playback.sceneCount()));
        playback.setSpeed(1);
    }

    void gAndANumberGoToAStep()
    {
        Playback &playback = m_window->workbench().playback();
        m_window->setFocus();
        QTest::keyClicks(m_window.get(), QStringLiteral("g3"));
        QCOMPARE(playback.position(), 2.0);
        QTest::keyClicks(m_window.get(), QStringLiteral("g99"));
        QVERIFY(playback.position() > 2.0);
        QTest::keyClick(m_window.get(), Qt::Key_Home);
        QTest::keyClicks(m_window.get(), QStringLiteral("5"));
        QCOMPARE(playback.position(), 0.0);
    }

    void anEditKeepsItsKeys()
    {
        Playback &playback = m_window->workbench().playback();
        playback.setPosition(1);
        auto *spin = m_window->panel().findChild<StopSpinBox *>();
        spin->setFocus();
        QTest::keyClick(spin, Qt::Key_Home);
        QTest::keyClick(spin, Qt::Key_K);
        QCOMPARE(playback.position(), 1.0);
        QVERIFY(!playback.playing());
    }

    void statusSaysWhetherItRuns()
    {
        RunStatus status;
        status.state = RunStatus::State::Running;
        status.text = QStringLiteral("Running training on 4 ranks");
        m_window->setStatus(status);
        QVERIFY(buttonWith(*m_window, QStringLiteral("Cancel"))->isVisible());
        QSignalSpy cancelled(m_window.get(), &MainWindow::cancelRequested);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QCOMPARE(cancelled.size(), 1);
        status.state = RunStatus::State::Measured;
        status.canRun = true;
        m_window->setStatus(status);
        QVERIFY(!buttonWith(*m_window, QStringLiteral("Cancel"))->isVisible());
        QPushButton *run = buttonWith(*m_window, QStringLiteral("Run again"));
        QVERIFY(run && run->isEnabled());
        QSignalSpy asked(m_window.get(), &MainWindow::runRequested);
        QTest::mouseClick(run, Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
    }

    void aMessageOffersItsRemedies()
    {
        m_window->showMessage({UserMessage::Level::Error,
                               QStringLiteral("Rank 2 stopped"),
                               QStringLiteral("Try less."),
                               {MessageAction::UseSmallerSize}});
        MessageBar &bar = m_window->messageBar();
        QCOMPARE(bar.text(), QStringLiteral("Rank 2 stopped. Try less."));
        m_window->showMessage({UserMessage::Level::Info, QStringLiteral("Saved."), {}, {}});
        QVERIFY2(bar.text().startsWith(QStringLiteral("Rank 2")), "an error is not pushed away by lesser news");
        QCOMPARE(bar.news(), QStringLiteral("Saved."));
        m_window->showMessage({UserMessage::Level::Warning, QStringLiteral("cut off"), {}, {}});
        QVERIFY2(bar.text().startsWith(QStringLiteral("Rank 2")), "nor by a warning");
        QCOMPARE(bar.news(), QStringLiteral("Cut off"));
        QSignalSpy chosen(m_window.get(), &MainWindow::messageActionChosen);
        QTest::mouseClick(buttonWith(bar, QStringLiteral("Use a smaller size")), Qt::LeftButton);
        QCOMPARE(chosen.size(), 1);
        QTest::mouseClick(buttonWith(bar, QStringLiteral("Dismiss")), Qt::LeftButton);
        QVERIFY(bar.isHidden());
    }

    void theEnginesWordsAreNoMarkup()
    {
        m_window->showMessage({UserMessage::Level::Error, QStringLiteral("<b>no</b> markup"), {}, {}});
        for (const QLabel *label : m_window->messageBar().findChildren<QLabel *>())
            QCOMPARE(label->textFormat(), Qt::PlainText);
        m_window->messageBar().dismiss();
    }

    void oldNumbersAreVeiledUntilThePredictionIsThere()
    {
        const auto veils = m_window->workbench().findChildren<QWidget *>(QStringLiteral("veil"));
        QCOMPARE(veils.size(), 2);
        const auto all = [&](bool visible) {
            return std::all_of(veils.begin(), veils.end(), [&](QWidget *veil) { return veil->isVisible() == visible; });
        };
        Results pending;
        pending.pending = true;
        m_window->setResults(pending);
        QVERIFY(all(true));
        QCOMPARE(veils.front()->size(), veils.front()->parentWidget()->size());
        m_window->setResults(Results{});
        QTRY_VERIFY2(all(false), "the settings rest");
        m_window->setResults(pending);
        QTest::qWait(400);
        QVERIFY2(all(true), "a slow prediction stays veiled");
        m_window->setResults(Results{});
        QVERIFY(all(false));
    }

    void aStepEndsAlsoWhenThePlanShrinks()
    {
        Playback &playback = m_window->workbench().playback();
        playback.setPosition(playback.sceneCount() - 1);
        playback.setSpeed(4);
        playback.stepForward();
        const int scenes = playback.sceneCount();
        playback.setSceneCount(1);
        QTRY_VERIFY(!playback.playing());
        playback.setSceneCount(scenes);
        playback.setSpeed(1);
    }

    void replayShowsTheStepThatWasSeen()
    {
        Playback &playback = m_window->workbench().playback();
        m_window->setFocus();
        playback.setPosition(2);
        QTest::keyClick(m_window.get(), Qt::Key_R);
        QVERIFY(playback.playing());
        QVERIFY(playback.position() >= 1 && playback.position() < 2);
        QTest::keyClick(m_window.get(), Qt::Key_Home);
        QVERIFY(!playback.playing());
        QCOMPARE(playback.position(), 0.0);
    }

    void aLongStatusTakesASecondRow()
    {
        RunStatus status;
        m_window->setStatus(status);
        QCoreApplication::processEvents();
        const int before = buttonWith(*m_window, QStringLiteral("Run"))->mapTo(m_window.get(), QPoint()).y();
        const int width = m_window->width();
        status.honesty = QString(400, QLatin1Char('n'));
        m_window->setStatus(status);
        QTRY_VERIFY(buttonWith(*m_window, QStringLiteral("Run"))->mapTo(m_window.get(), QPoint()).y() > before);
        QCOMPARE(m_window->width(), width);
        m_window->setStatus({});
        QTRY_COMPARE(buttonWith(*m_window, QStringLiteral("Run"))->mapTo(m_window.get(), QPoint()).y(), before);
    }

    void aListWithTheKeyboardKeepsItsLetters()
    {
        auto *list = m_window->panel().findChild<QComboBox *>();
        QVERIFY(list);
        list->setFocus();
        QTest::keyClick(list, Qt::Key_T);
        QCOMPARE(m_window->look().theme->id, QStringLiteral("light"));
        m_window->setFocus();
    }

    void aNameKeepsItsLetters()
    {
        MessageBar &bar = m_window->messageBar();
        for (const auto &[text, shown] : {std::pair("f/doc.json, line 1: no", "f/doc.json, line 1: no"),
                                          std::pair("doc: no", "doc: no"), std::pair("rank 2 ended", "Rank 2 ended")}) {
            m_window->showMessage({UserMessage::Level::Error, QString::fromLatin1(text), {}, {}});
            QCOMPARE(bar.text(), QString::fromLatin1(shown));
        }
        bar.dismiss();
    }

    void whatCannotRunOffersToMeasureTheMachine()
    {
        RunStatus status;
        status.whyNot = QStringLiteral("16 ranks would share 2 cores");
        status.canMeasure = true;
        m_window->setStatus(status);
        QPushButton *measure = buttonWith(*m_window, QStringLiteral("Measure this machine"));
        QVERIFY(measure && measure->isEnabled());
        QSignalSpy asked(m_window.get(), &MainWindow::runRequested);
        QTest::mouseClick(measure, Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
        m_window->setStatus({});
    }

    void themeAndScaleChangeLive()
    {
        QTest::keyClick(m_window.get(), Qt::Key_T);
        QCOMPARE(m_window->look().theme->id, QStringLiteral("dark"));
        QTest::keyClick(m_window.get(), Qt::Key_T);
        QCOMPARE(m_window->look().theme->id, QStringLiteral("light"));
        for (int i = 0; i < 10; ++i)
            QTest::keyClick(m_window.get(), Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(m_window->look().unit, 2.5);
        QTest::keyClick(m_window.get(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(m_window->look().unit, 1.0);
    }

    void everyKeyOfTheListHasAnActionOrAView()
    {
        QVERIFY(WindowActions::keyList().size() > 15);
        QTest::keyClick(m_window.get(), Qt::Key_F1);
        QVERIFY(m_window->findChild<QDialog *>());
        m_window->findChild<QDialog *>()->close();
    }

    void thePlaceIsKept()
    {
        m_window->resize(1500, 900);
        const QByteArray place = m_window->savePlace();
        m_window->resize(1300, 800);
        m_window->restorePlace(place);
        QTRY_COMPARE(m_window->width(), 1500);
        m_window->restorePlace("nonsense");
        QCOMPARE(m_window->width(), 1500);
    }

private:
    AppStyle *m_style = nullptr;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"

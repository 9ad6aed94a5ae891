// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/diagram/sample_plans.h"
#include "ui/diagram/diagram_view.h"
#include "ui/diagram/layout.h"
#include "ui/diagram/scrub_bar.h"
#include "ui/diagram/transport_bar.h"
#include "ui/playback.h"

#include <QAccessible>
#include <QComboBox>
#include <QPainter>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>
#include <cmath>

using namespace shardscope;

namespace {

/// A view of an mlp on four ranks with its playback, at a size that draws everything.
struct Stage {
    explicit Stage(int ranks = 4) : plan(std::make_shared<Plan>(mlpOn(ranks)))
    {
        view.setPlayback(&playback);
        view.setPlan(plan);
        view.resize(1280, 720);
    }
    /// Middle of the first drawing of `tensor` in the current scene.
    [[nodiscard]] QPoint centreOf(const char *tensor) const
    {
        const DiagramLayout layout = layoutDiagram(view.frame(), QRectF(QPointF(), QSizeF(view.size())));
        for (const MatrixBox &matrix : layout.matrices) {
            if (plan->tensor(matrix.view.tensor).name == tensor)
                return matrix.box.center().toPoint();
        }
        return {};
    }

    std::shared_ptr<Plan> plan;
    Playback playback;
    DiagramView view;
};

} // namespace

class TestDiagramView : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void clickFollowsATensor()
    {
        Stage stage;
        QSignalSpy followed(&stage.playback, &Playback::followedTensorChanged);
        const QImage before = stage.view.grab().toImage();
        QTest::mouseClick(&stage.view, Qt::LeftButton, {}, stage.centreOf("W1"));
        QCOMPARE(stage.playback.followedTensor(), QStringLiteral("W1"));
        QVERIFY(stage.view.grab().toImage() != before);
        QTest::mouseClick(&stage.view, Qt::LeftButton, {}, stage.centreOf("W1"));
        QCOMPARE(stage.playback.followedTensor(), QString());
        QTest::mouseClick(&stage.view, Qt::LeftButton, {}, stage.centreOf("X"));
        QTest::mouseClick(&stage.view, Qt::LeftButton, {}, QPoint(4, 4));
        QCOMPARE(stage.playback.followedTensor(), QString());
        QCOMPARE(followed.count(), 4);
    }

    void followedTensorShowsItsPlacementAtEveryStep()
    {
        Stage stage;
        stage.playback.follow(QStringLiteral("Y"));
        const DiagramLayout layout = layoutDiagram(stage.view.frame(), QRectF(0, 0, 1280, 720));
        QString words;
        for (const TextBox &text : layout.texts)
            words += text.text + '\n';
        QVERIFY(words.contains("Y:\n"));
        QVERIFY(words.contains("partial in Y = H·W2\n"));
        QVERIFY(words.contains("replicated in all-reduce\n"));
        QCOMPARE(layout.chips.size(), std::size_t{3});
    }

    void escapeLetsTheTensorGo()
    {
        Stage stage;
        stage.playback.follow(QStringLiteral("X"));
        QTest::keyClick(&stage.view, Qt::Key_Escape);
        QCOMPARE(stage.playback.followedTensor(), QString());
    }

    void hoverLightsTheStepAndLeavingPutsItOut()
    {
        Stage stage;
        stage.playback.setPosition(2);
        const QPointF at = stage.centreOf("H");
        QMouseEvent move(QEvent::MouseMove, at, stage.view.mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(&stage.view, &move);
        QCOMPARE(stage.playback.hoveredStep(), 2);
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&stage.view, &leave);
        QCOMPARE(stage.playback.hoveredStep(), -1);
    }

    void stepHoveredElsewhereIsLitHere()
    {
        Stage stage;
        const QImage before = stage.view.grab().toImage();
        stage.playback.setHoveredStep(0);
        QVERIFY(stage.view.grab().toImage() != before);
        stage.playback.setHoveredStep(3);
        QCOMPARE(stage.view.grab().toImage(), before);
    }

    void theKeysOfThePictureAreLeftToTheWindow()
    {
        Stage stage;
        QVERIFY(stage.view.focusPolicy() & Qt::TabFocus);
        stage.playback.setPosition(3);
        for (const int key : {Qt::Key_Left, Qt::Key_Home, Qt::Key_K}) {
            QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
            QCoreApplication::sendEvent(&stage.view, &press);
            QVERIFY(!press.isAccepted());
        }
        QCOMPARE(stage.playback.position(), 3.0);
    }

    void theWordsChangeWithTheSceneOnly()
    {
        Stage stage;
        stage.playback.setPosition(3);
        QSignalSpy narrated(&stage.view, &DiagramView::narrationChanged);
        for (const double position : {3.1, 3.5, 3.9})
            stage.playback.setPosition(position);
        QCOMPARE(narrated.count(), 0);
        stage.playback.setPosition(4.1);
        QCOMPARE(narrated.count(), 1);
        QCOMPARE(narrated.front().front().toString(), stage.view.narrationText());
    }

    void stillLayerAndMovingLayerMakeTheWholePicture()
    {
        Stage stage;
        stage.view.clearFocus();
        for (const double position : {0.0, 0.4, 4.4, 4.85, 5.1}) {
            stage.playback.setPosition(position);
            QImage whole(stage.view.size(), QImage::Format_RGB32);
            QPainter painter(&whole);
            paintDiagram(painter, QRectF(QPointF(), QSizeF(stage.view.size())), stage.view.frame());
            painter.end();
            QCOMPARE(stage.view.grab().toImage().convertToFormat(QImage::Format_RGB32), whole);
        }
    }

    void narrationIsRealText()
    {
        Stage stage;
        QSignalSpy changed(&stage.view, &DiagramView::narrationChanged);
        stage.playback.setPosition(4.2);
        QVERIFY(!changed.isEmpty());
        QCOMPARE(stage.view.accessibleDescription(), narration(*stage.plan, 4.2));
        QVERIFY(stage.view.accessibleDescription().contains("hop 1 of 6"));
    }

    void oneAccessibleChildPerRank()
    {
        Stage stage;
        QAccessibleInterface *diagram = QAccessible::queryAccessibleInterface(&stage.view);
        QVERIFY(diagram != nullptr);
        QCOMPARE(diagram->childCount(), 4);
        QAccessibleInterface *second = diagram->child(1);
        QVERIFY(second != nullptr);
        QCOMPARE(second->text(QAccessible::Name), QStringLiteral("rank 1"));
        QVERIFY(second->text(QAccessible::Description).contains("W1 [128, 256], here [128, 64], shard columns"));
        QCOMPARE(diagram->indexOfChild(second), 1);
        QVERIFY(!second->rect().isEmpty());
        QVERIFY(!second->rect().intersects(diagram->child(2)->rect()));
        QVERIFY(diagram->child(4) == nullptr);
    }

    void newPlanKeepsThePositionThatFits()
    {
        Stage stage;
        stage.playback.setPosition(6.5);
        stage.view.setPlan(std::make_shared<Plan>(mlpOn(8)));
        QCOMPARE(stage.playback.position(), 6.5);
        stage.view.setPlan(
            std::make_shared<Plan>(planOf({{"scheme", "column"}, {"phase", "decode"}, {"bias", "off"}})));
        QCOMPARE(stage.playback.position(), static_cast<double>(stage.playback.sceneCount()));
        stage.view.setPlan(nullptr);
        stage.view.grab();
        QCOMPARE(stage.view.rankCount(), 0);
    }

    void playbackRunsByTheClock()
    {
        Playback playback;
        playback.setSceneCount(3);
        playback.setSceneSeconds(0.05);
        QSignalSpy playing(&playback, &Playback::playingChanged);
        playback.play();
        QTRY_VERIFY(!playback.playing());
        QCOMPARE(playback.position(), 3.0);
        QCOMPARE(playing.count(), 2);
        playback.play(); // at the end: from the start
        QVERIFY(playback.position() < 3.0);
        playback.pause();
    }

    void stepForwardPlaysOneScene()
    {
        Playback playback;
        playback.setSceneCount(5);
        playback.setSceneSeconds(0.05);
        playback.stepForward();
        QTRY_VERIFY(!playback.playing());
        QCOMPARE(playback.position(), 1.0);
        playback.stepBack();
        QCOMPARE(playback.position(), 0.0);
        playback.setPosition(2.5);
        playback.stepBack();
        QCOMPARE(playback.position(), 2.0);
    }

    void playbackClamps()
    {
        Playback playback;
        playback.setSceneCount(4);
        playback.setPosition(99);
        QCOMPARE(playback.position(), 4.0);
        playback.setPosition(std::nan(""));
        QCOMPARE(playback.position(), 0.0);
        playback.setSpeed(100);
        QCOMPARE(playback.speed(), 4.0);
        playback.setSpeed(0);
        QCOMPARE(playback.speed(), 0.25);
        playback.setPosition(3.5);
        playback.setSceneCount(2);
        QCOMPARE(playback.position(), 2.0);
        playback.setSceneCount(0);
        playback.play();
        QVERIFY(!playback.playing());
    }

    void scrubSegmentsGroupHops()
    {
        for (const int ranks : {1, 2, 8, 64}) {
            const Plan plan = mlpOn(ranks);
            const std::vector<ScrubSegment> segments = scrubSegments(plan);
            QCOMPARE(segments.size(), plan.steps.size());
            int next = 0;
            for (const ScrubSegment &segment : segments) {
                QCOMPARE(segment.firstScene, next);
                next += segment.scenes;
            }
            QCOMPARE(next, static_cast<int>(sceneList(plan).size()));
        }
    }

    void longPlansAreGroupedByPassAndLayer()
    {
        const auto plan = std::make_shared<Plan>(
            planOf({{"scheme", "block"}, {"ranks", "2"}, {"layers", "4"}, {"recompute", "full"}}));
        const std::vector<ScrubGroup> groups = scrubGroups(*plan);
        int next = 0;
        for (const ScrubGroup &group : groups) {
            QCOMPARE(group.firstSegment, next);
            next += group.segments;
        }
        QCOMPARE(next, static_cast<int>(plan->steps.size()));
        QVERIFY2(groups.size() <= 16, qPrintable(QString::number(groups.size())));
        QCOMPARE(groups.front().label, QStringLiteral("forward · layer 1"));

        Playback playback;
        playback.setSceneCount(static_cast<int>(sceneList(*plan).size()));
        ScrubBar bar;
        bar.setPlan(plan);
        bar.setPlayback(&playback);
        bar.resize(900, bar.sizeHint().height());
        QVERIFY(bar.grouped());
        const std::vector<ScrubSegment> segments = scrubSegments(*plan);
        const auto begin = [&](int segment) {
            return static_cast<double>(segments[static_cast<std::size_t>(segment)].firstScene);
        };
        const int step = groups[2].firstSegment + 1;
        playback.setPosition(begin(groups[2].firstSegment));
        QVERIFY(bar.stepRect(groups[1].firstSegment).isEmpty());
        QVERIFY(bar.rect().contains(bar.stepRect(step).toRect()));
        QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.stepRect(step).center().toPoint());
        QCOMPARE(playback.position(), begin(step));
        QTest::keyClick(&bar, Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(playback.position(), begin(groups[3].firstSegment));
        QVERIFY(!bar.grab().toImage().isNull());
        bar.setPlan(std::make_shared<Plan>(mlpOn(4)));
        QVERIFY(!bar.grouped());
    }

    /// Where a pass is narrower than its name, the name stands beside it: "o" means nothing.
    void aNarrowPassIsNamedWhole()
    {
        const auto plan = std::make_shared<Plan>(
            planOf({{"scheme", "block"}, {"ranks", "4"}, {"recompute", "full"}, {"sequence-parallel", "megatron"}}));
        Playback playback;
        playback.setSceneCount(static_cast<int>(sceneList(*plan).size()));
        ScrubBar bar;
        bar.setPlan(plan);
        bar.setPlayback(&playback);
        for (const int width : {540, 1150}) {
            bar.resize(width, bar.sizeHint().height());
            QStringList names;
            std::vector<QRectF> inks;
            for (const TextBox &label : bar.groupLabels()) {
                names << label.text;
                for (const QRectF &other : inks)
                    QVERIFY(!other.intersects(inkRect(label)));
                inks.push_back(inkRect(label));
                QVERIFY(QRectF(bar.rect()).contains(inks.back()));
            }
            names.sort();
            QCOMPARE(names, QStringList({"backward", "forward", "optimizer", "recompute"}));
        }
    }

    void aBlocksStepsAreAllInSightWhereTheyHaveRoom()
    {
        const auto plan = std::make_shared<Plan>(planOf({{"scheme", "block"}, {"ranks", "4"}}));
        Playback playback;
        playback.setSceneCount(static_cast<int>(sceneList(*plan).size()));
        ScrubBar bar;
        bar.setPlan(plan);
        bar.setPlayback(&playback);
        bar.show();
        bar.resize(1150, 40);
        bar.resize(1150, bar.sizeHint().height());
        QRectF before;
        for (const Step &step : plan->steps) {
            const QRectF box = bar.stepRect(step.id);
            QVERIFY2(!box.isEmpty() && QRectF(bar.rect()).contains(box), step.label.c_str());
            QVERIFY2(box.top() > before.top() || box.left() >= before.right() - 0.01, "steps stand beside each other");
            before = box;
        }
        const int last = plan->steps.back().id;
        QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.stepRect(last).center().toPoint());
        QCOMPARE(playback.position(), double(firstSceneOf(sceneList(*plan), last)));
        // Less room: the group in which the position is.
        bar.resize(600, bar.height());
        QVERIFY(bar.stepRect(0).isEmpty());
        QVERIFY(!bar.stepRect(last).isEmpty());
    }

    void scrubBarDragsAndStepsByKeys()
    {
        Stage stage;
        ScrubBar bar;
        bar.setPlan(stage.plan);
        bar.setPlayback(&stage.playback);
        bar.resize(900, bar.sizeHint().height());
        const int scenes = stage.playback.sceneCount();
        for (double position = 0; position < scenes; position += 0.25)
            QVERIFY(std::abs(bar.positionAt(bar.xOf(position)) - position) < 1e-6);
        QTest::mouseClick(&bar, Qt::LeftButton, {}, QPoint(static_cast<int>(bar.xOf(7.5)), 10));
        QVERIFY(std::abs(stage.playback.position() - 7.5) < 0.1);
        QTest::keyClick(&bar, Qt::Key_Home);
        QTest::keyClick(&bar, Qt::Key_PageDown);
        QCOMPARE(stage.playback.position(), 1.0);
        QTest::keyClick(&bar, Qt::Key_Right);
        QCOMPARE(stage.playback.position(), 2.0);
        QTest::keyClick(&bar, Qt::Key_End);
        QCOMPARE(stage.playback.position(), static_cast<double>(scrubSegments(*stage.plan).back().firstScene));
        QVERIFY(!bar.grab().toImage().isNull());
        QVERIFY(bar.accessibleDescription().contains(QString::fromStdString(stage.plan->steps.back().label)));
    }

    void transportButtons()
    {
        Stage stage;
        TransportBar bar;
        bar.setPlayback(&stage.playback);
        const QList<QToolButton *> buttons = bar.findChildren<QToolButton *>();
        QCOMPARE(buttons.size(), 5);
        for (const QToolButton *button : buttons) {
            QVERIFY(!button->accessibleName().isEmpty());
            QVERIFY(!button->icon().isNull());
        }
        QVERIFY(!buttons[0]->isEnabled() && !buttons[1]->isEnabled());
        const qint64 playIcon = buttons[2]->icon().cacheKey();
        buttons[2]->click();
        QVERIFY(stage.playback.playing());
        QVERIFY(buttons[2]->icon().cacheKey() != playIcon);
        buttons[4]->click();
        QVERIFY(!stage.playback.playing());
        QCOMPARE(stage.playback.position(), stage.playback.sceneCount() - 1.0);
        buttons[0]->click();
        QCOMPARE(stage.playback.position(), 0.0);
        auto *speed = bar.findChild<QComboBox *>();
        stage.playback.setSpeed(2);
        QCOMPARE(speed->currentText(), QStringLiteral("2×"));
    }
};

QTEST_MAIN(TestDiagramView)
#include "tst_diagram_view.moc"

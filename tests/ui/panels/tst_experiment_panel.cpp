// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/experiment_panel.h"

#include "engine/plan/option_limits.h"
#include "ui/app_style.h"
#include "ui/panels/run_section.h"
#include "ui/panels/scheme_list.h"
#include "ui/panels/segmented_choice.h"
#include "ui/panels/snap.h"
#include "ui/panels/value_slider.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

using namespace shardscope;

namespace {

/// The panel with an experiment, and what it says of edits.
struct Setup {
    explicit Setup(Experiment first = {})
    {
        panel.setExperiment(first);
        panel.resize(320, 900);
        panel.show();
        QObject::connect(&panel, &ExperimentPanel::edited, [this](const Experiment &experiment, int gesture) {
            edits.push_back(experiment);
            gestures.push_back(gesture);
        });
    }
    template <typename Control>
    Control *named(const char *name) const
    {
        for (Control *control : panel.findChildren<Control *>()) {
            if (control->accessibleName() == QLatin1String(name))
                return control;
        }
        return nullptr;
    }
    QCheckBox *box(const char *text) const
    {
        for (QCheckBox *found : panel.findChildren<QCheckBox *>()) {
            if (found->text() == QLatin1String(text))
                return found;
        }
        return nullptr;
    }
    ExperimentPanel panel;
    std::vector<Experiment> edits;
    std::vector<int> gestures;
};

} // namespace

class TestExperimentPanel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle;
        QApplication::setStyle(m_style);
    }

    void oneDragIsOneGesture()
    {
        Setup setup;
        auto *slider = setup.named<QSlider>("Hidden size, h");
        QVERIFY(slider);
        slider->setSliderDown(true);
        slider->setValue(slider->value() + 1);
        slider->setValue(slider->value() + 1);
        slider->setSliderDown(false);
        QCOMPARE(setup.edits.size(), 2u);
        QCOMPARE(setup.gestures[0], setup.gestures[1]);
        slider->setSliderDown(true);
        slider->setValue(slider->value() - 1);
        QVERIFY(setup.gestures[2] != setup.gestures[1]);
    }

    void hiddenTakesTheInnerSizeAlong()
    {
        Setup setup;
        setup.named<StopSpinBox>("Hidden size, h")->setValue(2048);
        QCOMPARE(setup.edits.back().hidden, 2048);
        QCOMPARE(setup.edits.back().ffn, 8192);
    }

    void anyNumberCanBeTypedAndSnapsWithAHint()
    {
        Experiment first;
        first.mesh.extents = {16, 1, 1};
        Setup setup(first);
        auto *spin = setup.named<StopSpinBox>("Hidden size, h");
        spin->setFocus();
        spin->selectAll();
        QTest::keyClicks(spin, QStringLiteral("1001"));
        QTest::keyClick(spin, Qt::Key_Return);
        QCOMPARE(setup.edits.back().hidden, 1000);
        QCOMPARE(spin->value(), 1000);
        QVERIFY(setup.panel.hint().contains(QStringLiteral("f mod N")));
        spin->setValue(1024);
        QVERIFY(setup.panel.hint().isEmpty());
        spin->setValue(1001);
        QVERIFY(!setup.panel.hint().isEmpty());
        setup.panel.setExperiment(setup.edits.back());
        QVERIFY2(!setup.panel.hint().isEmpty(), "the answer to an edit is still about it");
        setup.panel.setExperiment(first);
        QVERIFY2(setup.panel.hint().isEmpty(), "an undo is not");
    }

    void arrowsGoFromStopToStop()
    {
        Setup setup;
        auto *spin = setup.named<StopSpinBox>("Ranks, N");
        spin->setFocus();
        QTest::keyClick(spin, Qt::Key_Up);
        QCOMPARE(setup.edits.back().ranks(), 4);
        QTest::keyClick(spin, Qt::Key_Up);
        QCOMPARE(setup.edits.back().ranks(), 8);
        QTest::keyClick(spin, Qt::Key_Down);
        QCOMPARE(setup.edits.back().ranks(), 4);
    }

    void weightsInInt8AreChosenAtInferenceOnly()
    {
        Setup training;
        QVERIFY(!training.named<SegmentedChoice>("Weights at inference")->isVisible());
        Experiment decode;
        decode.phase = Phase::Decode;
        decode.mesh = Mesh{{2, 2, 1}};
        Setup setup(decode);
        auto *choice = setup.named<SegmentedChoice>("Weights at inference");
        QVERIFY(choice->isVisible());
        Q_EMIT choice->chosen(1);
        QCOMPARE(setup.edits.back().weightDtype, WeightDType::Int8);
        setup.panel.setExperiment(setup.edits.back());
        Experiment cut = setup.edits.back();
        cut.zero = 3;
        const Snapped snapped = snap(cut); // its parameters would travel
        QVERIFY(snapped.valid);
        QCOMPARE(snapped.experiment.weightDtype, WeightDType::Same);
        QVERIFY(snapped.hint.contains(QStringLiteral("weights are kept as dtype again")));
    }

    void switchesAreShownOnlyWhereTheyApply()
    {
        Setup setup;
        QVERIFY(!setup.box("Gather the output")->isVisible());
        QVERIFY(!setup.box("Input arrives sharded")->isVisible());
        QVERIFY(setup.box("Input needs a gradient")->isVisible());
        auto *scheme = setup.panel.findChild<SchemeList *>();
        Q_EMIT scheme->activated(scheme->rowOf(Scheme::Column));
        QVERIFY(setup.edits.back().scheme == Scheme::Column);
        QVERIFY(setup.box("Gather the output")->isVisible());
        QVERIFY(!setup.box("Input arrives sharded")->isVisible());
        QTest::mouseClick(setup.box("Gather the output"), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(setup.edits.back().gatherOutput);
        // What the new scheme does not use goes back to its default.
        Q_EMIT scheme->activated(scheme->rowOf(Scheme::Row));
        QVERIFY(!setup.edits.back().gatherOutput);
    }

    void everySchemeIsListedUnderItsHeadingWithItsPicture()
    {
        SchemeList list;
        applyLookToAll(list, {&Theme::dark(), 1});
        int headings = 0;
        std::vector<QImage> pictures;
        for (int row = 0; row < list.count(); ++row) {
            const bool heading = !list.itemData(row).isValid();
            headings += heading;
            QCOMPARE(list.itemIcon(row).isNull(), heading);
            QCOMPARE(list.model()->flags(list.model()->index(row, 0)).testFlag(Qt::ItemIsEnabled), !heading);
        }
        QCOMPARE(headings, 3);
        for (int i = 0; i <= static_cast<int>(Scheme::BugNaiveExercise); ++i) {
            const int row = list.rowOf(static_cast<Scheme>(i));
            QVERIFY2(row > 0, name(static_cast<Scheme>(i)).data());
            pictures.push_back(list.itemIcon(row).pixmap(list.iconSize()).toImage());
        }
        // Those that cut alike differ at least from their bug.
        QVERIFY(pictures[static_cast<int>(Scheme::Column)] != pictures[static_cast<int>(Scheme::BugAllReduceColumns)]);
        QVERIFY(pictures[static_cast<int>(Scheme::Zero1)] != pictures[static_cast<int>(Scheme::Zero2)]);
    }

    void headingsCannotBeChosen()
    {
        Setup setup;
        auto *scheme = setup.panel.findChild<SchemeList *>();
        Q_EMIT scheme->activated(0);
        QVERIFY(setup.edits.empty());
    }

    void optionsOfTheSchemeAreShownAndWork()
    {
        Setup setup;
        auto *scheme = setup.panel.findChild<SchemeList *>();
        QVERIFY(!setup.named<QSpinBox>("Query heads, a")->isVisible());
        Q_EMIT scheme->activated(scheme->rowOf(Scheme::Attention));
        auto *kv = setup.named<QSpinBox>("KV heads, k");
        QVERIFY(kv->isVisible());
        QVERIFY(!setup.named<QSpinBox>("Vocabulary, V")->isVisible());
        kv->setValue(3);
        QCOMPARE(setup.edits.back().kvHeads, 4);
        QVERIFY2(setup.panel.hint().contains(QStringLiteral("KV heads were set to 4")), qPrintable(setup.panel.hint()));
        setup.named<QSpinBox>("Mesh, dp")->setValue(2);
        QVERIFY(setup.edits.back().mesh == (Mesh{{2, 2, 1}}));
        QCOMPARE(setup.named<StopSpinBox>("Ranks, N")->value(), 4);
        Q_EMIT scheme->activated(scheme->rowOf(Scheme::Zero2));
        QVERIFY(setup.edits.back().mesh == (Mesh{{1, 4, 1}}));
    }

    void aPipelinesStagesCanBeDelayed()
    {
        Setup setup;
        QVERIFY(!setup.named<QDoubleSpinBox>("Stage works, forward")->isVisible());
        setup.panel.setExperiment(*readExperiment({{"scheme", "pipeline"}, {"ranks", "4"}}));
        auto *forward = setup.named<QDoubleSpinBox>("Stage works, forward");
        auto *backward = setup.named<QDoubleSpinBox>("Stage works, backward");
        QVERIFY(forward->isVisible() && backward->isVisible());
        forward->setValue(20);
        backward->setValue(40);
        QCOMPARE(setup.edits.back().stageDelay, (std::optional{StageDelay{20, 40}}));
        forward->setValue(0);
        backward->setValue(0);
        QVERIFY(!setup.edits.back().stageDelay);
    }

    void layersGoAsFarAsTheEnginesLimit()
    {
        Setup setup(*readExperiment({{"scheme", "block"}, {"ranks", "2"}}));
        auto *layers = setup.named<QSpinBox>("Layers, L");
        layers->setValue(64);
        QCOMPARE(setup.edits.back().layers, 64);
        QCOMPARE(layers->maximum(), static_cast<int>(kMostLayersInRun));
        auto *microBatches = setup.named<QSpinBox>("Micro-batches, m");
        QCOMPARE(microBatches->maximum(), kMostMicroBatchesInRun);
        // Together they may be too much for one plan; then the panel says so and takes fewer.
        microBatches->setValue(kMostMicroBatchesInRun);
        QVERIFY(setup.edits.back().layers * setup.edits.back().microBatches <= kMostLayerPasses);
        QVERIFY(!setup.panel.hint().isEmpty());
    }

    void whatDoesNotGoIsDisabledAndSaysWhy()
    {
        Setup setup;
        const auto button = [&](const char *name) { return setup.named<QPushButton>(name); };
        QVERIFY(button("Recompute: All")->isEnabled());
        QVERIFY(!button("Recompute: Attention")->isEnabled());
        QVERIFY(button("Recompute: Attention")->toolTip().contains(QStringLiteral("core attention")));
        button("Recompute: All")->click();
        QVERIFY(setup.edits.back().recompute == Recompute::Full);
    }

    void everyControlHasANameAndTheKeyboardReachesIt()
    {
        Setup setup;
        int reached = 0;
        for (QWidget *widget : setup.panel.findChildren<QWidget *>()) {
            if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible())
                continue;
            if (qobject_cast<QSpinBox *>(widget->parent()) || qobject_cast<QDoubleSpinBox *>(widget->parent()))
                continue; // a spin box speaks for its edit
            const auto *button = qobject_cast<QAbstractButton *>(widget);
            QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
                     widget->metaObject()->className());
            ++reached;
        }
        QVERIFY(reached >= 15);
    }

    void showingAnExperimentSaysNothing()
    {
        Setup setup;
        Experiment other;
        other.mesh.extents = {8, 1, 1};
        other.hidden = 777;
        other.ffn = 3108;
        other.scheme = Scheme::Row;
        other.dtype = DType::BF16;
        other.algorithm = Algorithm::Tree;
        other.steps = 7000;
        other.delay = Delay{3, 0.5};
        setup.panel.setExperiment(other);
        QVERIFY(setup.edits.empty());
        QCOMPARE(setup.named<QSpinBox>("Steps")->value(), 7000);
        QCOMPARE(setup.named<QDoubleSpinBox>("How late")->text(), QStringLiteral("0.5 ms"));
        QCOMPARE(setup.named<StopSpinBox>("Hidden size, h")->value(), 777);
    }

    /// The window gives the panel 290 design pixels, whatever the scheme shows.
    void everySchemeFitsThePanel()
    {
        for (int i = 0; i <= static_cast<int>(Scheme::BugNaiveExercise); ++i) {
            Setup setup;
            AppStyle::apply(*m_style, {&Theme::light(), 1});
            applyLookToAll(setup.panel, {&Theme::light(), 1});
            auto *scheme = setup.panel.findChild<SchemeList *>();
            Q_EMIT scheme->activated(scheme->rowOf(static_cast<Scheme>(i)));
            if (setup.named<QSpinBox>("Mesh, dp")->isVisible())
                setup.named<QSpinBox>("Mesh, dp")->setValue(2);
            QApplication::processEvents();
            QVERIFY2(setup.panel.minimumSizeHint().width() <= 290, name(static_cast<Scheme>(i)).data());
            // A check box would cut its words off.
            for (const QCheckBox *box : setup.panel.findChildren<QCheckBox *>())
                QVERIFY2(!box->isVisible() || box->width() >= box->minimumSizeHint().width(), qPrintable(box->text()));
        }
    }

    void nothingIsClippedAtAnyScale_data()
    {
        QTest::addColumn<double>("unit");
        for (const double unit : {1.0, 1.5, 2.0, 2.5})
            QTest::addRow("%g", unit) << unit;
    }
    void nothingIsClippedAtAnyScale()
    {
        QFETCH(double, unit);
        Setup setup;
        QApplication::setFont(uiFont(13, unit));
        applyLookToAll(setup.panel, {&Theme::light(), unit});
        // Fonts reach the controls by events, and only then are their sizes known.
        QApplication::processEvents();
        setup.panel.resize(setup.panel.minimumSizeHint().width(), 1400);
        QCoreApplication::sendPostedEvents();
        QApplication::processEvents();
        for (QWidget *widget : setup.panel.findChildren<QWidget *>()) {
            if (!widget->isVisible() || !(qobject_cast<QAbstractButton *>(widget) || qobject_cast<QSpinBox *>(widget)))
                continue;
            const auto *button = qobject_cast<QPushButton *>(widget);
            const int words = button ? button->fontMetrics().horizontalAdvance(button->text()) : 0;
            QVERIFY2(widget->width() >= (button ? words : widget->minimumSizeHint().width()),
                     qPrintable(QStringLiteral("%1: %2 of %3, panel %4 of %5")
                                    .arg(widget->accessibleName())
                                    .arg(widget->width())
                                    .arg(widget->minimumSizeHint().width())
                                    .arg(setup.panel.width())
                                    .arg(setup.panel.minimumSizeHint().width())));
            QVERIFY2(widget->height() >= widget->minimumSizeHint().height(), widget->metaObject()->className());
        }
        QApplication::setFont(uiFont(13, 1));
    }

private:
    AppStyle *m_style = nullptr; ///< the application's
};

QTEST_MAIN(TestExperimentPanel)
#include "tst_experiment_panel.moc"

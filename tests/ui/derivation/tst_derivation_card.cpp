// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/derivation/derivation_card.h"

#include "engine/record/statistics.h"
#include "engine/simulate/simulate.h"
#include "tests/ui/diagram/sample_plans.h"
#include "tests/ui/golden_picture.h"
#include "ui/app_style.h"
#include "ui/derivation/derivation_picture.h"
#include "ui/diagram/diagram_view.h"
#include "ui/diagram/scene_list.h"
#include "ui/diagram/scrub_bar.h"
#include "ui/timeline/gantt_plottable.h"
#include "ui/timeline/timeline_plot.h"
#include "ui/timeline/timeline_view.h"
#include "ui/workbench.h"

#include <QClipboard>
#include <QComboBox>
#include <QPushButton>
#include <QtTest>
#include <algorithm>
#include <utility>

using namespace shardscope;

namespace {

const OptionValues kMlp{{"scheme", "mlp"}, {"ranks", "4"}};

int stepLabelled(const Plan &plan, const char *label)
{
    return std::ranges::find(plan.steps, label, &Step::label)->id;
}

Results predictedFor(const Plan &plan, const char *hardware)
{
    const auto machine = std::make_shared<const Hardware>(*findHardware(hardware));
    Results results;
    results.machine = machine;
    results.predicted[plan.experiment.phase] = std::make_shared<const Run>(simulate(plan, *machine));
    return results;
}

QStringList linesUnder(const DerivationContent &content, const QString &caption)
{
    const auto row = std::ranges::find_if(content.rows, [&](const auto &r) { return r.caption.startsWith(caption); });
    return row == content.rows.end() ? QStringList() : row->lines;
}

/// As many timed steps of `run` as a verdict needs: rank 0 enters `step` late, and the others wait for it.
Run measuredWithALateRank(Run run, int step, std::int64_t lateNs)
{
    run.source = Source::Measured;
    run.hardware.clear();
    const std::vector<SpanEvent> once = run.spansOfEveryRank();
    run.spans.clear();
    run.standIns.clear();
    const std::vector<IterationEvent> iterations = std::exchange(run.iterations, {});
    for (int i = 0; i < kVerdictSamples; ++i) {
        for (SpanEvent span : once) {
            span.iteration = i;
            const bool waits = span.step == step && span.rank > 0;
            span.startNs += waits ? 0 : lateNs;
            span.endNs += lateNs;
            run.spans.push_back(span);
        }
        for (IterationEvent iteration : iterations) {
            iteration.iteration = i;
            iteration.endNs += lateNs;
            run.iterations.push_back(iteration);
        }
    }
    return run;
}

DerivationContent contentOf(const Plan &plan, int step, const Results &results)
{
    return derivationContent(plan, step, results, summaryOfWhatRan(plan, results));
}

} // namespace

class TestDerivationCard : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_style = new AppStyle; // the application's, which deletes it
        QApplication::setStyle(m_style);
        AppStyle::apply(*m_style, {});
        const QString problem = fontProblem();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void thePredictionSaysWhatDominates_data()
    {
        QTest::addColumn<QString>("phase");
        QTest::addColumn<QString>("hidden");
        QTest::addColumn<QString>("finding");
        // 16 KiB a message pays the hops; 256 MiB its bytes.
        QTest::newRow("decode") << "decode"
                                << "1024"
                                << "latency dominates";
        QTest::newRow("prefill") << "prefill"
                                 << "16384"
                                 << "bandwidth dominates";
    }
    void thePredictionSaysWhatDominates()
    {
        QFETCH(QString, phase);
        QFETCH(QString, hidden);
        QFETCH(QString, finding);
        OptionValues options = kMlp;
        options["phase"] = phase.toStdString();
        options["hidden"] = hidden.toStdString();
        options["sequence"] = "1024";
        const Plan plan = planOf(options);
        const DerivationContent content = contentOf(plan, stepLabelled(plan, "AR Y"), predictedFor(plan, "h100-8"));
        const QStringList time = linesUnder(content, QStringLiteral("Time, predicted"));
        QCOMPARE(time.size(), 1);
        QVERIFY2(time.front().endsWith(finding), qPrintable(time.front()));
    }

    void whatWasMeasuredStandsBeforeThePrediction()
    {
        const Plan plan = planOf(kMlp);
        const int sum = stepLabelled(plan, "AR Y");
        Results results = predictedFor(plan, "h100-8");
        const Run &predicted = *results.predicted.begin()->second;
        results.measured[plan.experiment.phase] =
            std::make_shared<const Run>(measuredWithALateRank(predicted, sum, 1'000'000));
        const DerivationContent content = contentOf(plan, sum, results);
        const QStringList measured = linesUnder(content, QStringLiteral("Time, measured here"));
        QVERIFY2(measured.size() == 2 && measured.front().contains(QStringLiteral("of 3 steps")),
                 qPrintable(measured.join('|')));
        QVERIFY2(measured.back().contains(QStringLiteral("waited longest waited 1")), qPrintable(measured.back()));
        QCOMPARE(linesUnder(content, QStringLiteral("Time, predicted")).size(), 1);
        // Of other settings nothing is said.
        results.stale = true;
        QVERIFY(linesUnder(contentOf(plan, sum, results), QStringLiteral("Time, measured")).isEmpty());
    }

    void itSaysWhetherComputeCouldHideIt()
    {
        const Plan plan = planOf(kMlp);
        Results results = predictedFor(plan, "h100-8");
        const auto said = [&](const char *label) {
            return linesUnder(contentOf(plan, stepLabelled(plan, label), results), QStringLiteral("Under compute"))
                .join('|');
        };
        QVERIFY2(said("AR Y").contains(QStringLiteral("cannot be hidden")), qPrintable(said("AR Y")));
        QVERIFY2(said("AR dX").contains(QStringLiteral("dW1, db1")) &&
                     said("AR dX").contains(QStringLiteral("predicted")),
                 qPrintable(said("AR dX")));
        QVERIFY(said("dW1 = Xᵀ·dZ").isEmpty());
        // What ran speaks before what was predicted.
        const int sum = stepLabelled(plan, "AR dX");
        results.measured[plan.experiment.phase] =
            std::make_shared<const Run>(measuredWithALateRank(*results.predicted.begin()->second, sum, 1'000'000));
        QVERIFY2(said("AR dX").contains(QStringLiteral("measured")), qPrintable(said("AR dX")));
    }

    void theListHasCollectivesAndWeightGradients()
    {
        const Plan plan = planOf(kMlp);
        QStringList names;
        for (const DerivedStep &step : derivedSteps(plan))
            names << step.name;
        QCOMPARE(names.filter(QStringLiteral("AR ")).size(), 2);
        QCOMPARE(names.filter(QStringLiteral("dW")).size(), 2);
        QCOMPARE(names.size(), 4);
    }

    void theCopiedTextSaysWhatTheCardSays()
    {
        const auto plan = std::make_shared<const Plan>(planOf(kMlp));
        DerivationCard card;
        card.applyLook({});
        card.show();
        card.setPlan(plan, stepLabelled(*plan, "AR dX"));
        for (QPushButton *button : card.findChildren<QPushButton *>()) {
            if (button->text().startsWith(QStringLiteral("Copy")))
                button->click();
        }
        const QString text = QGuiApplication::clipboard()->text();
        QVERIFY(!text.isEmpty());
        QVERIFY2(!text.contains(QChar::Nbsp), "plain text has plain spaces");
        for (const DerivationContent::Row &row : card.content().rows) {
            QVERIFY(text.contains(row.caption));
            for (QString line : row.lines)
                QVERIFY(text.contains(line.replace(QChar::Nbsp, QLatin1Char(' '))));
        }
        QVERIFY(text.startsWith(QStringLiteral("All-reduce")));
    }

    void everyViewLeadsToIt()
    {
        Workbench workbench;
        const Plan plan = planOf(kMlp);
        workbench.applyLook({});
        workbench.resize(1400, 800);
        workbench.setExperiment(plan.experiment, std::make_shared<const Plan>(plan));
        workbench.setResults(predictedFor(plan, "h100-8"));
        workbench.show();
        auto *card = workbench.findChild<DerivationCard *>();
        auto *diagram = workbench.findChild<DiagramView *>();
        auto *timeline = workbench.findChild<TimelineView *>();
        QVERIFY(!card->isVisible());

        const int sum = stepLabelled(plan, "AR Y");
        workbench.goToStep(sum + 1);
        QTest::keyClick(diagram, Qt::Key_Return);
        QVERIFY(card->isVisible());
        QCOMPARE(card->step(), sum);
        QCOMPARE(*workbench.pictureContent().derivedStep, sum);
        // It follows the picture, and the picture its list.
        workbench.goToStep(1);
        QCOMPARE(card->step(), 0);
        auto *list = card->findChild<QComboBox *>();
        const int row = list->findData(stepLabelled(plan, "AR dX"));
        QVERIFY(row >= 0);
        list->setCurrentIndex(row);
        Q_EMIT list->activated(row);
        QCOMPARE(card->step(), stepLabelled(plan, "AR dX"));
        QTest::keyClick(diagram, Qt::Key_Escape);
        QVERIFY(!card->isVisible());
        QVERIFY(!workbench.pictureContent().derivedStep);

        // A click on the words about the step, and on a collective of the timeline.
        workbench.goToStep(1);
        QTest::mouseClick(diagram, Qt::LeftButton, {}, QPoint(30, 22));
        QVERIFY(card->isVisible());
        QTest::keyClick(card, Qt::Key_Escape);
        QVERIFY(!card->isVisible());
        timeline->plot().replot(QCustomPlot::rpImmediateRefresh);
        const TimelineBar &bar = timeline->plot().content().data.lane(0, Stream::Communication).bars.front();
        QTest::mouseClick(timeline, Qt::LeftButton, {}, timeline->plot().gantt().barRect(bar).center().toPoint());
        QVERIFY(card->isVisible());
        QCOMPARE(card->step(), bar.step);
        QTest::keyClick(workbench.findChild<ScrubBar *>(), Qt::Key_Home);
        QCOMPARE(card->step(), 0);
    }

    void theCardLooksAsItLooked_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("label");
        QTest::addColumn<double>("unit");
        QTest::newRow("sum") << "light"
                             << "mlp"
                             << "AR Y" << 1.0;
        QTest::newRow("gradient") << "dark"
                                  << "mlp"
                                  << "dW1 = Xᵀ·dZ" << 1.0;
        QTest::newRow("projector") << "projector"
                                   << "mlp"
                                   << "AR dX" << 1.5;
    }
    void theCardLooksAsItLooked()
    {
        QFETCH(QString, theme);
        QFETCH(QString, label);
        QFETCH(double, unit);
        const auto plan = std::make_shared<const Plan>(planOf(kMlp));
        const Look look{&Theme::byId(theme), unit};
        AppStyle::apply(*m_style, look);
        DerivationCard card;
        card.resize((QSizeF(400, 800) * unit).toSize());
        applyLookToAll(card, look);
        card.setResults(predictedFor(*plan, "h100-8"));
        card.setPlan(plan, stepLabelled(*plan, label.toUtf8().constData()));
        card.show();
        QTest::qWait(20); // layouts settle
        QImage image(card.size(), QImage::Format_RGB32);
        image.fill(look.theme->background);
        card.render(&image);
        SHARDSCOPE_COMPARE_GOLDEN(image, QStringLiteral("derivation_") + QTest::currentDataTag());
        AppStyle::apply(*m_style, {});
    }

    /// As a slide: every word in its place at every size, of every step.
    void theSlideHoldsTheWholeDerivation()
    {
        const Plan plan = planOf({{"scheme", "block"}, {"ranks", "4"}, {"sequence-parallel", "megatron"}});
        const Results results = predictedFor(plan, "h100-8");
        const RunSummary ran = summaryOfWhatRan(plan, results);
        for (const Step &step : plan.steps) {
            const DerivationContent content = derivationContent(plan, step.id, results, ran);
            for (const auto &[size, unit] : {std::pair(QSizeF(1860, 960), 1.5), std::pair(QSizeF(900, 600), 1.5)}) {
                const QRectF area({20, 20}, size);
                QStringList words;
                QRectF above;
                for (const TextBox &text : layoutDerivation(content, area, Theme::light(), unit)) {
                    QVERIFY2(area.contains(inkRect(text)), qPrintable(text.text));
                    QVERIFY2(!inkRect(text).intersects(above), qPrintable(text.text));
                    above = inkRect(text);
                    words << text.text;
                }
                QVERIFY(words.contains(content.title) && words.contains(content.reason));
                for (const DerivationContent::Row &row : content.rows) {
                    QVERIFY(words.contains(row.caption));
                    for (const QString &line : row.lines)
                        QVERIFY(words.contains(line));
                }
            }
        }
    }
    void theSlideLooksAsItLooked()
    {
        const Plan plan = planOf(kMlp);
        const DerivationContent content = contentOf(plan, stepLabelled(plan, "AR Y"), predictedFor(plan, "h100-8"));
        const QImage image = paintPicture({1920, 1000}, [&](QPainter &painter) {
            painter.fillRect(QRect(0, 0, 1920, 1000), Theme::projector().surface);
            paintDerivation(painter, QRectF(30, 30, 1860, 940), content, Theme::projector(), 1.5);
        });
        SHARDSCOPE_COMPARE_GOLDEN(image, "derivation_slide");
    }

private:
    AppStyle *m_style = nullptr;
};

QTEST_MAIN(TestDerivationCard)
#include "tst_derivation_card.moc"

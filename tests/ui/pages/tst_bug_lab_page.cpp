// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/sheet_checks.h"

#include "ui/pages/bug_lab_page.h"
#include "ui/pages/bug_sheet.h"
#include "ui/pages/option_words.h"
#include "ui/pages/page_canvas.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>

using namespace shardscope;

namespace {

const char *const kWorkbenches[] = {
    "--scheme mlp --ranks 4 --hidden 512",
    "--scheme mlp --ranks 1",
    "--scheme block --mesh tp=2,dp=2 --layers 2 --overlap on",
    "--scheme pipeline --ranks 4 --micro-batches 8",
    "--scheme attention --ranks 8 --heads 8 --kv-heads 8 --phase decode",
    "--scheme mlp --ranks 64 --hidden 4096",
    "--scheme mlp --ranks 3 --hidden 300 --algorithm ring",
    "--scheme bug:naive-exercise --ranks 4 --hidden 512 --batch 1 --bias off",
};

/// A run whose checks fail by what is expected, and by 0.5 where nothing is; every other result is right.
RunPtr wrongRun(const Experiment &experiment)
{
    auto run = std::make_shared<Run>();
    run->plan = buildPlan(experiment);
    run->startedAt = "2026-01-02T03:04:05+00:00";
    run->machine.host = "2 cores";
    const std::vector<ExpectedError> expected = expectedErrors(run->plan);
    for (const TensorId id : run->plan.results) {
        const std::string &name = run->plan.tensor(id).name;
        const auto known = std::ranges::find(expected, name, &ExpectedError::result);
        CheckEvent check{name, 3e-7, 1e-6, true};
        if (known != expected.end() || expected.empty()) {
            check.relativeError = known != expected.end() && known->value ? *known->value : 0.5;
            check.passed = false;
        }
        run->checks.push_back(check);
        run->checks.push_back({"ranks agree: " + name, 0, 0, true});
    }
    run->end = EndEvent{};
    return run;
}

RunLookups everythingMeasured()
{
    return {wrongRun, {}, {}, {}};
}

PageInput inputFor(const char *words, const RunLookups &runs = {})
{
    const Experiment experiment = experimentOf(valuesOf(QString::fromLatin1(words)));
    return {experiment, std::make_shared<const Plan>(buildPlan(experiment)), {}, runs};
}

BugLabValues valuesFor(Scheme chosen, const RunLookups &runs = {})
{
    return bugLabValues(inputFor(kWorkbenches[0], runs), chosen);
}

QPushButton *button(const Page &page, const QString &text)
{
    for (QPushButton *each : page.findChildren<QPushButton *>()) {
        if (each->accessibleName() == text)
            return each;
    }
    return nullptr;
}

} // namespace

class TestBugLabPage : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// Whatever the workbench shows, each bug has a layer in which it shows.
    void everyBugFindsALayer_data()
    {
        QTest::addColumn<QString>("words");
        for (const char *words : kWorkbenches)
            QTest::newRow(words) << QString::fromLatin1(words);
    }
    void everyBugFindsALayer()
    {
        QFETCH(QString, words);
        const PageInput input = inputFor(words.toLatin1().constData());
        for (const Scheme bug : bugSchemes()) {
            const Experiment experiment = bugExperiment(input.experiment, bug);
            QCOMPARE(experiment.scheme, bug);
            QVERIFY2(!validate(experiment), name(bug).data());
            QVERIFY(experiment.ranks() > 1);
            if (input.experiment.ranks() > 1)
                QCOMPARE(experiment.ranks(), input.experiment.ranks());
            QVERIFY(bugCase(input, bug).right);
            QVERIFY(!bugHabit(bug).isEmpty());
        }
    }

    void sizesThatHadToChangeAreSaid()
    {
        QString hint;
        const Experiment one = experimentOf(valuesOf(QString::fromLatin1(kWorkbenches[1])));
        (void)bugExperiment(one, Scheme::BugAllReduceColumns, &hint);
        QVERIFY(hint.contains(QStringLiteral("N was set to 2")));
        const Experiment four = experimentOf(valuesOf(QString::fromLatin1(kWorkbenches[0])));
        (void)bugExperiment(four, Scheme::BugAllReduceColumns, &hint);
        QVERIFY2(hint.isEmpty(), qPrintable(hint));
    }

    void findings()
    {
        const auto plain = [](QString words) { return words.replace(QChar::Nbsp, QLatin1Char(' ')); };
        QCOMPARE(plain(bugFinding(valuesFor(Scheme::BugNaiveExercise))),
                 QStringLiteral("The naive exercise: Y and dW are off by 1.73 times their size, dX by 0.87, "
                                "by formula for 4 ranks"));
        QCOMPARE(plain(bugFinding(valuesFor(Scheme::BugAverageInsteadOfSum, everythingMeasured()))),
                 QStringLiteral("Mean instead of sum: Y is off by 0.75 times its size, measured on 4 ranks"));
        QVERIFY(bugFinding(valuesFor(Scheme::BugUnshardedHeads, everythingMeasured()))
                    .contains(QStringLiteral("10 results are off by 0.50 times their size")));
        QVERIFY(bugFinding(valuesFor(Scheme::BugUnshardedHeads)).contains(QStringLiteral("has to be run")));
    }

    /// What was measured is told from what is expected, in the picture and below it.
    void measuredAndExpectedAreApart()
    {
        const BugLabValues expected = valuesFor(Scheme::BugNaiveExercise);
        QVERIFY(bugProvenance(expected).contains(QStringLiteral("not measured")));
        const BugLabValues measured = valuesFor(Scheme::BugNaiveExercise, everythingMeasured());
        QVERIFY(bugProvenance(measured).contains(QStringLiteral("10 of 10 bugs measured")));
        QCOMPARE(measured.shown().wrongResults().size(), std::size_t{3});
        for (const BugResult &result : measured.shown().results)
            QVERIFY(result.error && result.limit > 0); // copies that agree are no results
        // Prefill is as wrong without its gradients.
        QVERIFY(*measured.shown().ratio == 3.0); // 1 + 512/256
    }

    /// A step that is marked wrong and a result that is right all the same stand on one slide.
    void aZeroGradientIsRightAllTheSame()
    {
        const auto says = [](Scheme bug, const char *words) {
            const Sheet sheet = bugSheet(valuesFor(bug, everythingMeasured()), kPageViews[0].area, Theme::light(), 1.5);
            return std::ranges::any_of(sheet.texts, [&](const TextBox &text) {
                QString line = text.text;
                return line.replace(QChar::Nbsp, QLatin1Char(' ')).contains(QLatin1String(words));
            });
        };
        QVERIFY(says(Scheme::BugUnreducedKv, "adding up the ranks' addends changes nothing. "));
        QVERIFY(!says(Scheme::BugAllReduceWeightGradient, "right all the same"));
    }

    /// A prediction computes nothing, so it has no errors.
    void aPredictionIsNoMeasurement()
    {
        const RunLookups predicted{[](const Experiment &experiment) {
                                       auto run = std::make_shared<Run>(*wrongRun(experiment));
                                       run->source = Source::Predicted;
                                       return run;
                                   },
                                   {},
                                   {},
                                   {}};
        for (const BugCase &bug : valuesFor(Scheme::BugNaiveExercise, predicted).cases)
            QVERIFY(!bug.run);
    }

    void textsKeepApart_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<bool>("measured");
        for (const Scheme bug : bugSchemes()) {
            for (const bool measured : {false, true})
                QTest::addRow("%s %s", name(bug).data(), measured ? "measured" : "expected") << int(bug) << measured;
        }
    }
    void textsKeepApart()
    {
        QFETCH(int, scheme);
        QFETCH(bool, measured);
        const BugLabValues values = valuesFor(Scheme(scheme), measured ? everythingMeasured() : RunLookups());
        std::vector<PageView> views(std::begin(kPageViews), std::end(kPageViews));
        views.push_back({{29, 29, 1542, 1100}, 1.44}); // a slide of 4:3
        for (const PageView &view : views)
            QCOMPARE(textProblem(bugSheet(values, view.area, Theme::light(), view.unit), view.area), QString());
    }

    /// Every step that breaks a rule has a cross, and every rule has its tick.
    void brokenStepsAreMarked()
    {
        const BugLabValues values = valuesFor(Scheme::BugNaiveExercise);
        const Sheet sheet = bugSheet(values, {0, 0, 1280, 720}, Theme::light(), 1);
        const auto count = [&](SheetMark mark) { return std::ranges::count(sheet.marks, mark, &Sheet::Mark::mark); };
        QCOMPARE(count(SheetMark::Cross), std::ptrdiff_t{3 + 3}); // in the plan, and in front of the rules
        QCOMPARE(count(SheetMark::Tick), std::ptrdiff_t{3});
        QCOMPARE(count(SheetMark::Dash), std::ptrdiff_t{10}); // not run
    }

    void thePageRunsWhatItShows()
    {
        qRegisterMetaType<std::vector<Experiment>>();
        BugLabPage page;
        page.setInput(inputFor(kWorkbenches[0]));
        QCOMPARE(page.wantedRuns().size(), std::size_t{10});
        QSignalSpy wanted(&page, &Page::runsWanted);
        page.setOptions(QStringLiteral("--scheme bug:concat-partials"));
        button(page, QStringLiteral("Run this bug"))->click();
        const auto asked = wanted.last().first().value<std::vector<Experiment>>();
        QCOMPARE(asked.size(), std::size_t{1});
        QCOMPARE(asked.front().scheme, Scheme::BugConcatPartials);
        button(page, QStringLiteral("Run all"))->click();
        QCOMPARE(wanted.last().first().value<std::vector<Experiment>>().size(), std::size_t{10});
        QSignalSpy chosen(&page, &Page::experimentChosen);
        button(page, QStringLiteral("Open in the workbench"))->click();
        const auto opened = chosen.last().first().value<Experiment>();
        QCOMPARE(opened.scheme, Scheme::BugConcatPartials);
        QCOMPARE(opened.steps, Experiment().steps);
        page.setBusy(true);
        QVERIFY(!button(page, QStringLiteral("Run this bug"))->isEnabled());
        page.setBusy(false);
        QVERIFY(button(page, QStringLiteral("Run this bug"))->isEnabled());
    }

    /// The workbench stands still while ranks run for the page.
    void resultsComeInWhileItIsShown()
    {
        BugLabPage page;
        PageInput input = inputFor(kWorkbenches[0]);
        page.setInput(input);
        QVERIFY(page.picture().finding.contains(QStringLiteral("by formula")));
        input.runs = everythingMeasured();
        page.setInput(input);
        QVERIFY(page.picture().finding.contains(QStringLiteral("measured on")));
    }

    void whatCannotRunSaysWhy()
    {
        BugLabPage page;
        page.setInput(
            inputFor(kWorkbenches[0], {{}, {}, [](const Experiment &) { return QStringLiteral("too many"); }, {}}));
        QVERIFY(page.wantedRuns().empty());
        QVERIFY(!button(page, QStringLiteral("Run this bug"))->isEnabled());
        QVERIFY(!button(page, QStringLiteral("Run all"))->isEnabled());
    }

    void aRowIsChosenByAClick()
    {
        BugLabPage page;
        page.setInput(inputFor(kWorkbenches[0]));
        auto *canvas = page.findChild<PageCanvas *>();
        canvas->resize(1200, 800);
        Q_EMIT canvas->spotActivated(0);
        QVERIFY(page.picture().finding.startsWith(QStringLiteral("Bias on every rank")));
        QVERIFY(canvas->spots().front().details.startsWith(QStringLiteral("Bias on every rank")));
        Q_EMIT canvas->spotActivated(static_cast<int>(canvas->spots().size()) - 1); // of the details: nothing changes
        QVERIFY(page.picture().finding.startsWith(QStringLiteral("Bias on every rank")));
        const QString options = page.options();
        BugLabPage other;
        other.setInput(inputFor(kWorkbenches[0]));
        other.setOptions(options);
        QCOMPARE(other.picture().finding, page.picture().finding);
    }

    /// The workbench's bug is shown when it comes, and another one may be looked at meanwhile.
    void theWorkbenchsBugIsShown()
    {
        BugLabPage page;
        page.setOptions(QStringLiteral("--scheme bug:concat-partials"));
        page.setInput(inputFor(kWorkbenches[7]));
        QVERIFY(page.options().contains(QStringLiteral("naive-exercise")));
        page.setOptions(QStringLiteral("--scheme bug:concat-partials"));
        page.setInput(inputFor(kWorkbenches[7]));
        QVERIFY(page.options().contains(QStringLiteral("concat-partials")));
    }

    void naiveExercise()
    {
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(bugSheet, valuesFor(Scheme::BugNaiveExercise, everythingMeasured()), Theme::projector()),
            "bug-lab-naive");
    }
    void headsInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(
            sheetImage(bugSheet, valuesFor(Scheme::BugUnshardedHeads, everythingMeasured()), Theme::dark()),
            "bug-lab-heads-dark");
    }
    void notRun()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(bugSheet, valuesFor(Scheme::BugUnreducedKv), Theme::light()),
                                  "bug-lab-not-run");
    }
};

QTEST_MAIN(TestBugLabPage)
#include "tst_bug_lab_page.moc"

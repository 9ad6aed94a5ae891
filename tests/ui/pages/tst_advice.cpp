// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/sheet_checks.h"

#include "ui/pages/advice_page.h"
#include "ui/pages/advice_sheet.h"
#include "ui/pages/option_words.h"

#include <set>

using namespace shardscope;

namespace {

AdviceValues valuesFor(const QString &words)
{
    const Expected<AdviceValues> read = readAdviceValues(valuesOf(words));
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return *read;
}

/// What a machine's answer is in the block of other machines.
QString answerOf(const AdviceValues &values, const char *machine)
{
    for (const AdviceElsewhere &other : values.elsewhere) {
        if (other.machine == QString::fromStdString(findHardware(machine)->title))
            return other.layout;
    }
    return {};
}

const char *const kQuestions[] = {
    "--model llama3-70b --gpus 64 --hardware h100-8",
    "--model llama3-70b --gpus 64 --hardware pcie5-8",
    "--model llama3-70b --gpus 64 --hardware pcie5-8 --latency-ms 30",
    "--model llama3-8b --gpus 1 --phase decode",
    "--model gpt3 --gpus 8",
    "--model 1t --gpus 4096 --hardware a100-8 --bytes-per-parameter 12",
    "--model llama3-405b --gpus 16 --phase decode --latency-ms 1",
};

} // namespace

class TestAdvice : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyRowHasAReasonWithARule()
    {
        for (const char *words : kQuestions) {
            const AdviceValues values = valuesFor(words);
            QVERIFY(!values.rows.empty());
            for (const AdviceRow &row : values.rows) {
                QVERIFY2(!row.why.isEmpty(), qPrintable(row.layout));
                QVERIFY(row.rule >= 1 && row.rule <= static_cast<int>(values.rules.size()));
            }
            for (const AdviceValues::Rule &rule : values.rules)
                QVERIFY(!rule.words.isEmpty() && !rule.source.isEmpty());
            std::set<int> named; // a note that nothing names has no place in the picture
            for (const AdviceRow &row : values.rows)
                named.insert(row.rule);
            for (const AdviceValues::Finding &finding : values.findings)
                named.insert(finding.rule);
            QCOMPARE(named.size(), values.rules.size());
        }
    }

    void tensorParallelismStaysInTheNode()
    {
        const AdviceValues values = valuesFor(kQuestions[0]);
        QVERIFY(values.recommended());
        QVERIFY(values.recommended()->settings.tp <= 8);
        QVERIFY(adviceFinding(values).contains(values.recommended()->layout));
    }

    /// And each machine's page says what the other would answer.
    void slowLinksChangeTheAnswer()
    {
        const AdviceValues fast = valuesFor(kQuestions[0]);
        const AdviceValues slow = valuesFor(kQuestions[1]);
        QVERIFY(slow.recommended()->settings.tp < fast.recommended()->settings.tp);
        QCOMPARE(answerOf(fast, "pcie5-8"), slow.recommended()->layout);
        QCOMPARE(answerOf(slow, "h100-8"), fast.recommended()->layout);
    }

    /// What fits and is too slow does not "not fit".
    void aMissedTargetIsSaidOfOtherMachines()
    {
        const AdviceValues values = valuesFor("--model llama3-70b --gpus 8 --latency-ms 15");
        int missed = 0;
        for (const AdviceElsewhere &other : values.elsewhere) {
            if (!other.layout.isEmpty())
                continue;
            ++missed;
            QVERIFY2(other.instead.startsWith("misses 15") && other.instead.contains("at TP 8"),
                     qPrintable(other.instead));
        }
        QVERIFY(missed > 0);
        const AdviceValues none = valuesFor(kQuestions[6]);
        QVERIFY(adviceFinding(none).contains("within"));
    }

    void partsOfATimeAddUp()
    {
        const AdviceValues values = valuesFor(kQuestions[0]);
        int timed = 0;
        for (const AdviceRow &row : values.rows) {
            const auto layout = std::ranges::find_if(values.advice.training, [&](const TrainingLayout &other) {
                return other.settings.tp == row.settings.tp && other.settings.pp == row.settings.pp &&
                       other.settings.dp == row.settings.dp;
            });
            QCOMPARE(row.memoryBytes(), layout->memoryBytes);
            if (row.times.empty())
                continue;
            ++timed;
            QVERIFY(row.communicationShare() >= 0 && row.communicationShare() <= 1);
            QVERIFY(std::abs(row.seconds() - layout->step->total()) < 1e-9 * row.seconds());
        }
        QVERIFY(timed > 1);
    }

    void aTargetAsksForInference()
    {
        QVERIFY(valuesFor("--latency-ms 30").serving);
        QVERIFY(!valuesFor("--latency-ms 30 --phase training").serving);
        QVERIFY(!valuesFor({}).serving);
        QVERIFY(!readAdviceValues({{"phase", "prefill"}}));
    }

    void textsKeepApart_data()
    {
        QTest::addColumn<QString>("words");
        for (const char *words : kQuestions)
            QTest::newRow(words) << QString::fromLatin1(words);
    }
    void textsKeepApart()
    {
        QFETCH(QString, words);
        const AdviceValues values = valuesFor(words);
        std::vector<PageView> views(std::begin(kPageViews), std::end(kPageViews));
        views.push_back({{29, 29, 1542, 1100}, 1.44}); // a slide of 4:3
        for (const PageView &view : views)
            QCOMPARE(textProblem(adviceSheet(values, view.area, Theme::light(), view.unit), view.area), QString());
    }

    /// Without colour the verdicts still differ.
    void verdictsHaveASignEach()
    {
        const AdviceValues values = valuesFor(kQuestions[1]);
        const Sheet sheet = adviceSheet(values, {0, 0, 1280, 720}, Theme::light(), 1);
        QCOMPARE(sheet.marks.size(), values.rows.size());
        std::set<SheetMark> signs;
        for (const Sheet::Mark &mark : sheet.marks)
            signs.insert(mark.mark);
        QCOMPARE(signs.size(), std::size_t{4}); // recommended, slower, communication-bound, leaves the node
    }

    void thePageTakesItsOptionsBack()
    {
        AdvicePage page;
        for (const char *words : kQuestions) {
            page.setOptions(QString::fromLatin1(words));
            const QString options = page.options();
            QCOMPARE(page.picture().finding, adviceFinding(valuesFor(words)));
            page.setOptions({});
            page.setOptions(options);
            QCOMPARE(page.options(), options);
        }
    }

    void training()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(adviceSheet, valuesFor(kQuestions[0]), Theme::projector()), "advice");
    }
    void servingInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(adviceSheet, valuesFor(kQuestions[2]), Theme::dark()),
                                  "advice-serving-dark");
    }
};

QTEST_MAIN(TestAdvice)
#include "tst_advice.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/sheet_checks.h"

#include "ui/pages/memory_page.h"
#include "ui/pages/memory_sheet.h"
#include "ui/pages/option_words.h"

#include <QLabel>
#include <QSpinBox>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

MemoryValues valuesFor(const QString &words)
{
    const Expected<MemoryValues> read = readMemoryValues(valuesOf(words));
    if (!read)
        qFatal("%s", english(read.problem()).c_str());
    return *read;
}

/// Widths of one kind's segments in both bars together, pixels.
double widthOf(const Sheet &sheet, MemoryKind kind)
{
    double sum = 0;
    for (const PageSpot &spot : sheet.spots) {
        if (spot.details.startsWith(kindTitle(kind) + ", "))
            sum += spot.rect.width() - 2; // a spot is a pixel wider on either side than what it is of
    }
    return sum;
}

constexpr MemoryKind kKinds[] = {MemoryKind::Weights, MemoryKind::Gradients, MemoryKind::Optimizer,
                                 MemoryKind::Activations, MemoryKind::KvCache};

const char *const kLayouts[] = {
    "--model gpt3 --tp 8",
    "--model gpt3",
    "--model llama3-8b",
    "--model llama3-70b --tp 8 --pp 2 --dp 4 --zero 1 --sequence-parallel on --recompute full",
    "--model llama3-70b --tp 64 --batch 64 --sequence 131072 --weights int8",
    "--model llama3-405b --tp 8 --pp 16 --dp 128 --zero 3 --micro-batches 64 --bytes-per-parameter 16",
    "--model 1t --tp 8 --pp 64 --hardware b200-8",
    "--model 22b --tp 2 --bytes-per-parameter 12 --recompute selective --hardware pcie5-8",
};

} // namespace

class TestMemory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// tensor-parallelism.md, 4.1.
    void theNumbersOfThePaper()
    {
        const MemoryValues values = valuesFor("--model gpt3 --tp 8 --bytes-per-parameter 18");
        const MemoryTable table = memoryTable(values);
        const auto row = [&](MemoryRow::Kind kind) { return *std::ranges::find(table.rows, kind, &MemoryRow::kind); };
        const auto plain = [](QString words) { return words.replace(QChar::Nbsp, QLatin1Char(' ')); };
        QCOMPARE(plain(row(MemoryRow::Kind::States).training), QStringLiteral("366.4 GiB"));
        QCOMPARE(plain(row(MemoryRow::Kind::DividedByTp).training), QStringLiteral("365.9 GiB"));
        QVERIFY(plain(dividedWords(values.training, values.settings)).contains("365.9 GiB"));
        QVERIFY(plain(memoryFinding(values)).contains("418.3 GiB per GPU (states 366.4 GiB, activations 51.92 GiB)"));
        QVERIFY(memoryFinding(values).contains("does not fit"));
        QVERIFY(memoryFinding(values).contains("H100 SXM 80 GB"));
    }

    void withoutTensorParallelismNothingIsDividedByIt()
    {
        const MemoryValues values = valuesFor("--model llama3-8b");
        QVERIFY(dividedWords(values.training, values.settings).isEmpty());
        for (const MemoryRow &row : memoryTable(values).rows)
            QVERIFY(row.kind != MemoryRow::Kind::DividedByTp);
    }

    void tightIsNotFitting()
    {
        Hardware card = *findHardware("h100-8");
        card.memoryBytes = 100;
        QVERIFY(fitOf(90, card) == Fit::Fits);
        QVERIFY(fitOf(91, card) == Fit::Tight);
        QVERIFY(fitOf(101, card) == Fit::TooLarge);
    }

    /// Above 90 % of the card the advice says that it does not fit: so does the title here.
    void tooTightIsSaid()
    {
        MemoryValues values = valuesFor("--model llama3-8b --tp 8");
        const auto training = static_cast<double>(values.training.totalBytes());
        values.hardware.memoryBytes = training / 0.95;
        QVERIFY(memoryFinding(values).contains("training is too tight, inference fits"));
        QVERIFY(fitWords(values.training.totalBytes(), values.hardware).startsWith("too tight"));
        values.hardware.memoryBytes = training / 0.89;
        QVERIFY(memoryFinding(values).contains("both fit"));
    }

    /// Lengths are bytes: against each other, and together the whole.
    void barsAddUpToTheTotal()
    {
        QVERIFY(rc::check("segments have the lengths of their bytes", [] {
            const Model &model = *rc::gen::elementOf(modelPresets());
            MemorySettings settings;
            settings.tp = 1 << *rc::gen::inRange(0, 4);
            settings.pp = 1 << *rc::gen::inRange(0, 4);
            settings.sequence = model.sequence;
            settings.batch = *rc::gen::inRange(1, 9);
            RC_PRE(!problemOf(model, settings));
            const MemoryValues values = memoryValues(model, settings, *findHardware("h100-8"));
            const Sheet sheet = memorySheet(values, {0, 0, 1920, 1080}, Theme::light(), 1);
            const auto total = static_cast<double>(values.training.totalBytes() + values.inference.totalBytes());
            double all = 0;
            for (const MemoryKind kind : kKinds)
                all += widthOf(sheet, kind);
            RC_ASSERT(all > 0);
            for (const MemoryKind kind : kKinds) {
                const auto bytes = static_cast<double>(values.training.bytes(kind) + values.inference.bytes(kind));
                RC_ASSERT(std::abs(widthOf(sheet, kind) / all - bytes / total) < 1e-6);
            }
        }));
    }

    void textsKeepApart_data()
    {
        QTest::addColumn<QString>("words");
        for (const char *words : kLayouts)
            QTest::newRow(words) << QString::fromLatin1(words);
    }
    void textsKeepApart()
    {
        QFETCH(QString, words);
        const MemoryValues values = valuesFor(words);
        std::vector<PageView> views(std::begin(kPageViews), std::end(kPageViews));
        views.push_back({{29, 29, 1542, 1100}, 1.44}); // a slide of 4:3
        for (const PageView &view : views)
            QCOMPARE(textProblem(memorySheet(values, view.area, Theme::light(), view.unit), view.area), QString());
    }

    void thePageTakesItsOptionsBack()
    {
        MemoryPage page;
        QVERIFY(page.picture().finding.contains("GPT-3"));
        for (const char *words : kLayouts) {
            page.setOptions(QString::fromLatin1(words));
            const QString options = page.options();
            QCOMPARE(page.picture().finding, memoryFinding(valuesFor(words)));
            page.setOptions(QStringLiteral("--model llama3-8b --tp 2"));
            page.setOptions(options);
            QCOMPARE(page.options(), options);
        }
        const QString before = page.picture().finding;
        page.setOptions(QStringLiteral("--model no-such-model"));
        QCOMPARE(page.picture().finding, before);
    }

    /// What cannot be is said, and the last picture stays.
    void anImpossibleLayoutSaysWhy()
    {
        MemoryPage page;
        page.setOptions(QStringLiteral("--model gpt3 --tp 8"));
        const QString before = page.picture().finding;
        page.findChildren<QSpinBox *>().first()->setValue(7);
        QCOMPARE(page.picture().finding, before);
        bool said = false;
        for (const QLabel *label : page.findChildren<QLabel *>())
            said |= label->text().contains("96 attention heads") && !label->isHidden();
        QVERIFY(said);
    }

    void gpt3()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(memorySheet, valuesFor(kLayouts[0]), Theme::projector()), "memory-gpt3");
    }
    void llamaInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(memorySheet, valuesFor(kLayouts[3]), Theme::dark()), "memory-llama-dark");
    }
};

QTEST_MAIN(TestMemory)
#include "tst_memory.moc"

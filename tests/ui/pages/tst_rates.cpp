// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/page_runs.h"

#include "ui/pages/rates_page.h"
#include "ui/pages/rates_sheet.h"

using namespace shardscope;

namespace {

/// `this` machine: two cores, 90 GFLOP/s and 12 GB/s together, links of 2 GB/s.
Hardware twoCores()
{
    Hardware own;
    own.name = "this";
    own.title = "this machine: 2 cores";
    own.transport = Transport::Gloo;
    own.sharedCores = own.devices = 2;
    LinkCost link;
    link.alphaSeconds = 25e-6;
    link.busbwGBs = 2;
    own.allReduce = own.gatherScatter = {link};
    own.peakFlops[DType::F32] = 90e9;
    own.efficiency = 1;
    own.memoryBytesPerSecond = 12e9;
    own.operationOverheadSeconds = 3e-6;
    return own;
}

/// As two cores might have run it: products at 70 % of what they can, the rest slower.
RunPtr measuredHere(const Experiment &experiment)
{
    Run run = simulate(buildPlan(experiment), twoCores());
    run.source = Source::Measured;
    run.hardware.clear();
    run.startedAt = "2026-01-02T03:04:05+00:00";
    run.machine = {};
    run.machine.backend = "gloo";
    run.machine.host = "2 cores";
    for (SpanEvent &span : run.spans) {
        const Step &step = run.plan.steps[static_cast<std::size_t>(span.step)];
        const double slower = step.kind == StepKind::MatMul ? 1 / 0.7 : step.collective ? 1.9 : 2.4;
        span.endNs = span.startNs + std::llround(static_cast<double>(span.endNs - span.startNs) * slower);
    }
    return std::make_shared<const Run>(std::move(run));
}

RunLookups predictingHere(bool known)
{
    return {{}, [](const Experiment &e) { return std::make_shared<const Run>(simulate(buildPlan(e), twoCores())); },
            {}, twoCores(),
            {}, known ? std::optional(twoCores()) : std::nullopt};
}

RunLookups predictingFor(const char *preset)
{
    return {{}, [=](const Experiment &e) { return simulated(e, preset); }, {}, *findHardware(preset)};
}

const OptionValues kMlp{{"scheme", "mlp"}, {"ranks", "2"}, {"hidden", "1024"}};
const OptionValues kBlock{{"scheme", "block"}, {"ranks", "8"},       {"hidden", "8192"}, {"batch", "4"},
                          {"heads", "64"},     {"sequence", "2048"}, {"dtype", "bf16"}};
const OptionValues kDecode{{"scheme", "block"}, {"ranks", "8"},    {"hidden", "8192"}, {"batch", "4"},
                           {"heads", "64"},     {"cache", "2048"}, {"dtype", "bf16"},  {"phase", "decode"}};
const OptionValues kZero{{"scheme", "zero3"}, {"ranks", "4"}, {"hidden", "2048"}};
const OptionValues kPipeline{{"scheme", "pipeline"}, {"ranks", "4"}, {"hidden", "1024"}};
const OptionValues kMesh{{"scheme", "block"}, {"mesh", "tp=2,dp=2,pp=2"}, {"layers", "4"}, {"micro-batches", "4"}};

RatesValues measuredValues(const OptionValues &options, bool known = true)
{
    const Experiment experiment = experimentOf(options);
    return ratesValues(experiment, measuredHere(experiment), predictingHere(known));
}

RatesValues predictedValues(const OptionValues &options, const char *preset = "h100-8")
{
    return ratesValues(experimentOf(options), nullptr, predictingFor(preset));
}

std::vector<RatesValues> manyValues()
{
    std::vector<RatesValues> all;
    for (const OptionValues &options : {kMlp, kBlock, kDecode, kZero, kPipeline, kMesh}) {
        for (const char *preset : {"h100-8", "h100-8-nvls", "pcie5-8"})
            all.push_back(predictedValues(options, preset));
    }
    for (const OptionValues &options : {kMlp, kZero, kPipeline, kMesh}) {
        for (const bool known : {true, false})
            all.push_back(measuredValues(options, known));
    }
    return all;
}

const RateGroup &groupOf(const RatesValues &values, RateKind kind)
{
    const auto found = std::ranges::find(values.groups, kind, &RateGroup::kind);
    if (found == values.groups.end())
        qFatal("no such group");
    return *found;
}

} // namespace

class TestRates : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// What the page says of a group is all its work over all its time.
    void sharesOfAGroupAreThoseOfItsRows()
    {
        const RatesValues values = measuredValues(kMlp);
        const RateGroup &products = groupOf(values, RateKind::MatrixProducts);
        QCOMPARE(products.bars.size(), std::size_t{2});
        QVERIFY(products.share && std::abs(*products.share - 0.7) < 0.01);
        QCOMPARE(*products.peak, 45e9);
        const RateGroup &sums = groupOf(values, RateKind::Collective);
        QCOMPARE(sums.bars.size(), std::size_t{2});
        QCOMPARE(*sums.peak, 2e9);
        QVERIFY(ratesFinding(values).contains(formatted(*products.share)));
        QVERIFY(ratesFinding(values).contains(formatted(*sums.share) + " of the best bus bandwidth"));
    }

    void measuredStandsBesideThePredictionForTheSameMachineOnly()
    {
        QVERIFY(measuredValues(kMlp).predictedBeside);
        for (const RateBar &bar : groupOf(measuredValues(kMlp), RateKind::MatrixProducts).bars)
            QVERIFY(bar.predicted && *bar.predicted > *bar.row.perSecond);
        QVERIFY(!measuredValues(kMlp, false).predictedBeside);
        const Experiment experiment = experimentOf(kMlp);
        const RunLookups other(
            {}, [](const Experiment &e) { return simulated(e, "h100-8"); }, {}, *findHardware("h100-8"), {},
            twoCores());
        const RatesValues values = ratesValues(experiment, measuredHere(experiment), other);
        QVERIFY(values.peaks && values.peaks->name == "this");
        QVERIFY(!values.predictedBeside);
    }

    /// Rates, no share, no peak line, no roof, and how to get them.
    void withoutPeaksTheWayToThemIsSaid()
    {
        const RatesValues values = measuredValues(kMlp, false);
        QVERIFY(!values.peaks);
        for (const RateGroup &group : values.groups)
            QVERIFY(!group.share && !group.peak && group.perSecond);
        QVERIFY(!ratesFinding(values).contains('%'));
        QCOMPARE(ratesNotes(values).front().lead, QString("No peaks"));
        QVERIFY(ratesNotes(values).front().words.contains("measures what it can do"));
        const Sheet sheet = ratesSheet(values, {0, 0, 1280, 720}, Theme::light(), 1);
        for (const TextBox &text : sheet.texts)
            QVERIFY2(!text.text.startsWith("peak "), qPrintable(text.text));
        QVERIFY(sheet.curves.empty() && sheet.dots.empty());
    }

    void theTitleSaysWhatKeepsItThere()
    {
        const QString decode = ratesFinding(predictedValues(kDecode));
        QVERIFY2(decode.contains("because they wait for memory"), qPrintable(decode));
        QVERIFY2(decode.contains("of its time is latency"), qPrintable(decode));
        const QString large = ratesFinding(predictedValues(kBlock));
        QVERIFY2(!large.contains("latency") && !large.contains("wait for"), qPrintable(large));
        const QString nvls = ratesFinding(predictedValues(kBlock, "h100-8-nvls"));
        QVERIFY2(nvls.contains("because the switch adds"), qPrintable(nvls));
    }

    void nothingAboveThePeakStandsWithoutAReason()
    {
        for (const RatesValues &values : manyValues()) {
            for (const RateGroup &group : values.groups) {
                for (const RateBar &bar : group.bars)
                    QVERIFY(bar.row.share.value_or(0) <= 1 || !limitWords(bar.row).isEmpty());
            }
        }
    }

    /// Bars end at their share of the way to the peak line.
    void barsEndAtTheirShare()
    {
        const RatesValues values = predictedValues(kBlock);
        const Sheet sheet = ratesSheet(values, {0, 0, 1280, 720}, Theme::light(), 1);
        std::vector<const RateBar *> bars;
        for (const RateGroup &group : values.groups) {
            for (const RateBar &bar : group.bars)
                bars.push_back(&bar);
        }
        QCOMPARE(sheet.boxes.size(), bars.size());
        const auto line = std::ranges::find_if(sheet.lines, [](const Sheet::Line &each) { return each.width > 2; });
        QVERIFY(line != sheet.lines.end());
        for (std::size_t i = 0; i < bars.size(); ++i) {
            const QRectF &rect = sheet.boxes[i].rect;
            const double whole = line->line.x1() - rect.left();
            QVERIFY(std::abs(rect.width() - std::max(1.0, whole * *bars[i]->row.share)) < 0.01);
        }
    }

    /// A dot lies on or under the roof, unless its row says why not.
    void dotsLieUnderTheRoof()
    {
        for (const OptionValues &options : {kMlp, kBlock, kDecode}) {
            const RatesValues values = predictedValues(options);
            QVERIFY(!values.dots.empty());
            for (const RoofDot &dot : values.dots) {
                const double roof = std::min(values.peaks->peakFlops.at(values.peakDType),
                                             dot.intensity * values.peaks->memoryBytesPerSecond);
                QVERIFY(dot.perSecond <= roof * (1 + 1e-6));
            }
        }
    }

    void detailsHaveFormulasWithNumbers()
    {
        const RatesValues values = predictedValues(kBlock);
        const QString products = rateDetails(groupOf(values, RateKind::MatrixProducts).bars.front(), values);
        QVERIFY2(products.contains("2·m·n·k = 2·8192·4096·8192"), qPrintable(products));
        QVERIFY(products.contains("990 TFLOP/s in bf16 of H100 SXM 80 GB, by the data sheet"));
        const QString sum = rateDetails(groupOf(values, RateKind::Collective).bars.front(), values);
        QVERIFY2(sum.contains("bus bandwidth = S / t · 1.75"), qPrintable(sum));
    }

    void textsKeepApart()
    {
        for (const RatesValues &values : manyValues())
            QCOMPARE(textProblemIn(ratesSheet, values), QString());
    }

    void nothingKnownIsSaid()
    {
        const RatesValues values = ratesValues(experimentOf(kMlp), nullptr, {});
        QVERIFY(!ratesFinding(values).isEmpty());
        QCOMPARE(textProblemIn(ratesSheet, values), QString());
    }

    void theButtonMeasuresTheLayer()
    {
        RatesPage page;
        checkMeasureButton(page, experimentOf(kMlp), 4);
    }

    void mlpMeasured()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(ratesSheet, measuredValues(kMlp), Theme::light()), "rates-mlp");
    }
    void blockPredicted()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(ratesSheet, predictedValues(kBlock), Theme::projector()), "rates-block");
    }
    void decodeInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(ratesSheet, predictedValues(kDecode, "h100-8-nvls"), Theme::dark()),
                                  "rates-decode-dark");
    }
    void withoutPeaks()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(ratesSheet, measuredValues(kMesh, false), Theme::light()),
                                  "rates-no-peaks");
    }

private:
    static QString formatted(double share)
    {
        return QString::number(std::round(share * 100)) + QStringLiteral("\u00a0%");
    }
};

QTEST_MAIN(TestRates)
#include "tst_rates.moc"

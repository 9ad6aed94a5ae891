// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/pages/page_runs.h"

#include "engine/simulate/simulate.h"
#include "ui/pages/scaling_page.h"
#include "ui/pages/scaling_sheet.h"

#include <set>

using namespace shardscope;

namespace {

ScalingValues valuesFor(const OptionValues &options, bool measured)
{
    const Experiment experiment = experimentOf(options);
    const std::vector<Experiment> points = scalingPoints(experiment);
    const std::vector<RunPtr> runs = measured ? allMeasured(points) : std::vector<RunPtr>(points.size());
    return scalingValues(experiment, points, runs, lookupsFor(8, measured));
}

const OptionValues kLayers[] = {
    {{"ranks", "2"}},
    {{"scheme", "block"}, {"ranks", "4"}, {"hidden", "4096"}, {"dtype", "bf16"}},
    {{"scheme", "pipeline"}, {"ranks", "4"}},
    {{"phase", "decode"}, {"ranks", "8"}},
    {{"scheme", "block"}, {"ranks", "4"}, {"sequence-parallel", "megatron"}},
};

} // namespace

class TestScaling : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    /// tensor-parallelism.md, 2.4: a rank sends 2(N-1)/N·S, all of them 2(N-1)·S; hops are 2(N-1) and 2·log2 N.
    void countsFollowTheFormulas()
    {
        for (const OptionValues &options : kLayers) {
            const ScalingValues values = valuesFor(options, false);
            QCOMPARE(values.rows.size(), kScalingRanks.size());
            for (const ScalingRow &row : values.rows) {
                const std::int64_t s = values.payloadBytes;
                QCOMPARE(row.ringBytes, 2 * (row.ranks - 1) * s / row.ranks);
                QVERIFY(row.ringBytes < 2 * s);
                QCOMPARE(row.summedBytes, 2 * (row.ranks - 1) * s);
                QCOMPARE(row.ringHops, 2 * (row.ranks - 1));
                QCOMPARE(row.treeHops, static_cast<int>(2 * std::log2(row.ranks)));
                QCOMPARE(row.ringLatencyNs, row.ringHops * row.link.alphaSeconds * 1e9);
                QCOMPARE(row.beyondNode, row.ranks > 8);
            }
        }
    }

    /// S is what is really sent: bf16 over NCCL as it is, over Gloo as f32.
    void payloadIsThatOfWhatCarriesIt()
    {
        for (const bool measured : {false, true}) {
            const ScalingValues values = valuesFor(kLayers[1], measured);
            QCOMPARE(values.payloadBytes, values.elements * (measured ? 4 : 2));
        }
    }

    /// The dots stand beside a ring's bytes, whatever algorithm the workbench runs.
    void observedBytesAreARings()
    {
        for (const char *algorithm : {"library", "tree", "direct"}) {
            const ScalingValues values = valuesFor({{"ranks", "2"}, {"algorithm", algorithm}}, true);
            int observed = 0;
            for (const ScalingRow &row : values.rows) {
                if (!row.measured)
                    continue;
                ++observed;
                QCOMPARE(row.observedBytes, row.ringBytes);
            }
            QCOMPARE(observed, 3);
        }
    }

    void alphaIsThePresets()
    {
        const ScalingValues values = valuesFor(kLayers[0], false);
        QCOMPARE(values.hardware.name, std::string("h100-8"));
        QCOMPARE(values.rows.front().link.protocol, std::string("LL"));
        QCOMPARE(values.rows.front().link.alphaSeconds, 600e-9);
        QVERIFY(scalingProvenance(values).contains("H100"));
    }

    /// Latency and bandwidth of one protocol, so that together they are the cost model's time.
    void partsAreThoseOfTheCostModel()
    {
        std::set<std::string> protocols;
        const OptionValues large{{"ranks", "2"}, {"hidden", "8192"}, {"batch", "16"}, {"dtype", "bf16"}};
        for (const OptionValues &options : {kLayers[0], large}) {
            const ScalingValues values = valuesFor(options, false);
            Collective sum;
            sum.op = CollectiveOp::AllReduce;
            sum.elements = values.elements;
            sum.payloadBytes = values.payloadBytes;
            sum.wireDtype = values.experiment.dtype;
            for (const ScalingRow &row : values.rows) {
                const double parts = row.link.baseSeconds * 1e9 + row.ringLatencyNs + row.ringTransferNs;
                const double model = collectiveSeconds(sum, row.ranks, values.hardware) * 1e9;
                QVERIFY2(std::abs(parts - model) < 1e-6 * model, qPrintable(QString::number(row.ranks)));
                protocols.insert(row.link.protocol);
            }
        }
        QVERIFY(protocols.size() > 1); // small messages take another than large ones
    }

    void theLayersOwnAllReduce()
    {
        const ScalingValues values = valuesFor(kLayers[0], false);
        QCOMPARE(values.payloadBytes, std::int64_t{4} * 64 * 1024 * 4);
        QVERIFY(!values.tensor.isEmpty());
        // A layer that gathers and scatters instead is shown what one all-reduce of its output would be.
        QCOMPARE(valuesFor(kLayers[3], false).payloadBytes, std::int64_t{4} * 1024 * 4);
    }

    void observedBytesAreThoseCounted()
    {
        const ScalingValues values = valuesFor(kLayers[0], true);
        for (const ScalingRow &row : values.rows)
            QCOMPARE(row.observedBytes, row.ranks <= 8 ? row.ringBytes : std::int64_t{0});
    }

    /// What the page draws in another one's place, it says.
    void whatIsNotAsInTheWorkbenchIsSaid()
    {
        QVERIFY(!scalingSetting(valuesFor(kLayers[1], false)).contains("workbench"));
        const QString pipeline = scalingSetting(valuesFor(kLayers[2], false));
        QVERIFY2(pipeline.contains("Not as in the workbench: scheme mlp instead of pipeline"), qPrintable(pipeline));
        const QString mesh = scalingSetting(valuesFor({{"scheme", "block"}, {"mesh", "tp=2,dp=2"}}, false));
        QVERIFY2(mesh.contains("ranks along tp alone instead of tp\u00a02 \u00d7 dp\u00a02"), qPrintable(mesh));
    }

    void aStandInForThisMachineIsNamed()
    {
        const Experiment experiment = experimentOf(kLayers[0]);
        QVERIFY(!valuesFor(kLayers[0], false).standIn);
        Hardware own = *findHardware("pcie5-8");
        own.sharedCores = 2;
        const ScalingValues values = scalingValues(experiment, {}, {}, RunLookups({}, {}, {}, own));
        QCOMPARE(values.hardware.name, std::string("h100-8"));
        QVERIFY(scalingSetting(values).contains("H100"));
        QVERIFY(scalingSetting(values).contains("a machine's cores"));
    }

    void textsKeepApart()
    {
        for (const OptionValues &options : kLayers) {
            for (const bool measured : {false, true}) {
                const ScalingValues values = valuesFor(options, measured);
                QCOMPARE(textProblemIn(scalingSheet, values), QString());
            }
        }
    }

    void theButtonMeasuresBytes()
    {
        ScalingPage page;
        checkMeasureButton(page, experimentOf(kLayers[0]), 4);
    }

    void mlp()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(scalingSheet, valuesFor(kLayers[0], true), Theme::projector()),
                                  "scaling-mlp");
    }
    void blockInTheDark()
    {
        SHARDSCOPE_COMPARE_GOLDEN(sheetImage(scalingSheet, valuesFor(kLayers[1], false), Theme::dark()),
                                  "scaling-block-dark");
    }
};

QTEST_MAIN(TestScaling)
#include "tst_scaling.moc"

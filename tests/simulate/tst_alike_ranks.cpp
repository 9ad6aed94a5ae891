// SPDX-License-Identifier: MIT
// Ranks that do the same are played once: held against a walk that plays each of them.
#include "engine/plan/experiment_options.h"
#include "engine/record/documents.h"
#include "engine/simulate/simulate.h"
#include "engine/simulate/simulation.h"

#include <QtTest>
#include <rapidcheck.h>

#include <tuple>

using namespace shardscope;

namespace {

Plan planOf(const OptionValues &options)
{
    const Expected<Experiment> read = readExperiment(options);
    if (!read)
        throw std::logic_error(english(read.problem()));
    return buildPlan(*read, Transport::Nccl);
}

/// `predicted` again, each rank played for itself.
Run eachRankPlayed(Run predicted, const Hardware &hardware)
{
    predicted.spans.clear();
    predicted.hops.clear();
    predicted.standIns.clear();
    Simulation simulation(hardware, predicted, Simulation::Ranks::Each);
    simulation.play();
    for (IterationEvent &iteration : predicted.iterations)
        iteration.endNs = simulation.endOf(iteration.rank);
    return predicted;
}

std::vector<SpanEvent> byRank(std::vector<SpanEvent> spans)
{
    std::ranges::sort(spans, {}, [](const SpanEvent &s) { return std::tuple(s.rank, s.startNs, s.step); });
    return spans;
}

std::vector<HopEvent> byRank(std::vector<HopEvent> hops)
{
    std::ranges::sort(hops, {}, [](const HopEvent &h) { return std::tuple(h.rank, h.step, h.hop); });
    return hops;
}

std::size_t played(const OptionValues &options)
{
    return simulate(planOf(options), *findHardware("h100-8")).recordedRanks().size();
}

/// Many of these are refused, as heads that ranks cannot share are.
OptionValues anyOptions()
{
    const auto one = [](std::initializer_list<const char *> of) {
        return std::string(*rc::gen::elementOf(std::vector<const char *>(of)));
    };
    OptionValues options{{"hidden", "192"}, {"ffn", "384"}, {"heads", "12"}, {"sequence", "24"}};
    options["scheme"] = one({"column", "row", "mlp", "attention", "block", "embedding", "logits", "data-parallel",
                             "zero1", "zero2", "zero3", "pipeline", "bug:naive-exercise"});
    options["phase"] = one({"training", "training", "prefill", "decode"});
    options["algorithm"] = one({"library", "ring", "tree", "direct", "halving-doubling"});
    options["batch"] = one({"1", "3", "4"}); // 3: chunks of unequal length
    if (*rc::gen::arbitrary<bool>())
        options["ranks"] = one({"1", "2", "3", "4", "6", "8"});
    else
        options["mesh"] = one({"tp=2,dp=2", "tp=4,dp=3", "tp=2,pp=2", "dp=2,pp=3", "tp=2,dp=2,pp=2", "tp=4,dp=2,pp=2"});
    const auto sometimes = [&](const char *option, std::initializer_list<const char *> values) {
        if (*rc::gen::inRange(0, 4) == 0)
            options[option] = one(values);
    };
    sometimes("kv-heads", {"1", "2", "3", "12"});
    sometimes("layers", {"2", "4", "6"});
    sometimes("micro-batches", {"2", "3"});
    sometimes("overlap", {"on"});
    sometimes("reduce-to", {"root"});
    sometimes("sequence-parallel", {"megatron", "keep"});
    sometimes("recompute", {"selective", "full"});
    sometimes("zero", {"1", "2", "3"});
    sometimes("layer", {"block"});
    sometimes("schedule", {"gpipe"});
    sometimes("stage-delay", {"3:5"});
    sometimes("delay", {"0:5", "1:5", "2:0.1"});
    return options;
}

Experiment anyExperiment()
{
    for (;;) {
        if (const Expected<Experiment> read = readExperiment(anyOptions(), Unused::Allow))
            return *read;
    }
}

} // namespace

class TestAlikeRanks : public QObject
{
    Q_OBJECT

private slots:
    void theSameAsEachRankPlayedForItself()
    {
        int spared = 0;
        const bool holds = rc::check("to the nanosecond, the byte and the digit", [&spared] {
            const Experiment experiment = anyExperiment();
            Hardware hardware = *rc::gen::elementOf(hardwarePresets());
            hardware.devices = *rc::gen::element(1, 2, 3, 4, 8); // groups on several nodes, also unequally
            const Run run = simulate(buildPlan(experiment, hardware.transport), hardware);
            const Run reference = eachRankPlayed(run, hardware);
            RC_ASSERT(byRank(run.spansOfEveryRank()) == byRank(reference.spans));
            RC_ASSERT(byRank(run.hopsOfEveryRank()) == byRank(reference.hops));
            RC_ASSERT(run.iterations == reference.iterations);
            RC_ASSERT(runDocument(run) == runDocument(reference));
            spared += run.spans.size() < reference.spans.size() ? 1 : 0;
        });
        QVERIFY(holds);
        QVERIFY(spared > 20);
    }

    /// One of each stage where nothing tells the ranks of a stage apart.
    void stagesDiffer()
    {
        QCOMPARE(played({{"ranks", "64"}, {"algorithm", "ring"}}), std::size_t{1});
        QCOMPARE(played({{"scheme", "block"}, {"mesh", "tp=4,dp=2,pp=2"}}), std::size_t{2});
    }

    void treesAndUnequalChunksTellPlacesApart()
    {
        QCOMPARE(played({{"ranks", "8"}, {"algorithm", "tree"}}), std::size_t{8});
        // X [1, 1023] cannot be cut into 8 equal chunks.
        const OptionValues odd{{"phase", "decode"}, {"batch", "1"}, {"hidden", "1023"}, {"ffn", "4096"}};
        OptionValues ring = odd;
        ring.insert({{"ranks", "8"}, {"algorithm", "ring"}});
        QCOMPARE(played(ring), std::size_t{8});
    }

    /// The late one, those that share an axis with it, and the rest, in both stages.
    void aLateRankTellsItsNeighboursApart()
    {
        QCOMPARE(played({{"scheme", "block"}, {"mesh", "tp=4,dp=4,pp=2"}, {"delay", "5:1"}}), std::size_t{8});
    }
};

QTEST_GUILESS_MAIN(TestAlikeRanks)
#include "tst_alike_ranks.moc"

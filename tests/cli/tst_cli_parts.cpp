// SPDX-License-Identifier: MIT
// Tables, bars, units and grids, apart from the program.
#include "engine/cli/arguments.h"
#include "engine/cli/byte_ratios.h"
#include "engine/cli/headline.h"
#include "engine/cli/points.h"
#include "engine/cli/selftest.h"
#include "engine/cli/text_table.h"
#include "engine/cli/units.h"
#include "engine/plan/traffic.h"
#include "engine/record/byte_crossover.h"
#include "engine/record/cargo.h"

#include <QtTest>
#include <rapidcheck.h>

#include <set>

using namespace shardscope;
using namespace shardscope::cli;

class TestCliParts : public QObject
{
    Q_OBJECT

private slots:
    void units()
    {
        QCOMPARE(bytesText(0), std::string("0 B"));
        QCOMPARE(bytesText(1023), std::string("1023 B"));
        QCOMPARE(bytesText(1572864), std::string("1.5 MiB"));
        QCOMPARE(bytesText(std::int64_t{1} << 62), std::string("4 EiB"));
        QCOMPARE(durationText(999), std::string("999 ns"));
        QCOMPARE(durationText(317400), std::string("317 us"));
        QCOMPARE(durationText(1.72e6), std::string("1.72 ms"));
        QCOMPARE(durationText(65e9), std::string("65 s"));
        QCOMPARE(durationText(std::nullopt), std::string("-"));
        QCOMPARE(bandwidthText(0.00521), std::string("0.00521 GB/s"));
        QCOMPARE(ratioText(2.0), std::string("2.0 x")); // as the findings under the table write it
        QCOMPARE(ratioText(std::nullopt), std::string("-"));
        QCOMPARE(percentText(0.354), std::string("35 %"));
        QCOMPARE(scientificText(3.14e-7), std::string("3.1e-07"));
        QCOMPARE(scientificText(-1), std::string("NaN"));
    }

    void barsHaveTheirWidth()
    {
        const bool holds = rc::check("whatever the share, a bar takes its cells", [] {
            Console console;
            console.unicode = *rc::gen::arbitrary<bool>();
            const double share = *rc::gen::inRange(-50, 150) / 100.0;
            const int cells = *rc::gen::inRange(1, 40);
            RC_ASSERT(columnsOf(console.bar(share, cells)) == static_cast<std::size_t>(cells));
        });
        QVERIFY(holds);
        QCOMPARE(Console{}.bar(0.5, 4), std::string("##.."));
    }

    void columnsAreAligned()
    {
        TextTable table({{.title = "name"}, {.title = "size", .right = true}});
        table.add({"W", "1 B"});
        table.add({"größer", "100 KiB"});
        QCOMPARE(table.text(Console{}, 0), std::string("name       size\n"
                                                       "W           1 B\n"
                                                       "größer  100 KiB\n"));
    }

    void narrowTerminalsLoseTheLeastImportantColumn()
    {
        TextTable table({{.title = "pass"}, {.title = "minor", .importance = 1}, {.title = "major", .importance = 5}});
        table.add({"forward", "aaaaaaaaaa", "bbbbbbbbbb"});
        Console console;
        console.width = 22;
        const std::string text = table.text(console, 0);
        QVERIFY(text.find("minor") == std::string::npos);
        QVERIFY(text.find("major") != std::string::npos);
        console.width = 5; // what stays, stays
        QVERIFY(table.text(console, 0).find("forward") != std::string::npos);
    }

    void wrappedTextFitsAndLosesNothing()
    {
        const bool holds = rc::check("no line is wider than the terminal, no word is lost", [] {
            Console console;
            console.width = *rc::gen::inRange(40, 120);
            const int indent = *rc::gen::inRange(0, 20);
            const auto words = *rc::gen::container<std::vector<std::string>>(
                rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
            std::string text;
            for (const std::string &word : words)
                text += (text.empty() ? "" : " ") + word.substr(0, 15);
            std::string lines = console.wrapped(text, indent);
            std::size_t column = static_cast<std::size_t>(indent);
            for (const char c : lines) {
                column = c == '\n' ? 0 : column + 1;
                RC_ASSERT(column <= static_cast<std::size_t>(console.width));
            }
            std::erase_if(lines, [](char c) { return c == ' ' || c == '\n'; });
            std::erase(text, ' ');
            RC_ASSERT(lines == text);
        });
        QVERIFY(holds);
    }

    void withoutColourNoEscapes()
    {
        Console console;
        QCOMPARE(console.bad("x"), std::string("x"));
        console.colour = true;
        QVERIFY(console.bad("x") != "x");
        QCOMPARE(columnsOf(console.bad("x")), std::size_t{1});
    }

    void gridsVaryTheirLastOptionFastest()
    {
        const Grid grid = readGrid({{"phase", "training,decode"}, {"ranks", "1,2"}, {"steps", "3,4"}});
        QCOMPARE(grid.points.size(), std::size_t{8});
        QCOMPARE(grid.points[1].steps, 4);
        QCOMPARE(grid.points[2].ranks(), 2);
        QCOMPARE(grid.points[3].phase, Phase::Training);
        QCOMPARE(grid.points[4].phase, Phase::Decode);
        QCOMPARE(grid.extraColumns, std::vector<std::string>{"steps"});
    }

    /// A mesh holds commas itself.
    void meshesAreSeparatedBySemicolons()
    {
        const Grid grid = readGrid({{"mesh", "tp=2;tp=4"}});
        QCOMPARE(grid.points.size(), std::size_t{2});
        QCOMPARE(grid.points[0].ranks(), 2);
        QCOMPARE(grid.points[1].ranks(), 4);
        QCOMPARE(grid.extraColumns, std::vector<std::string>{"mesh"});
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"mesh", "tp=2,tp=4"}}), Failure);
    }

    void gridsAreValidatedAsAWhole()
    {
        // 96 is divisible by 2 and 3 but not by 5: the third point spoils the sweep before the first runs.
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"ranks", "2,3,5"}, {"hidden", "24"}, {"ffn", "96"}}), Failure);
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"scheme", "row"}, {"gather-output", "on"}}), Failure);
        QCOMPARE(readGrid({{"scheme", "row,column"}, {"gather-output", "on"}}).points.size(), std::size_t{2});
    }

    /// Of two options that the first point does not use the one that no point uses.
    void theUnusedOptionIsNamed()
    {
        try {
            (void)readGrid({{"scheme", "row,column"}, {"phase", "decode"}, {"gather-output", "on"}, {"mlp", "swiglu"}});
            QFAIL("accepted");
        } catch (const Failure &failure) {
            QVERIFY2(failure.line.starts_with("--mlp"), failure.line.c_str());
        }
        try {
            (void)readGrid(
                {{"scheme", "row,column"}, {"phase", "decode"}, {"gather-output", "on"}, {"input-gradient", "off"}});
            QFAIL("accepted");
        } catch (const Failure &failure) {
            QVERIFY2(failure.line.starts_with("--input-gradient"), failure.line.c_str());
        }
    }

    void anEndlessGridIsRefused()
    {
        std::string many = "1";
        for (int i = 2; i <= 200; ++i)
            many += ',' + std::to_string(i);
        QVERIFY_EXCEPTION_THROWN((void)readGrid({{"batch", many}, {"sequence", many}}), Failure);
    }

    void phasesOfAComparison()
    {
        const std::vector<Experiment> phases = readPhases({{"scheme", "column"}, {"input-gradient", "off"}}).points;
        QCOMPARE(phases.size(), std::size_t{3});
        QVERIFY(!phases[0].inputGradient);
        QCOMPARE(phases[2].phase, Phase::Decode);
    }

    /// Replicas and micro-batches share what one rank alone would take.
    void schemesShareTheTokensOfAStep()
    {
        const auto points = readSchemes("mlp,zero3,pipeline", {{"ranks", "4"}, {"micro-batches", "2"}, {"batch", "8"}});
        QCOMPARE(points.size(), std::size_t{3});
        for (const Experiment &point : points) {
            QCOMPARE(point.globalTokens(), std::int64_t{8 * 64});
            QCOMPARE(point.layers, std::int64_t{4}); // one a stage
            QCOMPARE(point.sequence, std::int64_t{64});
        }
        QCOMPARE(points[0].batch, std::int64_t{4});
        QCOMPARE(points[1].batch, std::int64_t{1});
        // No token of an MLP sees another: a sequence may be dealt.
        const auto dealt = readSchemes("mlp,data-parallel", {{"ranks", "4"}, {"batch", "1"}});
        QCOMPARE(dealt[1].sequence, std::int64_t{16});
        QVERIFY_EXCEPTION_THROWN((void)readSchemes("block,data-parallel", {{"ranks", "4"}, {"batch", "1"}}), Failure);
        QCOMPARE(readSchemes("block,zero1", {{"ranks", "4"}})[1].layer, Layer::Block);
        QCOMPARE(readSchemes("mlp,pipeline", {{"ranks", "2"}, {"layers", "8"}})[0].layers, std::int64_t{8});
    }

    void whatMovesAndWhoWaits()
    {
        const auto moves = [](const OptionValues &options) { return movesOf(buildPlan(readPoint(options))); };
        const auto zero3 = moves({{"scheme", "zero3"}, {"ranks", "4"}});
        QCOMPARE(zero3.size(), std::size_t{3});
        QCOMPARE(zero3[0].cargo, Cargo::Parameters);
        QCOMPARE(zero3[0].pass, Pass::Forward);
        QVERIFY(!zero3[0].critical && !zero3[1].critical && !zero3[2].critical);
        const auto mlp = moves({{"ranks", "4"}});
        QCOMPARE(mlp.size(), std::size_t{2});
        for (const Move &move : mlp) {
            QCOMPARE(move.cargo, Cargo::Activations);
            QVERIFY(move.critical);
            QCOMPARE(move.sentBytesPerRank, std::int64_t{1572864});
        }
        // What Megatron gathers again in backward was known since forward; X in forward and dY arrive at that moment.
        int ahead = 0;
        for (const Move &move : moves({{"ranks", "4"}, {"sequence-parallel", "megatron"}})) {
            if (move.cargo != Cargo::Activations) // the bias of the row layer
                continue;
            QVERIFY(move.critical || (move.pass == Pass::Backward && move.collectives == 1));
            ahead += move.critical ? 0 : move.collectives;
        }
        QCOMPARE(ahead, 1);
        // A stage in the middle sends both ways, but one way in each pass.
        for (const Move &move : moves({{"scheme", "pipeline"}, {"ranks", "4"}}))
            QCOMPARE(move.sentBytesPerRank, std::int64_t{1048576});
        QCOMPARE(parameterCount(buildPlan(readPoint({{"layers", "3"}}))),
                 std::int64_t{3} * (2 * 1024 * 4096 + 4096 + 1024));
    }

    /// Of a forward's bytes: 2, with sequence parallelism 2.5, with full recomputation 3, with both 3.5.
    void activationsOfALayerInAllReduces()
    {
        const auto all = [](OptionValues options) {
            options.insert({{"ranks", "4"}, {"layers", "2"}});
            return allReducesPerLayer(buildPlan(readPoint(options)));
        };
        const OptionValues megatron{{"sequence-parallel", "megatron"}};
        OptionValues both = megatron;
        both["recompute"] = "full";
        QCOMPARE(all({}), 2.0);
        QCOMPARE(all(megatron), 2.5);
        QCOMPARE(all({{"recompute", "full"}}), 3.0);
        QCOMPARE(all(both), 3.5);
        QCOMPARE(all({{"micro-batches", "2"}, {"batch", "8"}}), 2.0);
        QCOMPARE(all({{"dtype", "bf16"}}), 2.0);
        QCOMPARE(all({{"scheme", "block"}}), 4.0);
        QCOMPARE(all({{"scheme", "block"}, {"parallel-block", "on"}}), 2.0);
        QCOMPARE(all({{"scheme", "block"}, {"sequence-parallel", "megatron"}}), 5.0);
        QCOMPARE(all({{"scheme", "zero3"}}), 0.0); // nothing is cut by tp
    }

    /// The words under the ratios name what this layer's ratios are made of, and nothing else.
    void wordsUnderTheByteRatios()
    {
        const auto words = [](OptionValues options) {
            options.insert({{"ranks", "4"}, {"heads", "8"}, {"hidden", "64"}});
            if (options.contains("mesh"))
                options.erase("ranks");
            if (options["scheme"] == "mlp")
                options.erase("heads");
            return recomputationRatios(buildPlan(readPoint(options)), Console{});
        };
        const auto has = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
        const std::string plain = words({{"scheme", "block"}});
        QVERIFY2(has(plain, "1.0 more; selective") && has(plain, "Weight gradients add nothing along tp"),
                 plain.c_str());
        const std::string shared = words({{"scheme", "block"}, {"kv-heads", "2"}});
        QVERIFY2(has(shared, "same KV heads also sum") && has(shared, "Other weight gradients"), shared.c_str());
        const std::string replicas = words({{"scheme", "block"}, {"mesh", "tp=2,dp=2"}});
        QVERIFY2(has(replicas, "along dp the replicas sum their weight gradients"), replicas.c_str());
        const std::string other = words({{"scheme", "mlp"}, {"pair", "row-column"}});
        QVERIFY2(has(other, "in the order row-column backward has collectives of its own") && !has(other, "1.0 more"),
                 other.c_str());
        const std::string first = words({{"scheme", "mlp"}, {"input-gradient", "off"}});
        QVERIFY2(has(first, "backward sums nothing") && !has(first, "1.0 more"), first.c_str());
    }

    /// The formula of the crossing is that of the bytes which the plans send, whatever sends them.
    void replicasAgainstDataParallel_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<double>("zero3"); // of one micro-batch on 4 ranks
        QTest::newRow("library") << "library"
                                 << "f32" << 1.5;
        QTest::newRow("ring") << "ring"
                              << "bf16" << 1.5;
        QTest::newRow("halving-doubling") << "halving-doubling"
                                          << "f32" << 1.5;
        QTest::newRow("direct: each rank sends the others all of it, or a fourth") << "direct"
                                                                                   << "f32" << 0.75;
        QTest::newRow("only Gloo's all-reduce sends bf16 as f32") << "library"
                                                                  << "bf16" << 0.75;
    }
    void replicasAgainstDataParallel()
    {
        QFETCH(QString, algorithm);
        QFETCH(QString, dtype);
        QFETCH(double, zero3);
        for (const char *microBatches : {"1", "3"}) {
            const auto planOf = [&](const std::string &scheme) {
                return buildPlan(readPoint({{"scheme", scheme},
                                            {"ranks", "4"},
                                            {"micro-batches", microBatches},
                                            {"algorithm", algorithm.toStdString()},
                                            {"dtype", dtype.toStdString()}}));
            };
            const Plan plain = planOf("data-parallel");
            const double bytes = double(traffic(plain).total().sentBytesPerRank);
            for (const Scheme scheme : {Scheme::DataParallel, Scheme::Zero1, Scheme::Zero2, Scheme::Zero3}) {
                const auto ratio = bytesAgainstDataParallel(plain, scheme);
                QVERIFY(ratio.has_value());
                const double counted = double(traffic(planOf(std::string(name(scheme)))).total().sentBytesPerRank);
                QVERIFY2(std::abs(*ratio * bytes / counted - 1) < 1e-9, name(scheme).data());
            }
            QCOMPARE(*bytesAgainstDataParallel(plain, Scheme::Zero3), zero3 * std::atoi(microBatches));
        }
        const Plan tree = buildPlan(readPoint({{"scheme", "data-parallel"}, {"algorithm", "tree"}}));
        QCOMPARE(*bytesAgainstDataParallel(tree, Scheme::DataParallel), 1.0);
        QVERIFY(!bytesAgainstDataParallel(tree, Scheme::Zero3)); // it cannot run there
    }

    void headlinesSayWhatChangesTheRun()
    {
        const auto said = [](const OptionValues &options) { return headline(readPoint(options)); };
        QCOMPARE(said({}), std::string("mlp (gelu), training, 2 ranks: h 1024, f 4096, 256 tokens (4 x 64), f32, "
                                       "library's collectives"));
        QCOMPARE(said({{"scheme", "attention"}, {"kv-heads", "2"}, {"phase", "decode"}, {"cache", "9"}}),
                 std::string("attention, decode, 2 ranks: h 1024, 16 heads, 2 KV heads, 4 tokens, 9 cached each, f32, "
                             "library's collectives"));
        const std::string mesh = said({{"scheme", "block"},
                                       {"mesh", "tp=2,dp=2,pp=2"},
                                       {"micro-batches", "4"},
                                       {"zero", "1"},
                                       {"recompute", "full"}});
        for (const char *words : {"8 ranks (tp=2,dp=2,pp=2)", "2 layers", "2048 tokens (dp 2 x m 4 x 4 x 64)",
                                  "recompute full", "zero 1", "schedule 1f1b"})
            QVERIFY2(mesh.find(words) != std::string::npos, mesh.c_str());
    }

    /// Every scheme, in every phase that it has, on 1, 2 and 4 ranks; of each bug that it is caught.
    void theSelftestLeavesNoSchemeOut()
    {
        std::set<std::string> walked;
        for (const SelftestCase &one : selftestCases()) {
            const Experiment &e = one.experiment;
            QCOMPARE(one.mustFail, isBug(e.scheme));
            walked.insert(std::string(name(e.scheme)) + ' ' + std::string(name(e.phase)) + ' ' +
                          std::to_string(e.ranks()));
            for (const char *option : {"sequence-parallel", "recompute", "pair", "reduce-to", "overlap",
                                       "parallel-block", "micro-batches", "zero", "schedule", "algorithm", "mesh"})
                walked.insert(option + (' ' + findOption(option)->get(e)));
        }
        for (const std::string &scheme : findOption("scheme")->values) {
            for (const std::string &phase : findOption("phase")->values) {
                for (const std::string ranks : {"1", "2", "4"}) {
                    const bool valid =
                        readExperiment({{"scheme", scheme}, {"phase", phase}, {"ranks", ranks}}, Unused::Allow).ok();
                    const std::string place = scheme + ' ' + phase + ' ' + ranks;
                    QVERIFY2(!valid || walked.contains(place), place.c_str());
                }
            }
        }
        for (const char *option :
             {"sequence-parallel keep", "sequence-parallel megatron", "recompute selective", "recompute full",
              "pair row-row", "reduce-to root", "overlap on", "parallel-block on", "zero 3", "schedule gpipe",
              "algorithm direct", "mesh tp=2,dp=2,pp=2"})
            QVERIFY2(walked.contains(option), option);
    }
};

QTEST_GUILESS_MAIN(TestCliParts)
#include "tst_cli_parts.moc"

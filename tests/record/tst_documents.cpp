// SPDX-License-Identifier: MIT
#include "engine/record/documents.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <algorithm>
#include <clocale>
#include <limits>
#include <rapidcheck.h>

#include "engine/record/format.h"
#include "tests/record/parsed_json.h"
#include "tests/record/record_fixtures.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

QJsonObject firstCollective(const std::string &document)
{
    return parsed(document)["collectives"].toArray().first().toObject();
}

/// mlp, 2 ranks: collectives take exactly 1048.576 us, rank 1 waits 500 ns more.
Run measured(const std::string &phase)
{
    Run run = makeRun(layer("mlp", phase, 2));
    run.machine.devices = {"rank 0: CPU core", "rank 1: CPU core"};
    run.machine.libraries = {{"libtorch", "1.13.1"}};
    run.machine.notes = {"2 ranks share 1 core; not GPU times"};
    addIterations(run, 3, collectivesTake([](int rank, int) { return 1'048'576 + (rank == 1 ? 500 : 0); }));
    run.append(CheckEvent{"Y", 4.4958123e-7, 1e-5, true});
    run.append(MemoryEvent{5000, 4000});
    run.append(EndEvent{"1", EndEvent::Status::Done, 0, 12'345'678});
    return run;
}

/// Positions of the keys in the text, which must ascend: the contract's order.
void verifyOrder(const std::string &document, const std::vector<std::string> &keys)
{
    std::size_t position = 0;
    for (const std::string &key : keys) {
        const std::size_t found = document.find('"' + key + "\":", position);
        QVERIFY2(found != std::string::npos, key.c_str());
        position = found;
    }
}

} // namespace

class TestDocuments : public QObject
{
    Q_OBJECT

private slots:
    void runHasTheKeysOfTheContractInOrder()
    {
        const std::string document = runDocument(measured("training"));
        QVERIFY(document.ends_with("}\n"));
        verifyOrder(document, {"schema", "source", "experiment", "machine", "collectives", "totals",
                               "memory_bytes_per_rank", "checks", "elapsed_ms"});
        verifyOrder(document, {"collectives",
                               "pass",
                               "op",
                               "tensor",
                               "axis",
                               "why",
                               "count",
                               "planned_count",
                               "payload_bytes",
                               "sent_bytes_per_rank",
                               "wire_dtype",
                               "hops",
                               "median_us",
                               "p10_us",
                               "p90_us",
                               "transfer_us",
                               "wait_us",
                               "algbw_GBps",
                               "busbw_GBps",
                               "verdict"});
        verifyOrder(document,
                    {"totals", "forward", "recompute", "backward", "optimizer", "step", "collectives", "payload_bytes",
                     "sent_bytes_per_rank", "communication_us", "exposed_us", "hidden_us", "compute_us", "elapsed_us"});
    }

    void unitsFromEventToDocument()
    {
        const std::string document = runDocument(measured("prefill"));
        const QJsonObject collective = firstCollective(document);
        QCOMPARE(collective["transfer_us"].toDouble(), 1048.576); // nanoseconds / 1000
        QCOMPARE(collective["wait_us"].toDouble(), 0.5);
        QCOMPARE(collective["median_us"].toDouble(), 1049.076);
        QCOMPARE(collective["algbw_GBps"].toDouble(), 1.0); // 1048576 B in 1048576 ns; GB = 1e9
        QCOMPARE(collective["busbw_GBps"].toDouble(), 1.0); // x 2(n-1)/n = 1 at n = 2
        QCOMPARE(collective["payload_bytes"].toInteger(), 1048576);
        QCOMPARE(collective["verdict"].toString(), QString("inconclusive"));
        QVERIFY(collective["hops"].isNull());
        QCOMPARE(parsed(document)["elapsed_ms"].toDouble(), 12.345);
        QVERIFY2(document.find("1048.576,") != std::string::npos, "no noise behind the third decimal");
    }

    void whatCarriedACollectiveIsSaid()
    {
        Run run = measured("training");
        QVERIFY(!firstCollective(runDocument(run)).contains("library_algorithm"));
        const int step = summarize(run).collectives.front().step;
        run.append(CarriedEvent{step, "RING", "LL128"});
        run.append(CarriedEvent{int(run.plan.steps.size()), "TREE", "LL"}); // of no step
        QCOMPARE(run.rejected, 1);
        const QJsonObject collective = firstCollective(runDocument(run));
        QCOMPARE(collective["library_algorithm"].toString(), QString("RING"));
        QCOMPARE(collective["library_protocol"].toString(), QString("LL128"));
    }

    void experimentIsResolvedAndTyped()
    {
        const QJsonObject experiment = parsed(runDocument(measured("training")))["experiment"].toObject();
        QCOMPARE(experiment["scheme"].toString(), QString("mlp"));
        QCOMPARE(experiment["ranks"].toInt(), 2);
        QCOMPARE(experiment["mesh"].toString(), QString("tp=2"));
        QCOMPARE(experiment["hidden"].toInt(), 1024);
        QCOMPARE(experiment["ffn"].toInt(), 4096);
        QCOMPARE(experiment["bias"].toBool(false), true);
        QCOMPARE(experiment["gather_output"].toBool(true), false);
        QVERIFY(experiment.contains("delay") && experiment["delay"].isNull());
        QCOMPARE(experiment["backend"].toString(), QString("cpu"));
        QCOMPARE(experiment.size(), static_cast<qsizetype>(experimentOptions().size()));
        const Run late = makeRun({{"ranks", "4"}, {"delay", "2:20"}, {"timeout", "2.5"}});
        const QJsonObject delayed = parsed(runDocument(late))["experiment"].toObject();
        QCOMPARE(delayed["delay"].toString(), QString("2:20"));
        QCOMPARE(delayed["timeout"].toDouble(), 2.5);
        QCOMPARE(experiment["timeout"].toDouble(), 10.0);
    }

    void undefinedIsNull()
    {
        const std::string document = runDocument(makeRun(layer("mlp", "training", 2)));
        const QJsonObject run = parsed(document);
        const QJsonObject collective = firstCollective(document);
        for (const char *key : {"median_us", "p10_us", "p90_us", "transfer_us", "wait_us", "algbw_GBps", "busbw_GBps"})
            QVERIFY2(collective.contains(key) && collective[key].isNull(), key);
        QCOMPARE(collective["count"].toInt(-1), 0);
        QCOMPARE(collective["planned_count"].toInt(-1), 1);
        QVERIFY(run["elapsed_ms"].isNull());
        QVERIFY(run["memory_bytes_per_rank"].toObject()["measured"].isNull());
        Run unmeasured = makeRun(layer("mlp", "training", 2));
        unmeasured.append(MemoryEvent{0, 4000});
        const QJsonObject memory = parsed(runDocument(unmeasured))["memory_bytes_per_rank"].toObject();
        QVERIFY(memory["measured"].isNull());
        QCOMPARE(memory["formula"].toInteger(), 4000);
        QVERIFY(run["memory_bytes_per_rank"].toObject()["formula"].toInteger() > 0);
        QVERIFY(run["checks"].isArray() && run["checks"].toArray().isEmpty());
        QVERIFY(document.find("nan") == std::string::npos && document.find("inf") == std::string::npos);
    }

    void checksAreShownWithSixDigits()
    {
        Run run = measured("training");
        run.append(CheckEvent{"dX", -1, 1e-5, false});
        const QJsonArray checks = parsed(runDocument(run))["checks"].toArray();
        QCOMPARE(checks[0].toObject()["relative_error"].toDouble(), 4.49581e-7);
        QCOMPARE(checks[0].toObject()["limit"].toDouble(), 1e-5);
        QVERIFY(checks[0].toObject()["passed"].toBool());
        QVERIFY(checks[1].toObject()["relative_error"].isNull()); // NaN
        QVERIFY(!checks[1].toObject()["passed"].toBool());
    }

    void figuresOfACheckAreThereWhereKnown()
    {
        Run run = measured("training");
        CheckEvent check{"Y#1", 3e-7, 1e-5, true};
        check.wholeError = 4e-7;
        check.piecesError = 5e-7;
        check.fromWhole = 6e-7;
        check.fromPieces = 0;
        check.quantizationError = 7e-3;
        run.append(check);
        const QJsonArray checks = parsed(runDocument(run))["checks"].toArray();
        QCOMPARE(checks[0].toObject().keys().size(), 4); // none of them
        const QJsonObject known = checks[1].toObject();
        QCOMPARE(known["one_device_relative_error"].toDouble(), 4e-7);
        QCOMPARE(known["one_device_in_pieces_relative_error"].toDouble(), 5e-7);
        QCOMPARE(known["difference_from_one_device"].toDouble(), 6e-7);
        QCOMPARE(known["difference_from_one_device_in_pieces"].toDouble(-1), 0.0);
        QCOMPARE(known["quantization_error"].toDouble(), 7e-3);
    }

    void collectivesSayWhatCouldHideThem()
    {
        const QJsonArray collectives = parsed(runDocument(measured("training")))["collectives"].toArray();
        const QJsonObject forward = collectives[0].toObject()["could_be_hidden"].toObject();
        QVERIFY(forward["beside"].toArray().isEmpty());
        QVERIFY(forward["required_GBps"].isNull());
        QVERIFY(!forward["possible"].toBool(true));
        const QJsonObject backward = collectives[1].toObject()["could_be_hidden"].toObject();
        QCOMPARE(backward["beside"].toArray().first().toString(), QString("dW1 = Xᵀ·dZ"));
        QCOMPARE(backward["possible"].toBool(),
                 backward["required_GBps"].toDouble() <= backward["available_GBps"].toDouble());
        QVERIFY(backward["compute_us"].toDouble() > 0);
        const Run planned = makeRun(layer("mlp", "training", 2));
        QVERIFY(parsed(runDocument(planned))["collectives"].toArray()[0].toObject()["could_be_hidden"].isNull());
    }

    void allPassesAreAlwaysThere()
    {
        const QJsonObject totals = parsed(runDocument(measured("prefill")))["totals"].toObject();
        QCOMPARE(totals.keys().size(), 5);
        QCOMPARE(totals["backward"].toObject()["collectives"].toInt(-1), 0);
        QCOMPARE(totals["step"].toObject()["sent_bytes_per_rank"].toInteger(), 1048576);
        QCOMPARE(totals["step"].toObject()["communication_us"].toDouble(), 1049.076);
    }

    void oneRankHasNoEntries()
    {
        Run run = makeRun(layer("mlp", "training", 1));
        addIterations(run, 3, collectivesTake([](int, int) { return 1; }));
        const QJsonObject document = parsed(runDocument(run));
        QVERIFY(document["collectives"].toArray().isEmpty());
        QCOMPARE(document["totals"].toObject()["step"].toObject()["collectives"].toInt(-1), 0);
    }

    void comparisonHoldsPhasesAndRatios()
    {
        std::map<Phase, Run> runs;
        runs.emplace(Phase::Training, measured("training"));
        runs.emplace(Phase::Prefill, measured("prefill"));
        runs.emplace(Phase::Decode, measured("decode"));
        const std::string document = comparisonDocument(runs);
        verifyOrder(document, {"schema", "phases", "training", "prefill", "decode", "ratios", "training_to_prefill",
                               "decode_to_training_per_token"});
        const QJsonObject ratios = parsed(document)["ratios"].toObject();
        QCOMPARE(ratios["training_to_prefill"].toObject()["collectives"].toDouble(), 2.0);
        QCOMPARE(ratios["training_to_prefill"].toObject()["sent_bytes"].toDouble(), 2.0);
        QCOMPARE(ratios["decode_to_training_per_token"].toObject()["collectives"].toDouble(), 32.0);
        QCOMPARE(ratios["decode_to_training_per_token"].toObject()["sent_bytes"].toDouble(), 0.5);
        QCOMPARE(ratios["decode_to_training_per_token"].toObject()["communication_time"].toDouble(), 32.0);
        QCOMPARE(parsed(document)["phases"]
                     .toObject()["decode"]
                     .toObject()["collectives"]
                     .toArray()[0]
                     .toObject()["payload_bytes"]
                     .toInteger(),
                 16384);
    }

    void undefinedRatioIsNull()
    {
        std::map<Phase, Run> runs;
        runs.emplace(Phase::Training, makeRun(layer("column", "training", 2)));
        runs.emplace(Phase::Prefill, makeRun(layer("column", "prefill", 2)));
        const QJsonObject ratios = parsed(comparisonDocument(runs))["ratios"].toObject();
        for (const char *key : {"collectives", "sent_bytes", "communication_time"})
            QVERIFY2(ratios["training_to_prefill"].toObject()[key].isNull(), key);
    }

    void schemesAreNamed()
    {
        const QJsonObject schemes = parsed(schemesDocument(
            {makeRun(layer("column", "prefill", 2)), makeRun(layer("row", "prefill", 2))}))["schemes"]
                                        .toObject();
        QCOMPARE(schemes.keys(), (QStringList{"column", "row"}));
    }

    void csvIsTheContracts()
    {
        QCOMPARE(csvHeader({}), std::string("phase,scheme,ranks,hidden,batch,sequence,dtype,backend,step_us,compute_us,"
                                            "communication_us,wait_us,collectives,payload_bytes,sent_bytes_per_rank,"
                                            "checks_passed\n"));
        QVERIFY(csvHeader({"gather-output", "mesh"}).ends_with(",checks_passed,gather_output,mesh\n"));

        Run run = measured("prefill");
        const auto compute = std::count_if(run.plan.steps.begin(), run.plan.steps.end(),
                                           [](const Step &step) { return !step.collective; });
        const std::string computeUs = std::to_string(compute * 100);
        const std::string stepUs = std::to_string(compute * 100 + 1049) + ".076";
        QCOMPARE(csvRow(run, {"mesh", "algorithm"}), "prefill,mlp,2,1024,4,64,f32,cpu," + stepUs + ',' + computeUs +
                                                         ",1049.076,0.5,1,1048576,1048576,true,tp=2,library\n");
        const std::vector<std::string> shared{std::string(kSharedGpuColumn)};
        QVERIFY(csvHeader(shared).ends_with(",checks_passed,ranks_share_gpu\n"));
        QVERIFY(csvRow(run, shared).ends_with(",true,false\n")); // CPU ranks
        run.machine.devices = {"rank 0: GPU 0, NVIDIA H200", "rank 1: GPU 1, NVIDIA H200"};
        QVERIFY(csvRow(run, shared).ends_with(",true,false\n"));
        run.machine.devices[1] = "rank 1: GPU 0, NVIDIA H200";
        QVERIFY(csvRow(run, shared).ends_with(",true,true\n"));
        run.append(CheckEvent{"dX", 1, 1e-5, false});
        QVERIFY(csvRow(run, {}).ends_with(",false\n"));
        // What holds no checks has not passed them.
        QVERIFY(csvRow(makeRun(layer("mlp", "decode", 2)), {}).ends_with(",cpu,,,,,1,16384,16384,false\n"));
    }

    void csvCellsAreQuotedWhereNeeded()
    {
        QCOMPARE(csvLine({"a", "tp=2,dp=2", "say \"x\"", ""}), std::string("a,\"tp=2,dp=2\",\"say \"\"x\"\"\",\n"));
        QCOMPARE(csvLine({"", "b"}), std::string(",b\n"));
    }

    void differingCountsFailTheRow()
    {
        Run run = makeRun(layer("mlp", "prefill", 2));
        addIterations(run, 3, collectivesTake([](int, int) { return 1000; }));
        for (SpanEvent &span : run.spans)
            span.sentBytes *= 2;
        QVERIFY(csvRow(run, {}).ends_with(",false\n"));
    }

    void numbersForPeople()
    {
        QCOMPARE(formatBinaryBytes(0), std::string("0 B"));
        QCOMPARE(formatBinaryBytes(16384), std::string("16 KiB"));
        QCOMPARE(formatBinaryBytes(1572864), std::string("1.5 MiB"));
        QCOMPARE(formatBinaryBytes(1048575), std::string("1 MiB"));
        QCOMPARE(formatBinaryBytes(std::numeric_limits<std::int64_t>::max()), std::string("8 EiB"));
        QCOMPARE(formatTime(850), std::string("850 ns"));
        QCOMPARE(formatTime(12'345), std::string("12.3 us"));
        QCOMPARE(formatTime(999'600), std::string("1 ms"));
        QCOMPARE(formatTime(1.25e9), std::string("1.25 s"));
        QCOMPARE(formatTime(0), std::string("0 ns"));
        QCOMPARE(formatRatio(2), std::string("2.0"));
        QCOMPARE(formatRatio(0.5), std::string("0.5"));
        QCOMPARE(formatRatio(32), std::string("32"));
        QCOMPARE(formatRatio(0.0312), std::string("0.031"));
        QCOMPARE(formatRatio(0.000412), std::string("0.000412")); // not "0"
        QCOMPARE(formatRatio(0), std::string("0"));
        QCOMPARE(formatNumber(std::numeric_limits<double>::quiet_NaN()), std::string("-"));
        QCOMPARE(formatNumber(0.04369), std::string("0.0437"));
        QCOMPARE(formatNumber(1234.4), std::string("1234"));
        QCOMPARE(formatPercent(0.75), std::string("75 %"));
        QCOMPARE(formatPercent(0.0314), std::string("3.1 %"));
        QCOMPARE(fixedDecimals(1049.0760, 3), std::string("1049.076"));
        QCOMPARE(fixedDecimals(100, 3), std::string("100"));
    }

    void decimalCommaChangesNothing()
    {
        const Run run = measured("training");
        const auto all = [&run] { return runDocument(run) + csvRow(run, {}) + chromeTrace({run}) + formatTime(1500); };
        const std::string bytes = all();
        const std::string before = std::setlocale(LC_ALL, nullptr);
        if (!std::setlocale(LC_ALL, "de_DE.UTF-8"))
            QSKIP("no German locale here; packaging/setup.sh generates it");
        const std::string point = std::localeconv()->decimal_point;
        const std::string german = all();
        std::setlocale(LC_ALL, before.c_str());
        QCOMPARE(point, std::string(","));
        QCOMPARE(german, bytes);
    }
};

QTEST_GUILESS_MAIN(TestDocuments)
#include "tst_documents.moc"

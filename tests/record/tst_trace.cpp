// SPDX-License-Identifier: MIT
// The Chrome trace: tracks, names and arguments, and slices that every viewer shows.
#include "engine/record/documents.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <map>
#include <rapidcheck.h>

#include "engine/record/nested_slices.h"
#include "tests/record/parsed_json.h"
#include "tests/record/record_fixtures.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// Whether every pair of slices on each track nests or is disjoint.
bool nestsOrDisjoint(const std::vector<TrackSlice> &slices)
{
    for (const TrackSlice &a : slices) {
        for (const TrackSlice &b : slices) {
            if (a.startNs < b.startNs && b.startNs < a.endNs && a.endNs < b.endNs)
                return false;
        }
    }
    return true;
}

} // namespace

class TestTrace : public QObject
{
    Q_OBJECT
private slots:
    void traceIsGolden()
    {
        Run run = makeRun({{"scheme", "row"}, {"phase", "prefill"}, {"ranks", "2"}, {"bias", "off"}});
        QCOMPARE(run.plan.steps.size(), std::size_t{2});
        run.append(IterationEvent{1, 0, true, 1000, 9000});
        run.append(spanOf(run.plan.steps[0], 1, 0, 1500, 2001));
        run.append(spanOf(run.plan.steps[1], 1, 0, 4000, 3000));
        const std::string trace = chromeTrace({run});
        const auto contains = [&trace](const std::string &part) { return trace.find(part) != std::string::npos; };
        QVERIFY(contains(R"({"ph":"M","name":"process_sort_index","pid":1,"tid":0,"args":{"sort_index":1}})"));
        QVERIFY(contains(R"({"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"rank 1 communication"}})"));
        QVERIFY(contains(R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":2}})"));
        QVERIFY(
            contains(R"x("name":"iteration 0 (warm-up)","cat":"iteration","pid":1,"tid":2,"ts":1.000,"dur":8.000,)x"));
        QVERIFY(contains(R"("cat":"forward","pid":1,"tid":2,"ts":1.500,"dur":2.001,"args":{"iteration":0,"step":0,)"));
        QVERIFY(contains(R"("pid":1,"tid":3,"ts":4.000,"dur":3.000,"args":{"iteration":0,"step":1,"kind":)"));
        QVERIFY(contains(R"("op":"all_reduce","payload_bytes":)"));
        const QJsonArray events = parsed(trace)["traceEvents"].toArray();
        QCOMPARE(events.size(), 2 + 2 * 2 * 2 + 3);
    }

    void aTraceSaysWhereInTheModel()
    {
        Run run = makeRun(
            {{"scheme", "mlp"}, {"mesh", "tp=2,dp=2,pp=2"}, {"layers", "4"}, {"micro-batches", "2"}, {"hidden", "16"}});
        addIterations(run, 1, collectivesTake([](int, int) { return 1000; }));
        const Plan &plan = run.plan;
        std::map<int, QString> titles;
        std::map<int, int> collectives;
        for (const QJsonValue &value : parsed(chromeTrace({run}))["traceEvents"].toArray()) {
            const QJsonObject event = value.toObject();
            const QJsonObject args = event["args"].toObject();
            const int tid = event["tid"].toInt();
            if (event["name"].toString() == "thread_name")
                titles[tid] = args["name"].toString();
            if (!args.contains("step"))
                continue;
            const Step &step = plan.steps[std::size_t(args["step"].toInt())];
            QCOMPARE(args["layer"].toInt(-1), step.layer);
            QCOMPARE(args["micro_batch"].toInt(-1), step.microBatch);
            QCOMPARE(args["stage"].toInt(-1), step.stage);
            QCOMPARE(args.contains("axis"), step.collective.has_value());
            if (!step.collective)
                continue;
            const std::string_view axis = axisName(step.collective->axis);
            QCOMPARE(args["axis"].toString().toStdString(), std::string(axis));
            ++collectives[tid];
            // Each axis has a track of its own: 0 computes, then tp, dp, pp.
            QCOMPARE(tid % 4, 1 + static_cast<int>(step.collective->axis));
        }
        QCOMPARE(titles.size(), std::size_t{8 * 4});
        QCOMPARE(titles.at(0), "rank 0 compute (tp 0, dp 0, pp 0)");
        QCOMPARE(titles.at(3 * 4 + 2), "rank 3 communication dp (tp 1, dp 1, pp 0)");
        QCOMPARE(titles.at(5 * 4 + 3), "rank 5 communication pp (tp 1, dp 0, pp 1)");
        QCOMPARE(collectives.size(), std::size_t{8 * 3}); // all of them travel on every axis
    }

    void runsOfATraceAreProcesses()
    {
        const auto of = [](const std::string &phase) { return makeRun(layer("mlp", phase, 2)); };
        const std::string trace = chromeTrace({of("training"), of("decode")});
        QVERIFY(trace.find(R"("name":"process_sort_index","pid":2)") != std::string::npos);
        QVERIFY(parsed(chromeTrace({}))["traceEvents"].toArray().isEmpty());
        // A trace is passed on without its run, so it says whose times it holds.
        QVERIFY(trace.find("mlp, decode, 2 ranks (measured, 2 cores)") != std::string::npos);
        Run prediction = of("prefill");
        prediction.source = Source::Recorded;
        prediction.hardware = "h100-8";
        QVERIFY(chromeTrace({prediction}).find("(recorded prediction, 2 cores)") != std::string::npos);
    }

    void slicesNestOrAreDisjoint()
    {
        QVERIFY(rc::check("whatever overlaps in the record, the tracks nest", [] {
            std::vector<TrackSlice> slices;
            const std::size_t count = *rc::gen::inRange<std::size_t>(0, 20);
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t start = *rc::gen::inRange<std::int64_t>(0, 50);
                slices.push_back({start, start + *rc::gen::inRange<std::int64_t>(0, 30), i});
            }
            const auto result = nested(slices);
            RC_ASSERT(result.size() == slices.size()); // none dropped
            RC_ASSERT(nestsOrDisjoint(result));
            for (const TrackSlice &slice : result) {
                RC_ASSERT(slice.startNs <= slice.endNs);
                RC_ASSERT(slice.startNs >= slices[slice.payload].startNs);
                RC_ASSERT(slice.endNs <= slices[slice.payload].endNs);
            }
            if (nestsOrDisjoint(slices)) {
                for (const TrackSlice &slice : result)
                    RC_ASSERT(slice.startNs == slices[slice.payload].startNs &&
                              slice.endNs == slices[slice.payload].endNs);
            }
        }));
    }
};

QTEST_GUILESS_MAIN(TestTrace)
#include "tst_trace.moc"

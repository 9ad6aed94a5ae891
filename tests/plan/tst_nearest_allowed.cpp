// SPDX-License-Identifier: MIT
// What a refusal says is allowed is allowed.
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/refusal.h"
#include "tests/plan/plan_experiments.h"
#include "tests/plan/suggestions.h"

#include <QTest>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

using namespace shardscope;

namespace {

QString refusal(const OptionValues &given, Unused unused = Unused::Refuse)
{
    const auto e = readExperiment(given, unused);
    return e ? QString() : QString::fromStdString(english(e.problem()));
}

std::string number(std::int64_t least, std::int64_t most)
{
    return std::to_string(*rc::gen::inRange<std::int64_t>(least, most + 1));
}

/// Any options, often such as do not fit each other.
OptionValues anyOptions()
{
    OptionValues given;
    for (const ExperimentOption &option : experimentOptions()) {
        const bool always = option.name == "scheme" || option.name == "phase";
        if (!option.values.empty() && (always || *rc::gen::inRange(0, 3) == 0))
            given[std::string(option.name)] = *rc::gen::elementOf(option.values);
    }
    given.erase("backend");
    const int said = *rc::gen::inRange(0, 3); // both may contradict each other
    if (said != 0)
        given["mesh"] = "tp=" + number(1, 4) + ",dp=" + number(1, 4) + ",pp=" + number(1, 4);
    if (said != 1)
        given["ranks"] = number(1, 16);
    if (*rc::gen::inRange(0, 4) == 0)
        given["delay"] = number(0, 15) + ":20";
    if (*rc::gen::inRange(0, 4) == 0)
        given["stage-delay"] = number(1, 4000) + ":" + number(1, 4000);
    given["hidden"] = number(1, 2000);
    for (const auto &[option, most] : std::map<std::string, std::int64_t>{{"ffn", 5000},
                                                                          {"heads", 64},
                                                                          {"kv-heads", 64},
                                                                          {"vocabulary", 5000},
                                                                          {"layers", kMostLayers},
                                                                          {"micro-batches", kMostMicroBatches},
                                                                          {"sequence", 100},
                                                                          {"zero", 3}}) {
        if (*rc::gen::arbitrary<bool>())
            given[option] = option == "zero" ? number(0, most) : number(1, most);
    }
    return given;
}

/// Such options, or what a refusal of them suggests.
OptionValues validOptions()
{
    const OptionValues given = anyOptions();
    const QString message = refusal(given, Unused::Allow);
    return message.isEmpty() ? given : changedBy(given, *rc::gen::elementOf(suggestions(message)));
}

} // namespace

class TestNearestAllowed : public QObject
{
    Q_OBJECT

private slots:
    void refusals_data();
    void refusals();
    void whatIsSuggestedIsAccepted_data();
    void whatIsSuggestedIsAccepted();
    void unusedOptionsChangeNothing();
};

void TestNearestAllowed::refusals_data()
{
    QTest::addColumn<QString>("message");
    const auto row = [](const char *line, const char *message) { QTest::newRow(line) << QString(message); };
    row("--scheme attention --hidden 1000 --heads 10 --ranks 4",
        "--heads 10: tp = 4 ranks cannot share it evenly; allowed: --heads 8 or 20, or --ranks 2 or 5");
    row("--scheme attention --ranks 3", // no multiple of 3 divides h
        "--heads 16: tp = 3 ranks cannot share it evenly; allowed: --ranks 2 or 4");
    row("--scheme attention --heads 2000",
        "--heads 2000: they cannot share h = 1024 evenly; allowed: --heads 1024, or --hidden 2000");
    row("--scheme attention --heads 8 --kv-heads 3",
        "--kv-heads 3: each KV head serves equally many query heads, and 3 does not divide a = 8; allowed: --kv-heads "
        "2 or 4");
    row("--scheme attention --hidden 96 --heads 12 --kv-heads 6 --ranks 4",
        "--kv-heads 6: with tp = 4 each rank holds k/N heads, or each head is on N/k ranks, so one must divide the "
        "other; allowed: --kv-heads 4 or 12, or --ranks 3 or 6");
    row("--scheme attention --ranks 4 --kv-heads 2 --pair row-row",
        "--kv-heads 2: pair row-row scatters keys and values over tp = 4 ranks, so it needs at least as many heads; "
        "allowed: --kv-heads 4, or --pair column-row, row-column or column-column");
    row("--scheme pipeline --ranks 4 --layers 6",
        "--layers 6: pp = 4 stages cannot share them evenly; allowed: --layers 4 or 8, or --ranks 3 or 6");
    row("--mesh tp=2,pp=4 --layers 6",
        "--layers 6: pp = 4 stages cannot share them evenly; allowed: --layers 4 or 8, or --mesh tp=2,pp=3 or "
        "tp=2,pp=6");
    row("--ranks 4 --mesh tp=3,dp=2", "--ranks 4: --mesh tp=3,dp=2 is of 6 ranks; allowed: --mesh tp=2,dp=2");
    row("--ranks 4 --mesh tp=8", "--ranks 4: --mesh tp=8 is of 8 ranks; allowed: --ranks 8, or --mesh tp=4");
    row("--scheme embedding --vocabulary 32001",
        "--vocabulary 32001: tp = 2 ranks cannot share it evenly; allowed: --vocabulary 32000 or 32002, or --ranks 1 "
        "or 3");
    row("--sequence-parallel megatron --sequence 63",
        "--sequence 63: tp = 2 ranks cannot share it evenly; allowed: --sequence 62 or 64, or --ranks 1");
    row("--scheme zero3 --hidden 30 --ranks 4",
        "--hidden 30: dp = 4 ranks cannot share it evenly; allowed: --hidden 28 or 32, or --ranks 3 or 5");
    row("--scheme block --mesh tp=2,dp=4 --zero 1 --hidden 48 --heads 8 --kv-heads 2",
        "--hidden 48: ZeRO cuts the 6 key columns of a rank into dp = 4 slices, and cannot do so evenly; allowed: "
        "--hidden 32 or 64, or --mesh tp=2,dp=3 or tp=2,dp=6");
    row("--scheme block --layers 64 --micro-batches 64",
        "--layers 64, --micro-batches 64: each of L x m = 4096 passes through a layer is planned and drawn by itself, "
        "and that is too much; allowed: --layers 32, or --micro-batches 32");
    row("--scheme column --ranks 5000 --ffn 12000", // further away than one by one
        "--ffn 12000: 5000 ranks cannot share f = 12000 evenly; allowed: --ffn 10000 or 15000, or --ranks 4");
    row("--mesh tp=4,dp=128 --algorithm ring",
        "--algorithm ring: its hops are listed one by one, for groups of at most 64 ranks, and one here has 128; "
        "allowed: --algorithm library");
    row("--scheme column --ffn 1001 --algorithm halving-doubling",
        "--ffn 1001: 2 ranks cannot share f = 1001 evenly; allowed: --ffn 1000 or 1002, or --ranks 1");
    row("--scheme column --mesh tp=2,dp=3 --ffn 1000",
        "--mesh tp=2,dp=3: scheme column is tensor-parallel alone; allowed: --mesh tp=5");
    row("--scheme bug:all-reduce-columns --ranks 1 --ffn 9", "--scheme bug:all-reduce-columns: with one rank nothing "
                                                             "is summed, so the bug cannot show; allowed: --ranks 3");
    row("--scheme bug:unsharded-heads --hidden 7 --heads 7", // no single one helps
        "--heads 7: tp = 2 ranks cannot share it evenly; allowed: --ranks 7 --hidden 49");
    row("--scheme bug:unreduced-kv --ranks 4 --kv-heads 16",
        "--scheme bug:unreduced-kv: with 16 KV heads on 4 ranks no head is shared, so the bug cannot show; allowed: "
        "--kv-heads 2");
    row("--scheme column --gather-output on --ranks 3 --ffn 9 --algorithm tree",
        "--algorithm tree: a tree adds and hands out, so it runs all_reduce only, and this layer needs an all_gather; "
        "allowed: --algorithm library, ring or direct");
    row("--scheme bug:unreduced-kv --heads 2 --kv-heads 2 --hidden 128 --ranks 4",
        "--heads 2: tp = 4 ranks cannot share it evenly; allowed: --heads 4");
    row("--sequence-parallel keep --reduce-to root", "--sequence-parallel keep: its sums are scattered, none goes to "
                                                     "one rank; allowed: --sequence-parallel off, or --reduce-to all");
    row("--sequence-parallel keep --pair row-row --reduce-to root",
        "--sequence-parallel keep: tokens are scattered and gathered around the pair column-row; allowed: "
        "--sequence-parallel off");
    row("--overlap on --reduce-to root --sequence-parallel keep --pair row-row",
        "--sequence-parallel keep: tokens are scattered and gathered around the pair column-row; allowed: "
        "--sequence-parallel off --overlap off");
    row("--mesh tp=3 --ffn 1000",
        "--ffn 1000: 3 ranks cannot share f = 1000 evenly; allowed: --ffn 999 or 1002, or --mesh tp=2 or tp=4");
    row("--mesh tp=3 --ranks 3 --ffn 1000", "--ffn 1000: 3 ranks cannot share f = 1000 evenly; allowed: --ffn 999 or "
                                            "1002, or --mesh tp=2 --ranks 2, or --mesh tp=4 --ranks 4");
    row("--recompute selective",
        "--recompute selective: it recomputes core attention, and an MLP has none; allowed: --recompute none or full");
    row("--phase prefill --weight-dtype int8 --mesh tp=2,dp=2 --zero 3",
        "--weight-dtype int8: with ZeRO-3 weights travel to be used, and int8 weights stay where they are; allowed: "
        "--weight-dtype same, or --zero 2");
    row("--scheme bug:unreduced-kv --phase decode --cache 8 --kv-heads 1",
        "--scheme bug:unreduced-kv: it is in the backward pass, so it cannot show in decode; allowed: --phase training "
        "without --cache");
    row("--scheme bug:row-bias-each-rank --bias off",
        "--scheme bug:row-bias-each-rank: without a bias the bug cannot show; allowed: --bias on");
    row("--scheme bug:naive-exercise --bias on --ranks 1",
        "--scheme bug:naive-exercise: with one rank nothing is summed, so the bug cannot show; allowed: --ranks 2 "
        "--bias off");
    row("--delay 7:20 --ranks 4 --ffn 4097", "--delay 7:20: of 4 ranks there is no rank 7; allowed: --ranks 17");
    row("--scheme pipeline --ranks 4 --stage-delay 3000:0 --timeout 2",
        "--stage-delay 3000:0: the stages keep one another waiting for up to 12 s, and a collective may take 2 s; "
        "allowed: --stage-delay 375:0, or --timeout 13");
    row("--batch 65536 --sequence 1048576 --hidden 100000",
        "--batch, --sequence: 68719476736 tokens of width 400000 are more numbers than can be counted here; allowed: "
        "--batch 2048, or --sequence 32768");
    row("--heads 8", "--heads: scheme mlp in phase training does not use it; allowed: --scheme attention or block, or "
                     "without --heads");
    row("--phase decode --recompute full --mesh tp=1 --ranks 4",
        "--recompute: scheme mlp in phase decode does not use it; allowed: --phase training --ranks 1, or --ranks 1 "
        "without --recompute");
}

void TestNearestAllowed::refusals()
{
    QFETCH(QString, message);
    QCOMPARE(refusal(optionsIn(QTest::currentDataTag())), message);
    for (const Changes &suggestion : suggestions(message))
        QCOMPARE(refusal(changedBy(optionsIn(QTest::currentDataTag()), suggestion)), QString());
}

void TestNearestAllowed::whatIsSuggestedIsAccepted_data()
{
    QTest::addColumn<Unused>("unused");
    QTest::newRow("one experiment: what is not used is refused") << Unused::Refuse;
    QTest::newRow("a point among others") << Unused::Allow;
}

void TestNearestAllowed::whatIsSuggestedIsAccepted()
{
    QFETCH(Unused, unused);
    QVERIFY(rc::check("typed in the same command line, whatever is suggested is accepted", [&] {
        const OptionValues given = anyOptions();
        const QString message = refusal(given, unused);
        if (message.isEmpty())
            return;
        RC_LOG() << message.toStdString();
        const auto allowed = suggestions(message);
        RC_ASSERT(!allowed.empty());
        for (const Changes &suggestion : allowed)
            RC_ASSERT(refusal(changedBy(given, suggestion), unused).toStdString() == "");
    }));
}

/// Fields may be set one by one, also such as the scheme or phase does not use.
void TestNearestAllowed::unusedOptionsChangeNothing()
{
    QVERIFY(rc::check("what is not used is neither refused nor planned", [] {
        const OptionValues valid = validOptions();
        const Experiment e = *readExperiment(valid, Unused::Allow);
        Experiment changed = e;
        for (const ExperimentOption &option : experimentOptions()) {
            if (!option.applies(e) && !option.values.empty())
                option.set(changed, *rc::gen::elementOf(option.values));
        }
        RC_ASSERT(!validate(changed));
        RC_ASSERT(withoutUnused(changed) == e);
        const Plan plan = buildPlan(changed);
        RC_ASSERT(plan.experiment == e);
        RC_ASSERT(!check(plan) || isBug(e.scheme));
    }));
}

QTEST_GUILESS_MAIN(TestNearestAllowed)
#include "tst_nearest_allowed.moc"

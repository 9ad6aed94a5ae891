// SPDX-License-Identifier: MIT
// What a refusal says is allowed is allowed.
#include "engine/plan/experiment_options.h"
#include "engine/plan/option_limits.h"
#include "engine/plan/violation.h"
#include "tests/plan/plan_experiments.h"

#include <QTest>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

using namespace shardscope;

namespace {

/// "--heads 8 or 20, or --ranks 2" as options to give instead; "library, ring" are words of the option refused. Empty
/// where a refusal names no values.
std::vector<OptionValues> suggestions(const QString &message)
{
    const QString tail = message.mid(message.lastIndexOf(QLatin1String("allowed: ")) + 9);
    std::vector<OptionValues> found;
    if (!tail.startsWith(QLatin1String("--"))) {
        const QString option = message.mid(2, message.indexOf(QLatin1Char(' ')) - 2);
        for (const QString &word : tail.split(QStringLiteral(", ")))
            found.push_back({{option.toStdString(), word.toStdString()}});
        return found;
    }
    for (QString clause : tail.split(QStringLiteral(", or "))) {
        const QStringList words = clause.split(QLatin1Char(' '));
        if (clause.count(QLatin1String("--")) > 1) { // several together
            found.push_back(optionsIn(clause.toStdString()));
            continue;
        }
        const std::string option = words.front().mid(2).toStdString();
        clause.remove(0, words.front().size() + 1);
        for (const QString &value : clause.split(QRegularExpression(QStringLiteral(" or |, "))))
            found.push_back({{option, value.toStdString()}});
    }
    return found;
}

OptionValues changedBy(OptionValues given, const OptionValues &suggestion)
{
    for (const auto &[option, value] : suggestion) {
        if (option == "ranks" || option == "mesh") {
            given.erase("ranks");
            given.erase("mesh");
        }
        given[option] = value;
    }
    return given;
}

QString refusal(const OptionValues &given)
{
    const auto e = readExperiment(given, Unused::Allow);
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
    if (*rc::gen::arbitrary<bool>())
        given["mesh"] = "tp=" + number(1, 4) + ",dp=" + number(1, 4) + ",pp=" + number(1, 4);
    else
        given["ranks"] = number(1, 16);
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

/// Follows what refusals suggest until nothing is refused; what it ends with, and how many rounds it took.
std::pair<OptionValues, int> followed(OptionValues given)
{
    int rounds = 0;
    for (QString message = refusal(given); !message.isEmpty() && rounds < 40; message = refusal(given), ++rounds) {
        const auto allowed = suggestions(message);
        RC_ASSERT(!allowed.empty());
        given = changedBy(given, *rc::gen::elementOf(allowed));
    }
    return {given, rounds};
}

} // namespace

class TestNearestAllowed : public QObject
{
    Q_OBJECT

private slots:
    void refusals_data();
    void refusals();
    void whatIsSuggestedLeadsToWhatIsAllowed();
    void oneWrongSizeIsMendedAtOnce();
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
        "allowed: --kv-heads 4, or --pair column-row or row-column or column-column");
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
        "and that is too much; allowed: --layers 8, or --micro-batches 8");
    row("--scheme column --ffn 1001 --algorithm halving-doubling",
        "--ffn 1001: 2 ranks cannot share f = 1001 evenly; allowed: --ffn 1000 or 1002, or --ranks 1");
    row("--scheme column --mesh tp=2,dp=3 --ffn 1000",
        "--mesh tp=2,dp=3: scheme column is tensor-parallel alone; allowed: --mesh tp=5");
    row("--scheme bug:all-reduce-columns --ranks 1 --ffn 9", "--scheme bug:all-reduce-columns: with one rank nothing "
                                                             "is summed, so the bug cannot show; allowed: --ranks 3");
    row("--scheme bug:unsharded-heads --hidden 7 --heads 7", // no single one helps
        "--heads 7: tp = 2 ranks cannot share it evenly; allowed: --hidden 1024 --heads 16 --kv-heads 16");
    row("--scheme bug:unreduced-kv --ranks 4 --kv-heads 16",
        "--scheme bug:unreduced-kv: with 16 KV heads on 4 ranks no head is shared, so the bug cannot show; allowed: "
        "--kv-heads 2");
    row("--scheme column --gather-output on --ranks 3 --ffn 9 --algorithm tree",
        "--algorithm tree: a tree adds and hands out, so it runs all_reduce only, and this layer needs an all_gather; "
        "allowed: library, ring, direct");
}

void TestNearestAllowed::refusals()
{
    QFETCH(QString, message);
    QCOMPARE(refusal(optionsIn(QTest::currentDataTag())), message);
    for (const OptionValues &suggestion : suggestions(message))
        QCOMPARE(refusal(changedBy(optionsIn(QTest::currentDataTag()), suggestion)), QString());
}

void TestNearestAllowed::whatIsSuggestedLeadsToWhatIsAllowed()
{
    QVERIFY(rc::check("whoever follows the suggestions arrives", [] {
        const auto [given, rounds] = followed(anyOptions());
        RC_LOG() << rounds << " rounds: " << refusal(given).toStdString();
        RC_ASSERT(refusal(given).isEmpty());
    }));
}

void TestNearestAllowed::oneWrongSizeIsMendedAtOnce()
{
    QVERIFY(rc::check("of a valid experiment with one wrong size, every suggestion is accepted", [] {
        const OptionValues valid = followed(anyOptions()).first;
        const Experiment e = *readExperiment(valid, Unused::Allow);
        OptionValues given = allOptions(e);
        given.erase("ranks"); // the mesh says it
        const std::string option =
            *rc::gen::element<std::string>("ffn", "heads", "kv-heads", "vocabulary", "layers", "sequence");
        RC_PRE(findOption(option)->applies(e));
        const std::int64_t now = std::stoll(given.at(option));
        given[option] = std::to_string(std::max<std::int64_t>(1, now + *rc::gen::inRange<std::int64_t>(-9, 10)));
        const QString message = refusal(given);
        if (message.isEmpty() || message.contains(QLatin1String("out of range")))
            return;
        RC_LOG() << message.toStdString();
        for (const OptionValues &suggestion : suggestions(message))
            RC_ASSERT(refusal(changedBy(given, suggestion)).toStdString() == "");
    }));
}

/// Fields may be set one by one, also such as the scheme or phase does not use.
void TestNearestAllowed::unusedOptionsChangeNothing()
{
    QVERIFY(rc::check("what is not used is neither refused nor planned", [] {
        const OptionValues valid = followed(anyOptions()).first;
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

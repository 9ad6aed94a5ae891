// SPDX-License-Identifier: MIT
// What a refusal of several experiments at once offers is accepted by all of them.
#include "engine/cli/arguments.h"
#include "engine/cli/points.h"
#include "tests/plan/plan_experiments.h"
#include "tests/plan/suggestions.h"

#include <QTest>
#include <rapidcheck.h>

#include <functional>

using namespace shardscope;
using namespace shardscope::cli;

namespace {

using Read = std::function<void(const OptionValues &)>;

QString refusal(const Read &read, const OptionValues &given)
{
    try {
        read(given);
        return {};
    } catch (const Failure &failure) {
        return QString::fromStdString(failure.line);
    }
}

Read schemes(const std::string &list)
{
    return [list](const OptionValues &given) { (void)readSchemes(list, given); };
}

const Read kGrid = [](const OptionValues &given) { (void)readGrid(given); };
const Read kPhases = [](const OptionValues &given) { (void)readPhases(given); };

std::string number(std::int64_t least, std::int64_t most)
{
    return std::to_string(*rc::gen::inRange<std::int64_t>(least, most + 1));
}

/// One value, or two.
std::string listOf(std::int64_t least, std::int64_t most)
{
    const std::string first = number(least, most);
    const std::string second = number(least, most);
    return first == second || *rc::gen::arbitrary<bool>() ? first : first + "," + second;
}

/// Every proposal, typed in the same command line, is accepted.
void checkSuggestions(const Read &read, const OptionValues &given)
{
    const QString message = refusal(read, given);
    if (message.isEmpty())
        return;
    RC_LOG() << message.toStdString();
    for (const Changes &suggestion : suggestions(message))
        RC_ASSERT(refusal(read, changedBy(given, suggestion)).toStdString() == "");
}

} // namespace

class TestCliAdvice : public QObject
{
    Q_OBJECT

private slots:
    void refusals_data();
    void refusals();
    void schemesTakeWhatIsOffered();
    void phasesTakeWhatIsOffered();
    void gridsTakeWhatIsOffered();
};

void TestCliAdvice::refusals_data()
{
    QTest::addColumn<QString>("list");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("allowed");
    const auto row = [](const char *list, const char *words, const char *allowed) {
        QTest::addRow("%s %s", list, words) << QString(list) << QString(words) << QString(allowed);
    };
    row("column,bug:naive-exercise", "", "--bias off");
    row("mlp,zero3", "--mesh tp=3 --ffn 1000", "--ffn 999 or 1002, or --mesh tp=2 or tp=4");
    row("mlp,zero3,pipeline", "--ranks 3 --hidden 1024", "--ranks 2 or 4");
    row("mlp,data-parallel", "--ranks 3 --hidden 768", "--batch 3 or 6");
    row("zero1,zero3", "--ranks 3 --micro-batches 2 --hidden 768", "--batch 3 or 6");
    row("mlp,zero3", "--heads 8", "without --heads");
    row("sweep", "--ranks 1,2,3 --ffn 1000", "--ffn 996 or 1002, or --ranks 1,2 or 1,2,4");
    row("sweep", "--ranks 2,3 --ffn 1000,1001", "--ffn 996 or 996,1002");
    row("sweep", "--scheme mlp --pair column-row,row-row --sequence-parallel off,keep",
        "--sequence-parallel off, or --pair column-row");
    row("sweep", "--scheme zero3,mlp --mesh tp=2;tp=3 --ffn 1000", "--ffn 996 or 1002, or --mesh tp=2 or 'tp=2;tp=4'");
}

void TestCliAdvice::refusals()
{
    QFETCH(QString, list);
    QFETCH(QString, words);
    QFETCH(QString, allowed);
    const Read read = list == QLatin1String("sweep") ? kGrid : schemes(list.toStdString());
    const QString message = refusal(read, optionsIn(words.toStdString()));
    QCOMPARE(message.mid(message.indexOf(QLatin1String("allowed: ")) + 9), allowed);
    for (const Changes &suggestion : suggestions(message))
        QCOMPARE(refusal(read, changedBy(optionsIn(words.toStdString()), suggestion)), QString());
}

void TestCliAdvice::schemesTakeWhatIsOffered()
{
    QVERIFY(rc::check("several schemes beside each other", [] {
        const std::string list = *rc::gen::element<std::string>(
            "mlp,zero3", "block,zero1,pipeline", "mlp,data-parallel,pipeline", "column,bug:naive-exercise",
            "attention,bug:unreduced-kv", "mlp,bug:nonlinearity-on-partial", "zero1,zero2,zero3");
        OptionValues given{{"ranks", number(1, 6)}, {"hidden", number(1, 200)}};
        if (*rc::gen::arbitrary<bool>())
            given["ffn"] = number(1, 400);
        if (*rc::gen::arbitrary<bool>())
            given["batch"] = number(1, 20);
        if (*rc::gen::arbitrary<bool>())
            given["micro-batches"] = number(1, 5);
        if (*rc::gen::inRange(0, 4) == 0)
            given["heads"] = number(1, 16);
        if (*rc::gen::inRange(0, 4) == 0)
            given["bias"] = "on";
        checkSuggestions(schemes(list), given);
    }));
}

void TestCliAdvice::phasesTakeWhatIsOffered()
{
    QVERIFY(rc::check("every phase of a layer", [] {
        OptionValues given{{"scheme", *rc::gen::elementOf(findOption("scheme")->values)}, {"ranks", number(1, 6)}};
        for (const char *option : {"pair", "sequence-parallel", "recompute", "overlap", "reduce-to", "bias"}) {
            if (*rc::gen::arbitrary<bool>())
                given[option] = *rc::gen::elementOf(findOption(option)->values);
        }
        given["hidden"] = number(1, 200);
        checkSuggestions(kPhases, given);
    }));
}

void TestCliAdvice::gridsTakeWhatIsOffered()
{
    QVERIFY(rc::check("every point of a grid", [] {
        OptionValues given{{"scheme", *rc::gen::element<std::string>("mlp", "mlp,zero3", "attention", "column,row")},
                           {"ranks", listOf(1, 6)},
                           {"hidden", listOf(1, 200)}};
        if (*rc::gen::arbitrary<bool>())
            given["ffn"] = listOf(1, 400);
        if (*rc::gen::inRange(0, 3) == 0)
            given["sequence-parallel"] = *rc::gen::element<std::string>("keep", "off,megatron");
        if (*rc::gen::inRange(0, 3) == 0)
            given["reduce-to"] = *rc::gen::element<std::string>("root", "all,root");
        if (*rc::gen::inRange(0, 3) == 0)
            given["algorithm"] = *rc::gen::element<std::string>("tree", "ring,halving-doubling");
        checkSuggestions(kGrid, given);
    }));
}

QTEST_GUILESS_MAIN(TestCliAdvice)
#include "tst_cli_advice.moc"

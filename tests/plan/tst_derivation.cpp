// SPDX-License-Identifier: MIT
// What is said about a step follows from the plan: the formulas give its bytes, and what needs a collective is named.
#include "engine/plan/derivation.h"
#include "engine/plan/sent_formula.h"
#include "tests/plan/plan_experiments.h"

#include <QStringList>
#include <QTest>
#include <algorithm>

using namespace shardscope;

namespace {

/// A factor as it is written: "3/4", "256", "4 B".
double factor(QString word)
{
    word.remove(QStringLiteral(" B"));
    const QStringList parts = word.split('/');
    return parts.size() == 2 ? parts[0].toDouble() / parts[1].toDouble() : parts[0].toDouble();
}

/// The value of "2 · 3/4 · (8 · 16 + 16) · 4 B": products, with at most one sum of products in brackets.
double valueOf(const QString &numbers)
{
    double value = 1;
    QString rest = numbers;
    const qsizetype open = numbers.indexOf('(');
    if (open >= 0) {
        const qsizetype close = numbers.indexOf(')');
        double sum = 0;
        for (const QString &product : numbers.mid(open + 1, close - open - 1).split(QStringLiteral(" + ")))
            sum += valueOf(product);
        value = sum;
        rest = numbers.left(open) + QLatin1Char('1') + numbers.mid(close + 1);
    }
    for (const QString &word : rest.split(QStringLiteral(" · ")))
        value *= factor(word);
    return value;
}

QStringList textsUnder(const Plan &plan, const Step &step, TextId caption)
{
    QStringList texts;
    for (const DerivationLine &line : derivation(plan, step)) {
        if (line.caption.id == caption)
            texts << QString::fromStdString(english(line.text));
    }
    return texts;
}

const Step &stepNamed(const Plan &plan, const char *label)
{
    const auto found = std::ranges::find(plan.steps, label, &Step::label);
    if (found == plan.steps.end())
        throw std::invalid_argument(label);
    return *found;
}

Plan planOf(const std::string &options)
{
    return buildPlan(experimentOf(optionsIn(options)));
}

} // namespace

class TestDerivation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyFormulaGivesThePlansBytes_data();
    void everyFormulaGivesThePlansBytes();
    void everyStepIsDerived_data() { everyFormulaGivesThePlansBytes_data(); }
    void everyStepIsDerived();
    void theSumOfAPairIsDerivedWithItsShapes();
    void aWeightGradientNeedsNothingUnlessRanksShareTheWeight();
    void ofSeveralAxesTheFormulaNamesItsOwn();
    void aBrokenRuleTakesThePlaceOfTheRule();
    void unevenChunksAreCounted();
};

void TestDerivation::everyFormulaGivesThePlansBytes_data()
{
    QTest::addColumn<QString>("options");
    for (const std::string &line : everyLargerScheme())
        QTest::newRow(line.c_str()) << QString::fromStdString(line);
    for (const char *algorithm : {"ring", "tree", "direct", "halving-doubling"})
        QTest::newRow(algorithm) << QStringLiteral("--scheme mlp --ranks 4 --algorithm ") + algorithm;
    QTest::newRow("bf16") << QStringLiteral("--scheme mlp --ranks 4 --dtype bf16");
}

/// The numbers written out are multiplied here, by no code of the engine.
void TestDerivation::everyFormulaGivesThePlansBytes()
{
    QFETCH(QString, options);
    const Plan plan = planOf(options.toStdString());
    for (const Step &step : plan.steps) {
        if (!step.collective)
            continue;
        const ByteFormula payload = payloadFormula(plan, step);
        const ByteFormula sent = sentFormula(plan, step);
        if (!payload.empty())
            QCOMPARE(valueOf(QString::fromStdString(payload.numbers)), double(step.collective->payloadBytes));
        if (!sent.empty())
            QCOMPARE(valueOf(QString::fromStdString(sent.numbers)), double(step.collective->sentBytesPerRank));
        const bool even = step.collective->elements % plan.groupSize(*step.collective) == 0;
        QVERIFY2(!even || !sent.empty(), step.label.c_str());
    }
}

void TestDerivation::everyStepIsDerived()
{
    QFETCH(QString, options);
    const Plan plan = planOf(options.toStdString());
    for (const Step &step : plan.steps) {
        QVERIFY(!textsUnder(plan, step, TextId::DerivedBefore).isEmpty());
        QVERIFY(!textsUnder(plan, step, TextId::DerivedAfter).isEmpty());
        if (!step.collective)
            continue;
        for (const TextId caption : {TextId::DerivedRule, TextId::DerivedNeed, TextId::DerivedPayload,
                                     TextId::DerivedWire, TextId::DerivedHops, TextId::DerivedSource})
            QVERIFY2(!textsUnder(plan, step, caption).isEmpty(), step.label.c_str());
        const qsizetype sent =
            textsUnder(plan, step, TextId::DerivedSent).size() + textsUnder(plan, step, TextId::DerivedSentMost).size();
        QCOMPARE(sent, 1);
    }
}

void TestDerivation::theSumOfAPairIsDerivedWithItsShapes()
{
    const Plan plan = planOf("--scheme mlp --ranks 4 --hidden 1024 --batch 4 --sequence 64 --algorithm ring");
    const Step &sum = stepNamed(plan, "AR Y");
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedBefore),
             QStringList{"Y [t, h] = [256, 1024], partial; a rank holds [256, 1024]"});
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedAfter),
             QStringList{"Y [t, h] = [256, 1024], replicated; a rank holds [256, 1024]"});
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedMaker), QStringList{"step 4, Y = H·W2"});
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedNeed), QStringList{"step 6, Y + b2, takes Y replicated"});
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedSent),
             QStringList{"2 (N−1)/N · b·s·h · 4 B = 2 · 3/4 · 256 · 1024 · 4 B = 1572864 B"});
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedHops), QStringList{"2 (N−1) = 6"});
}

void TestDerivation::aWeightGradientNeedsNothingUnlessRanksShareTheWeight()
{
    const Plan alone = planOf("--scheme mlp --ranks 4");
    const QStringList nothing = textsUnder(alone, stepNamed(alone, "dW1 = Xᵀ·dZ"), TextId::DerivedGradients);
    QVERIFY(nothing.front().startsWith("nothing to reduce: what a rank computes of dW1 is complete"));
    QCOMPARE(nothing.back(), "in this plan: none");

    const Plan heads = planOf("--scheme attention --ranks 4 --heads 8 --kv-heads 2 --hidden 64");
    const QStringList shared = textsUnder(heads, stepNamed(heads, "dWk = Xᵀ·dK"), TextId::DerivedGradients);
    QVERIFY2(shared.front().startsWith("dWk is an addend: step "), qPrintable(shared.front()));
    QVERIFY(shared.front().contains("AR dWk"));

    const Plan replicas = planOf("--scheme data-parallel --ranks 2");
    QVERIFY(textsUnder(replicas, stepNamed(replicas, "dW1 = Xᵀ·dZ"), TextId::DerivedGradients)
                .front()
                .startsWith("dW1 is an addend: step "));

    const Plan unreduced = planOf("--scheme bug:unreduced-kv --ranks 4 --heads 4 --kv-heads 2 --hidden 64");
    const auto left = std::ranges::find_if(unreduced.steps, [&](const Step &step) {
        return textsUnder(unreduced, step, TextId::DerivedGradients)
            .contains("dWk is an addend, and no step of the plan reduces it");
    });
    QVERIFY(left != unreduced.steps.end());
}

void TestDerivation::ofSeveralAxesTheFormulaNamesItsOwn()
{
    const Plan plan = planOf("--scheme mlp --mesh tp=2,dp=2 --hidden 64");
    QStringList formulas;
    for (const Step &step : plan.steps) {
        if (step.collective)
            formulas << QString::fromStdString(sentFormula(plan, step).symbols);
    }
    QVERIFY(formulas.contains("2 (tp−1)/tp · b·s·h · 4 B"));
    QVERIFY(std::ranges::any_of(formulas, [](const QString &f) { return f.startsWith("2 (dp−1)/dp"); }));
}

void TestDerivation::aBrokenRuleTakesThePlaceOfTheRule()
{
    const Plan plan = planOf("--scheme bug:all-reduce-columns --ranks 4");
    const Step &wrong = plan.steps[static_cast<std::size_t>(plan.brokenRules.front().step)];
    QVERIFY(textsUnder(plan, wrong, TextId::DerivedRule).isEmpty());
    QCOMPARE(textsUnder(plan, wrong, TextId::DerivedBrokenRule).size(), 1);
    QCOMPARE(textsUnder(plan, wrong, TextId::DerivedRemedy).size(), 1);
}

void TestDerivation::unevenChunksAreCounted()
{
    const Plan plan = planOf("--scheme row --ranks 4 --hidden 5 --ffn 8 --batch 1 --sequence 1 --phase prefill");
    const Step &sum = stepNamed(plan, "AR Y");
    QVERIFY(sentFormula(plan, sum).empty());
    QVERIFY(!ranksSendAlike(plan, *sum.collective));
    QCOMPARE(textsUnder(plan, sum, TextId::DerivedSentMost),
             QStringList{QString::number(sum.collective->sentBytesPerRank) + " B, counted element by element"});
}

QTEST_GUILESS_MAIN(TestDerivation)
#include "tst_derivation.moc"

// SPDX-License-Identifier: MIT
#include "engine/plan/algebra.h"

#include <QTest>

#include <array>
#include <numeric>
#include <vector>

using namespace shardscope;

namespace {

const Placement kWhole = Placement::replicated();
const Placement kRows = Placement::shard(0);
const Placement kColumns = Placement::shard(1);
const Placement kPartial = Placement::partial();
const std::array kAll{kWhole, kRows, kColumns, kPartial};

QString words(const Expected<Placement> &placement)
{
    return placement ? QString::fromStdString(describe(*placement))
                     : QString::fromUtf8(textName(placement.problem().id).data());
}

/// An integer matrix and what each of `kRanks` ranks holds of it: the algebra is held against real numbers.
constexpr int kRanks = 2;
constexpr int kSize = 4;
using Matrix = std::vector<std::vector<long>>;

/// Small numbers that look random.
Matrix filled(int rows, int columns, unsigned seed)
{
    Matrix m(static_cast<std::size_t>(rows), std::vector<long>(static_cast<std::size_t>(columns)));
    for (auto &row : m) {
        for (long &value : row) {
            seed = (seed * 1103515245U + 12345U) & 0x7fffU;
            value = static_cast<long>(seed % 19U) - 9;
        }
    }
    return m;
}

Matrix transposedMatrix(const Matrix &m)
{
    Matrix t(m[0].size(), std::vector<long>(m.size()));
    for (std::size_t i = 0; i < m.size(); ++i) {
        for (std::size_t j = 0; j < m[0].size(); ++j)
            t[j][i] = m[i][j];
    }
    return t;
}

Matrix product(const Matrix &a, const Matrix &b)
{
    Matrix c(a.size(), std::vector<long>(b[0].size(), 0));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b[0].size(); ++j) {
            for (std::size_t k = 0; k < b.size(); ++k)
                c[i][j] += a[i][k] * b[k][j];
        }
    }
    return c;
}

Matrix part(const Matrix &m, Placement p, int rank)
{
    if (p == kPartial) { // addends that differ: rank 0 holds m - 7, rank 1 holds 7
        Matrix addend = m;
        for (auto &row : addend) {
            for (long &value : row)
                value = rank == 0 ? value - 7 : 7;
        }
        return addend;
    }
    if (p == kWhole)
        return m;
    const Matrix byRows = p == kRows ? m : transposedMatrix(m);
    const auto half = static_cast<std::ptrdiff_t>(byRows.size()) / kRanks;
    const Matrix own(byRows.begin() + rank * half, byRows.begin() + (rank + 1) * half);
    return p == kRows ? own : transposedMatrix(own);
}

/// What the parts stand for, read as placement `p`.
Matrix joined(const std::array<Matrix, kRanks> &parts, Placement p)
{
    if (p == kWhole)
        return parts[0] == parts[1] ? parts[0] : Matrix{};
    if (p == kPartial) {
        Matrix sum = parts[0];
        for (std::size_t i = 0; i < sum.size(); ++i) {
            for (std::size_t j = 0; j < sum[0].size(); ++j)
                sum[i][j] += parts[1][i][j];
        }
        return sum;
    }
    const bool rows = p == kRows;
    Matrix all = rows ? parts[0] : transposedMatrix(parts[0]);
    const Matrix rest = rows ? parts[1] : transposedMatrix(parts[1]);
    all.insert(all.end(), rest.begin(), rest.end());
    return rows ? all : transposedMatrix(all);
}

} // namespace

class TestAlgebra : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void matMulTable_data();
    void matMulTable();
    void matMulHoldsInNumbers();
    void refusedProductsAreWrongInNumbers();
    void transposingSwapsRowsAndColumns();
    void biasTable();
    void addTable();
    void nonLinearTable();
    void sumRowsTable();
    void sliceTable();
    void collectiveTable();
    void reductionsMustMatch();
    void replicatedHeads();
    void normsNeedWholeRows();
    void attentionKeepsTokensTogether();
    void vocabularyCutByRowsOrColumns();
};

void TestAlgebra::matMulTable_data()
{
    QTest::addColumn<int>("a");
    QTest::addColumn<int>("b");
    QTest::addColumn<QString>("c");
    const char *table[4][4] = {
        // whole            rows                       columns                   partial
        {"replicated", "RuleInnerCutRightOnly", "shard columns", "RuleRightFactorPartial"},        // whole
        {"shard rows", "RuleInnerCutRightOnly", "RuleRowsTimesColumns", "RuleRightFactorPartial"}, // rows
        {"RuleInnerCutLeftOnly", "partial", "RuleInnerCutLeftOnly", "RuleRightFactorPartial"},     // columns
        {"partial", "RuleLeftFactorPartial", "RuleLeftFactorPartial", "RuleRightFactorPartial"},   // partial
    };
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b)
            QTest::addRow("%d x %d", a, b) << a << b << QString(table[a][b]);
    }
}

void TestAlgebra::matMulTable()
{
    QFETCH(int, a);
    QFETCH(int, b);
    QFETCH(QString, c);
    const Placement left = kAll[static_cast<std::size_t>(a)];
    const Placement right = kAll[static_cast<std::size_t>(b)];
    QCOMPARE(words(matMulPlacement(left, false, right, false)), c);
}

void TestAlgebra::matMulHoldsInNumbers()
{
    const Matrix a = filled(kSize, kSize, 1);
    const Matrix b = filled(kSize, kSize, 2);
    int allowed = 0;
    for (const Placement pa : kAll) {
        for (const Placement pb : kAll) {
            const auto pc = matMulPlacement(pa, false, pb, false);
            if (!pc)
                continue;
            ++allowed;
            const std::array parts{product(part(a, pa, 0), part(b, pb, 0)), product(part(a, pa, 1), part(b, pb, 1))};
            QVERIFY2(joined(parts, *pc) == product(a, b), qPrintable(words(pa) + " x " + words(pb)));
        }
    }
    QCOMPARE(allowed, 5);
}

void TestAlgebra::refusedProductsAreWrongInNumbers()
{
    // Rows times columns has fitting shapes, so a program would run it; no reading of the parts gives the product.
    const Matrix a = filled(kSize, kSize, 3);
    const Matrix b = filled(kSize, kSize, 4);
    for (const auto &[pa, pb] : {std::pair{kRows, kColumns}, {kPartial, kPartial}}) {
        const std::array parts{product(part(a, pa, 0), part(b, pb, 0)), product(part(a, pa, 1), part(b, pb, 1))};
        for (const Placement pc : kAll)
            QVERIFY(joined(parts, pc) != product(a, b));
    }
}

void TestAlgebra::transposingSwapsRowsAndColumns()
{
    const auto turned = [](Placement p) { return p == kRows ? kColumns : p == kColumns ? kRows : p; };
    for (const Placement a : kAll) {
        for (const Placement b : kAll) {
            const QString straight = words(matMulPlacement(a, false, b, false));
            QCOMPARE(words(matMulPlacement(turned(a), true, b, false)), straight);
            QCOMPARE(words(matMulPlacement(a, false, turned(b), true)), straight);
            QCOMPARE(words(matMulPlacement(turned(a), true, turned(b), true)), straight);
        }
    }
    // The weight gradients of tensor parallelism, which need no collective.
    QCOMPARE(words(matMulPlacement(kWhole, true, kColumns, false)), "shard columns"); // column-parallel
    QCOMPARE(words(matMulPlacement(kColumns, true, kWhole, false)), "shard rows");    // row-parallel
}

void TestAlgebra::biasTable()
{
    const Placement elements = Placement::shard(0);
    for (const Placement y : kAll) {
        for (const Placement bias : {kWhole, elements, kPartial}) {
            const bool allowed = (y == kWhole && bias == kWhole) || (y == kRows && bias == kWhole) ||
                                 (y == kColumns && bias == elements) || (y == kPartial && bias == kPartial);
            const auto result = addBiasPlacement(y, bias);
            QCOMPARE(result.ok(), allowed);
            if (allowed)
                QVERIFY(*result == y);
            else
                QCOMPARE(words(result), y == kPartial ? "RuleBiasOnPartial" : "RuleBiasCutDifferently");
        }
    }
}

void TestAlgebra::addTable()
{
    for (const Placement a : kAll) {
        for (const Placement b : kAll) {
            const QString expected = a == b                           ? words(a)
                                     : a == kPartial || b == kPartial ? QString("RuleAddToPartial")
                                                                      : QString("RuleOperandsCutDifferently");
            QCOMPARE(words(addPlacement(a, b)), expected);
        }
    }
}

void TestAlgebra::nonLinearTable()
{
    for (const Placement a : kAll) {
        QCOMPARE(words(nonLinearPlacement({a})), a == kPartial ? QString("RuleNonLinearOnPartial") : words(a));
        for (const Placement b : kAll) {
            const QString expected = a == kPartial   ? QString("RuleNonLinearOnPartial")
                                     : a == b        ? words(a)
                                     : b == kPartial ? QString("RuleNonLinearOnPartial")
                                                     : QString("RuleOperandsCutDifferently");
            QCOMPARE(words(nonLinearPlacement({a, b})), expected);
        }
    }
}

void TestAlgebra::sumRowsTable()
{
    QCOMPARE(words(sumRowsPlacement(kWhole)), "replicated");
    QCOMPARE(words(sumRowsPlacement(kRows)), "partial");
    QVERIFY(*sumRowsPlacement(kColumns) == Placement::shard(0)); // of a vector: its elements
    QCOMPARE(words(sumRowsPlacement(kPartial)), "partial");
}

void TestAlgebra::sliceTable()
{
    QCOMPARE(words(slicePlacement(kWhole, 0)), "shard rows");
    QCOMPARE(words(slicePlacement(kWhole, 1)), "shard columns");
    for (const Placement p : {kRows, kColumns, kPartial})
        QCOMPARE(words(slicePlacement(p, 1)), "RuleSliceNeedsWhole");
}

void TestAlgebra::collectiveTable()
{
    using Op = CollectiveOp;
    const auto placed = [](Op op, Placement p, int dim) {
        Collective collective;
        collective.op = op;
        collective.gatherDim = dim;
        return collectivePlacement(collective, p);
    };
    QCOMPARE(words(placed(Op::AllReduce, kPartial, 0)), "replicated");
    QCOMPARE(words(placed(Op::AllReduce, kColumns, 0)), "RuleAllReduceOnColumns");
    QCOMPARE(words(placed(Op::AllReduce, kRows, 0)), "RuleAllReduceOnRows");
    QCOMPARE(words(placed(Op::AllReduce, kWhole, 0)), "RuleAllReduceOnReplicated");
    for (const int dim : {0, 1}) {
        QVERIFY(*placed(Op::ReduceScatter, kPartial, dim) == Placement::shard(dim));
        QCOMPARE(words(placed(Op::AllGather, Placement::shard(dim), dim)), "replicated");
        QCOMPARE(words(placed(Op::AllGather, Placement::shard(dim), 1 - dim)), "RuleAllGatherOtherDimension");
        for (const Placement p : {kWhole, kPartial})
            QCOMPARE(words(placed(Op::AllGather, p, dim)), "RuleAllGatherNeedsShard");
        for (const Placement p : {kWhole, kRows, kColumns})
            QCOMPARE(words(placed(Op::ReduceScatter, p, dim)), "RuleReduceScatterNeedsPartial");
    }
    QCOMPARE(words(placed(Op::Reduce, kPartial, 0)), "root");
    QCOMPARE(words(placed(Op::Broadcast, Placement::root(), 0)), "replicated");
    for (const Placement p : {kWhole, kRows, kColumns}) {
        QCOMPARE(words(placed(Op::Reduce, p, 0)), "RuleReduceNeedsPartial");
        QCOMPARE(words(placed(Op::Broadcast, p, 0)), "RuleBroadcastNeedsRoot");
    }
    for (const Placement p : kAll) {
        QVERIFY(*placed(Op::SendRecv, p, 0) == p);
        for (const Op op : {Op::Gather, Op::AllToAll})
            QCOMPARE(words(placed(op, p, 0)), "RuleCollectiveWithoutPlacement");
    }
}

void TestAlgebra::reductionsMustMatch()
{
    Collective reduce;
    const Placement most = Placement::partial(ReduceOp::Max);
    QCOMPARE(words(collectivePlacement(reduce, most)), "RuleOtherReduction");
    reduce.reduce = ReduceOp::Max;
    QCOMPARE(words(collectivePlacement(reduce, most)), "replicated");
    QCOMPARE(words(collectivePlacement(reduce, kPartial)), "RuleOtherReduction");
    reduce = {};
    reduce.average = true;
    QCOMPARE(words(collectivePlacement(reduce, kPartial)), "RuleAverageOfAddends");
}

// Two ranks hold the same KV head. dK of a rank comes from its own query heads, so it is an addend of the head's.
void TestAlgebra::replicatedHeads()
{
    const Placement k = Placement::shard(1, 2);
    Placement dK = k;
    dK.addends = true;
    QVERIFY(*attentionPlacement(kColumns, k, k, false) == kColumns);
    const auto gradients = attentionGradientPlacements(kColumns, k, k);
    QVERIFY(gradients == (std::vector<Placement>{kColumns, dK, dK}));
    QVERIFY(attentionGradientPlacements(kColumns, kColumns, kColumns)[1] == kColumns);

    const Placement dW = *matMulPlacement(kWhole, true, dK, false); // Xᵀ·dK
    QVERIFY(dW.addends && dW.replicas == 2);
    // The input's gradient adds each addend once; a finished dK would count twice.
    QVERIFY(*matMulPlacement(dK, false, k, true) == kPartial);
    QCOMPARE(words(matMulPlacement(k, false, k, true)), "RuleReplicasCounted");
    QCOMPARE(words(matMulPlacement(dK, false, dK, true)), "RuleReplicasCounted");
    QCOMPARE(words(matMulPlacement(kColumns, false, k, true)), "RuleInnerCutDifferently");

    Collective among;
    among.replicas = 2;
    QVERIFY(*collectivePlacement(among, dK) == k);
    QCOMPARE(words(collectivePlacement(among, k)), "RuleReplicasNeedAddends");
    among.replicas = 4;
    QCOMPARE(words(collectivePlacement(among, dK)), "RuleReplicasNeedAddends");
    QCOMPARE(words(collectivePlacement({}, dK)), "RuleAllReduceOnColumns");
    QCOMPARE(words(nonLinearPlacement({dK})), "RuleNonLinearOnPartial");
    QVERIFY(*addBiasPlacement(k, Placement::shard(0, 2)) == k);
    QCOMPARE(words(addBiasPlacement(k, Placement::shard(0))), "RuleBiasCutDifferently");
}

void TestAlgebra::normsNeedWholeRows()
{
    QVERIFY(*rowWisePlacement(kWhole, {kWhole, kWhole}) == kWhole);
    QVERIFY(*rowWisePlacement(kRows, {kWhole}) == kRows);
    QCOMPARE(words(rowWisePlacement(kColumns, {kWhole})), "RuleRowCut");
    QCOMPARE(words(rowWisePlacement(kPartial, {kWhole})), "RuleNonLinearOnPartial");
    QCOMPARE(words(rowWisePlacement(kWhole, {kRows})), "RuleOperandsCutDifferently");
}

void TestAlgebra::attentionKeepsTokensTogether()
{
    QCOMPARE(words(attentionPlacement(kRows, kRows, kRows, false)), "RuleAttentionNeedsTokens");
    QVERIFY(*attentionPlacement(kRows, kRows, kRows, true) == kRows); // whole sequences, as replicas have them
    QVERIFY(*attentionPlacement(kWhole, kWhole, kWhole, false) == kWhole);
    QCOMPARE(words(attentionPlacement(kColumns, kWhole, kWhole, false)), "RuleOperandsCutDifferently");
    QCOMPARE(words(attentionPlacement(kPartial, kWhole, kWhole, false)), "RuleNonLinearOnPartial");
}

void TestAlgebra::vocabularyCutByRowsOrColumns()
{
    QVERIFY(*lookupPlacement(kWhole, kRows) == kPartial); // a rank knows its own ids only
    QVERIFY(*lookupPlacement(kWhole, kColumns) == kColumns);
    QVERIFY(*lookupPlacement(kRows, kWhole) == kRows);
    QCOMPARE(words(lookupPlacement(kRows, kRows)), "RuleOperandsCutDifferently");
    QVERIFY(*rowStatisticPlacement(kColumns, {}, ReduceOp::Max) == Placement::partial(ReduceOp::Max));
    QVERIFY(*rowStatisticPlacement(kColumns, {kWhole}, ReduceOp::Sum) == kPartial);
    QCOMPARE(words(rowStatisticPlacement(kColumns, {Placement::partial(ReduceOp::Max)}, ReduceOp::Sum)),
             "RuleNonLinearOnPartial"); // the maximum must be known first
    QVERIFY(*withRowStatisticsPlacement(kColumns, {kWhole, kWhole}) == kColumns);
}

QTEST_GUILESS_MAIN(TestAlgebra)
#include "tst_algebra.moc"

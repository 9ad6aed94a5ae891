// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/snap.h"

#include "engine/plan/experiment_options.h"

#include <QTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

Experiment anyWish()
{
    Experiment wish;
    wish.scheme = *rc::gen::element(Scheme::Column, Scheme::Row, Scheme::Mlp, Scheme::BugRowBiasEachRank,
                                    Scheme::BugAllReduceColumns);
    wish.phase = *rc::gen::element(Phase::Training, Phase::Prefill, Phase::Decode);
    wish.mesh.extents = {*rc::gen::inRange(1, 65), 1, 1};
    wish.hidden = *rc::gen::inRange<std::int64_t>(1, 20000);
    wish.ffn = *rc::gen::element<std::int64_t>(4, 1) * wish.hidden;
    wish.algorithm = *rc::gen::element(Algorithm::Library, Algorithm::Ring, Algorithm::Tree, Algorithm::Direct,
                                       Algorithm::HalvingDoubling);
    wish.bias = *rc::gen::arbitrary<bool>();
    wish.gatherOutput = *rc::gen::arbitrary<bool>();
    wish.inputParallel = *rc::gen::arbitrary<bool>();
    wish.inputGradient = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>())
        wish.delay = Delay{*rc::gen::inRange(0, 64), 5};
    return wish;
}

} // namespace

class TestSnap : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyWishBecomesAValidExperiment()
    {
        QVERIFY(rc::check("snap(wish) is valid", [] {
            const Snapped snapped = snap(anyWish());
            RC_ASSERT(snapped.valid);
            RC_ASSERT(!validate(snapped.experiment));
        }));
    }

    void aValidWishIsKeptSilently()
    {
        QVERIFY(rc::check("snap is idempotent", [] {
            const Snapped once = snap(anyWish());
            const Snapped twice = snap(once.experiment);
            RC_ASSERT(twice.experiment == once.experiment);
            RC_ASSERT(twice.hint.isEmpty());
        }));
    }

    void theHintSaysWhy()
    {
        Experiment wish;
        wish.mesh.extents = {64, 1, 1};
        wish.hidden = 1001;
        wish.ffn = 4004;
        const Snapped snapped = snap(wish);
        QCOMPARE(snapped.experiment.hidden, 1008);
        QCOMPARE(snapped.experiment.ffn, 4032);
        QCOMPARE(snapped.hint, QStringLiteral("f mod N = 4004 mod 64 = 36, so h was set to 1008"));
    }

    void aTypedInnerSizeSnapsItself()
    {
        Experiment wish;
        wish.mesh.extents = {4, 1, 1};
        wish.ffn = 1001;
        const Snapped snapped = snap(wish);
        QCOMPARE(snapped.experiment.ffn, 1000);
        QCOMPARE(snapped.experiment.hidden, 1024);
    }

    void aChoiceForAnotherPhaseIsKept()
    {
        Experiment wish;
        wish.inputGradient = false;
        wish.phase = Phase::Prefill;
        QVERIFY2(!snap(wish).experiment.inputGradient, "training is shown beside prefill, and uses it");
        wish.gatherOutput = true;
        QVERIFY2(!snap(wish).experiment.gatherOutput, "no phase of this scheme uses it");
    }

    void halvingDoublingOnThreeRanksGoesToTheLibrary()
    {
        Experiment wish;
        wish.mesh.extents = {3, 1, 1};
        wish.hidden = 768;
        wish.ffn = 3072;
        wish.algorithm = Algorithm::HalvingDoubling;
        const Snapped snapped = snap(wish);
        QVERIFY(snapped.experiment.algorithm == Algorithm::Library);
        QVERIFY2(snapped.hint.contains(QStringLiteral("power of two")), qPrintable(snapped.hint));
    }
};

QTEST_GUILESS_MAIN(TestSnap)
#include "tst_snap.moc"

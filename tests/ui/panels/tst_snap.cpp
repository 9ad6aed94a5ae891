// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/snap.h"

#include "engine/plan/experiment_options.h"
#include "ui/panels/derived_values.h"

#include <QTest>
#include <rapidcheck.h>

using namespace shardscope;

namespace {

constexpr int kSchemes = static_cast<int>(Scheme::BugNaiveExercise) + 1;

template <typename Enum>
Enum anyOf(Enum last)
{
    return static_cast<Enum>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}

/// Every option at any value, whether they go together or not.
Experiment anyWish()
{
    Experiment wish;
    wish.scheme = static_cast<Scheme>(*rc::gen::inRange(0, kSchemes));
    wish.phase = anyOf(Phase::Decode);
    wish.mesh = meshAlong(ownAxis(wish.scheme), *rc::gen::inRange(1, 65));
    if (*rc::gen::arbitrary<bool>())
        wish.mesh.extents = {*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 5)};
    wish.hidden = *rc::gen::inRange<std::int64_t>(1, 4000);
    wish.ffn = *rc::gen::element<std::int64_t>(4, 1) * wish.hidden;
    wish.heads = *rc::gen::inRange<std::int64_t>(1, 70);
    wish.kvHeads = *rc::gen::inRange<std::int64_t>(1, 70);
    wish.vocabulary = *rc::gen::inRange<std::int64_t>(1, 5000);
    wish.sequence = *rc::gen::inRange<std::int64_t>(1, 100);
    wish.layers = *rc::gen::inRange<std::int64_t>(1, 65);
    wish.mlp = anyOf(MlpKind::Swiglu);
    wish.pair = anyOf(Pair::ColumnColumn);
    wish.layer = *rc::gen::element(Layer::Mlp, Layer::Block);
    wish.sequenceParallel = anyOf(SequenceParallel::Keep);
    wish.recompute = anyOf(Recompute::Full);
    wish.reduceTo = anyOf(ReduceTo::Root);
    wish.schedule = anyOf(Schedule::GPipe);
    wish.weightDtype = anyOf(WeightDType::Int8);
    wish.zero = *rc::gen::inRange(0, 4);
    wish.microBatches = *rc::gen::inRange(1, 65);
    wish.algorithm = anyOf(Algorithm::HalvingDoubling);
    for (bool Experiment::*flag : {&Experiment::bias, &Experiment::gatherOutput, &Experiment::inputParallel,
                                   &Experiment::inputGradient, &Experiment::parallelBlock, &Experiment::overlap})
        wish.*flag = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>())
        wish.delay = Delay{*rc::gen::inRange(0, 64), 5};
    return wish;
}

/// What a click on the panel does: one option gets another value.
Experiment clicked(const Experiment &shown)
{
    const Experiment other = anyWish();
    if (*rc::gen::inRange(0, 4) == 0)
        return withScheme(shown, other.scheme);
    const auto &options = experimentOptions();
    const ExperimentOption &option =
        options[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(options.size())))];
    Experiment wanted = shown;
    if (option.name == "scheme")
        return withScheme(shown, other.scheme);
    if (option.name == "ranks")
        wanted.mesh = meshWithRanks(shown, other.ranks());
    else
        option.set(wanted, option.get(other));
    return wanted;
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
            if (!snapped.valid)
                RC_FAIL(snapped.hint.toStdString() + " of " + commandLine(snapped.experiment));
            RC_ASSERT(!validate(inItsPhase(snapped.experiment)));
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

    void anySequenceOfClicksStaysValid()
    {
        QVERIFY(rc::check("clicks lead from valid to valid", [] {
            Experiment shown;
            for (int click = 0; click < 6; ++click) {
                const Experiment wanted = followDefaults(shown, clicked(shown));
                const Snapped snapped = snap(wanted);
                RC_ASSERT(snapped.valid);
                RC_ASSERT(!validate(inItsPhase(snapped.experiment)));
                shown = snapped.experiment;
            }
        }));
    }

    /// The window's derived values are those of the command line.
    void derivedValuesAreTheDefaultsOfTheCommandLine()
    {
        for (int i = 0; i < kSchemes; ++i) {
            const auto scheme = static_cast<Scheme>(i);
            OptionValues given{{"scheme", std::string(name(scheme))}, {"hidden", "512"}, {"sequence", "32"}};
            if (scheme == Scheme::BugUnreducedKv)
                given.insert({"kv-heads", "1"});
            const Expected<Experiment> read = readExperiment(given, Unused::Allow);
            QVERIFY2(read, name(scheme).data());
            Experiment expected = withDerivedDefaults(*read);
            if (scheme == Scheme::BugUnreducedKv)
                expected.kvHeads = 1;
            QVERIFY2(expected == *read, name(scheme).data());
        }
    }

    void ranksMoveToTheAxisOfTheScheme()
    {
        Experiment wish;
        wish.mesh = Mesh{{4, 1, 1}};
        QVERIFY(withScheme(wish, Scheme::Zero3).mesh == (Mesh{{1, 4, 1}}));
        QVERIFY(withScheme(wish, Scheme::Pipeline).mesh == (Mesh{{1, 1, 4}}));
        wish.mesh = Mesh{{2, 2, 1}};
        QVERIFY2(withScheme(wish, Scheme::Block).mesh == wish.mesh, "both know meshes");
        QVERIFY(withScheme(wish, Scheme::Column).mesh == (Mesh{{4, 1, 1}}));
    }

    void layersFollowTheStages()
    {
        const Experiment before;
        Experiment wanted = withScheme(before, Scheme::Pipeline);
        wanted.mesh = Mesh{{1, 1, 4}};
        QCOMPARE(followDefaults(before, wanted).layers, 4);
        Experiment own = before;
        own.layers = 3;
        wanted.layers = 3;
        QCOMPARE(followDefaults(own, wanted).layers, 3);
        const Snapped snapped = snap(wanted);
        QCOMPARE(snapped.experiment.layers, 4);
        QVERIFY2(snapped.hint.contains(QStringLiteral("stages")), qPrintable(snapped.hint));
    }

    void whatDoesNotGoTogetherSaysWhy()
    {
        Experiment shown;
        shown.scheme = Scheme::Mlp;
        QVERIFY(whyNot(shown, "recompute", "full").isEmpty());
        QVERIFY(whyNot(shown, "recompute", "selective").contains(QStringLiteral("core attention")));
        shown.pair = Pair::RowRow;
        QVERIFY(whyNot(shown, "sequence-parallel", "keep").contains(QStringLiteral("column-row")));
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

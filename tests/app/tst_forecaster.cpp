// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/forecaster.h"

#include <QTest>

using namespace shardscope;

namespace {

constexpr int kCores = 2;

Experiment withRanks(int ranks)
{
    Experiment experiment;
    experiment.mesh.extents = {ranks, 1, 1};
    return experiment;
}

/// A forecaster, and for how many ranks it answered, in order.
struct Setup {
    Setup()
    {
        QObject::connect(&forecaster, &Forecaster::answered, [this](const Forecast &forecast) {
            answers.push_back(forecast.experiment.ranks());
            last = forecast;
        });
    }
    Forecaster forecaster;
    std::vector<int> answers;
    Forecast last;
};

} // namespace

class TestForecaster : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void itAnswersLaterAndWhole()
    {
        Setup setup;
        setup.forecaster.ask(Predictor(), withRanks(4), kCores);
        QVERIFY2(setup.answers.empty(), "whoever asks is not kept waiting");
        QTRY_COMPARE(setup.answers.size(), 1u);
        QCOMPARE(setup.last.results.predicted.size(), 3u);
        QCOMPARE(setup.last.results.predicted.at(Phase::Training)->experiment().ranks(), 4);
        QCOMPARE(setup.last.results.predictedOne->experiment().ranks(), 1);
        QCOMPARE(setup.last.stepSeconds.size(), 3u);
        QVERIFY(setup.last.stepSeconds.at(Phase::Training) > setup.last.stepSeconds.at(Phase::Decode));
        QVERIFY(setup.last.oneRankStepSeconds > 0);
    }

    void onlyTheNewestQuestionIsAnswered()
    {
        Setup setup;
        for (const int ranks : {2, 64, 8, 64, 4})
            setup.forecaster.ask(Predictor(), withRanks(ranks), kCores);
        QTRY_COMPARE(setup.answers, std::vector<int>({4}));
        QTest::qWait(50);
        QCOMPARE(setup.answers, std::vector<int>({4}));
    }

    void aQuestionDuringTheWorkReplacesIt()
    {
        Setup setup;
        // The worker is busy with 64 ranks when the next question comes: that answer is nobody's any more.
        for (int turn = 0; turn < 20; ++turn) {
            setup.answers.clear();
            setup.forecaster.ask(Predictor(), withRanks(64), kCores);
            QCoreApplication::processEvents();
            setup.forecaster.ask(Predictor(), withRanks(8), kCores);
            const std::size_t before = setup.answers.size();
            QTRY_COMPARE(setup.answers.size(), before + 1);
            QCOMPARE(setup.answers.back(), 8);
        }
    }

    void whatIsForgottenIsNotAnswered()
    {
        Setup setup;
        setup.forecaster.ask(Predictor(), withRanks(64), kCores);
        QCoreApplication::processEvents();
        setup.forecaster.forget();
        QTest::qWait(200);
        QVERIFY(setup.answers.empty());
    }

    void itCanGoWhileItWorks()
    {
        auto setup = std::make_unique<Setup>();
        setup->forecaster.ask(Predictor(), withRanks(64), kCores);
        QCoreApplication::processEvents();
        setup.reset();
        QCoreApplication::processEvents();
    }
};

QTEST_GUILESS_MAIN(TestForecaster)
#include "tst_forecaster.moc"

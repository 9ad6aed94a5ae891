// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/golden_picture.h"
#include "tests/ui/timeline/sample_run.h"
#include "ui/charts/comparison_data.h"
#include "ui/charts/comparison_painter.h"

#include <QPainter>

using namespace shardscope;

namespace {

constexpr Phase kPhases[] = {Phase::Training, Phase::Prefill, Phase::Decode};

/// Runs that outlive the frame which points at them.
struct Runs {
    std::map<Phase, Run> predicted;
    std::map<Phase, Run> measured;
    Run one = sampleRun({Phase::Training, 1});

    mutable Theme m_sheet;

    Runs()
    {
        for (const Phase phase : kPhases) {
            predicted[phase] = sampleRun({phase, 4, 0, 1, Source::Predicted, true, 0.8});
            measured[phase] = sampleRun({phase, 4});
        }
    }
    [[nodiscard]] ComparisonFrame frame(const Theme &theme, bool withMeasured = true) const
    {
        ComparisonFrame frame;
        for (const Phase phase : kPhases) {
            frame.predicted[phase] = &predicted.at(phase);
            if (withMeasured)
                frame.measured[phase] = &measured.at(phase);
        }
        // As exports use it: the ground is the surface.
        m_sheet = theme;
        m_sheet.background = m_sheet.surface;
        frame.theme = &m_sheet;
        frame.oneRank = withMeasured ? &one : nullptr;
        return frame;
    }
};

QImage picture(const ComparisonFrame &frame, QSize size)
{
    return paintPicture(size, [&](QPainter &painter) { paintComparison(painter, QRectF({}, QSizeF(size)), frame); });
}

} // namespace

class TestComparisonPictures : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void otherWorkOnOneRankIsNotCompared()
    {
        Run half = m_runs.one;
        half.plan.experiment.batch /= 2;
        ComparisonFrame frame = m_runs.frame(Theme::light());
        frame.oneRank = &half;
        const ComparisonData data = comparisonData(frame);
        QCOMPARE(data.groups.size(), std::size_t(4));
        QVERIFY(data.speedup.isEmpty());
    }
    void cardLight() { SHARDSCOPE_COMPARE_GOLDEN(picture(m_runs.frame(Theme::light()), {430, 960}), "card-light"); }
    void cardDark() { SHARDSCOPE_COMPARE_GOLDEN(picture(m_runs.frame(Theme::dark()), {430, 960}), "card-dark"); }
    void cardPredictedPerToken()
    {
        ComparisonFrame frame = m_runs.frame(Theme::light(), false);
        frame.perToken = true;
        SHARDSCOPE_COMPARE_GOLDEN(picture(frame, {430, 760}), "card-predicted-per-token");
    }
    void cardStale()
    {
        ComparisonFrame frame = m_runs.frame(Theme::light());
        frame.stale = true;
        SHARDSCOPE_COMPARE_GOLDEN(picture(frame, {380, 900}), "card-stale");
    }
    void slide()
    {
        ComparisonFrame frame = m_runs.frame(Theme::projector());
        frame.unit = 1.5;
        SHARDSCOPE_COMPARE_GOLDEN(picture(frame, {1920, 1080}), "slide");
    }
    void slideWithoutOneRank()
    {
        ComparisonFrame frame = m_runs.frame(Theme::dark());
        frame.unit = 1.5;
        frame.oneRank = nullptr;
        SHARDSCOPE_COMPARE_GOLDEN(picture(frame, {1920, 1080}), "slide-dark");
    }

    void slideWithLargeLetters()
    {
        ComparisonFrame frame = m_runs.frame(Theme::light());
        frame.unit = 2;
        SHARDSCOPE_COMPARE_GOLDEN(picture(frame, {1280, 660}), "slide-large-letters");
    }
    void halfASlide()
    {
        ComparisonFrame frame = m_runs.frame(Theme::light());
        frame.unit = 1.06;
        SHARDSCOPE_COMPARE_GOLDEN(picture(frame, {960, 1020}), "slide-half");
    }

private:
    Runs m_runs;
};

QTEST_MAIN(TestComparisonPictures)
#include "tst_comparison_pictures.moc"

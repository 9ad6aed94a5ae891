// SPDX-License-Identifier: MIT
// What a pipeline's step says of waiting for other stages, of work beside the chain through the stages, of padding.
#include "engine/record/comparison.h"
#include "tests/record/record_fixtures.h"

#include <QTest>

using namespace shardscope;
using namespace shardscope::test;

namespace {

constexpr std::int64_t kUnit = 100'000; ///< forward of a micro-batch; its backward takes two

OptionValues twoStages(int microBatches)
{
    OptionValues options = layer("pipeline", "training", 2);
    options["micro-batches"] = std::to_string(microBatches);
    options["hidden"] = "64";
    return options;
}

/// The spans of one stage, one after the other from `startNs` on.
class Stage
{
public:
    Stage(Run &run, int rank) : m_run(run), m_rank(rank) {}

    /// The first step of the plan from the last one on that `fits`, until `endNs`.
    template <typename Fits>
    void add(Fits fits, std::int64_t endNs)
    {
        for (const Step &step : m_run.plan.steps) {
            if (step.id <= m_last || !m_run.plan.runs(step, m_rank) || !fits(step))
                continue;
            m_last = step.id;
            m_run.append(spanOf(step, m_rank, 0, m_now, endNs - m_now));
            m_now = endNs;
            return;
        }
        qFatal("no such step");
    }
    void end() { m_run.append(IterationEvent{m_rank, 0, false, 0, m_now}); }

private:
    Run &m_run;
    int m_rank;
    int m_last = -1;
    std::int64_t m_now = 0;
};

bool isCompute(const Step &step)
{
    return !step.collective;
}
bool isMessage(const Step &step)
{
    return step.collective.has_value();
}

bool has(const std::vector<Text> &texts, TextId id)
{
    return std::ranges::any_of(texts, [id](const Text &text) { return text.id == id; });
}

} // namespace

class TestPipelineTimes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The receiver waits until the sender begins; what comes after that is the message.
    void waitingForAStageIsNotSending()
    {
        Run run = makeRun(twoStages(1));
        Stage first(run, 0);
        Stage second(run, 1);
        first.add(isCompute, 100'000);  // computes
        first.add(isMessage, 101'000);  // starts to send Y.1
        second.add(isMessage, 110'000); // waited for 100 us, and the message took 10
        second.add(isCompute, 400'000);
        second.add(isMessage, 402'000); // starts to send dY.1
        first.add(isMessage, 420'000);  // computed for 101 us, waits until 400
        first.add(isCompute, 600'000);
        first.end();
        second.end();
        const RunSummary summary = summarize(run);
        QVERIFY(summary.pipeline.has_value());
        // The first stage communicates longest, for 1 us and 319 us, of which 299 pass before the second one sends.
        QCOMPARE(*summary.step.communicationNs, 320'000.0);
        QCOMPARE(summary.pipeline->stageWaitNs, 299'000.0);
        const std::vector<Text> findings = pipelineFindings(summary, run.experiment());
        QVERIFY(has(findings, TextId::FindingBubbleOne) && has(findings, TextId::FindingStageWait));
        const auto wait = std::ranges::find(findings, TextId::FindingStageWait, &Text::id);
        QCOMPARE(wait->args, (std::vector<std::string>{"53 %", "50 %", "3.5 %"}));
        QCOMPARE(bubbleFinding(summary, run.experiment())->args[2], std::string("50 %"));
    }

    /// Gradients of weights that are added up after the gradient went on fill the bubble.
    void workBesideTheChainMakesTheBubbleSmaller()
    {
        Run run = makeRun(twoStages(4));
        int handedOn = 0;
        for (const Step &step : run.plan.steps)
            handedOn += step.collective && step.pass == Pass::Backward && step.stage == 1 ? 1 : 0;
        QCOMPARE(handedOn, 4);
        addIterations(run, 2, [](const Step &step, int, int) { return step.collective ? 10 : kUnit; });
        const RunSummary summary = summarize(run);
        std::int64_t chain = 0;
        std::int64_t beside = 0;
        int sent = -1;
        for (const Step &step : run.plan.steps) {
            if (step.collective && step.pass == Pass::Backward)
                sent = step.microBatch;
            if (step.collective || step.stage != 1)
                continue;
            const bool after = step.pass == Pass::Backward && step.microBatch == sent;
            (after ? beside : chain) += kUnit;
        }
        QVERIFY(beside > 0);
        QCOMPARE(summary.pipeline->besideNs, static_cast<double>(beside));
        QCOMPARE(summary.pipeline->chainNs, static_cast<double>(chain) / 4);
        QVERIFY(summary.pipeline->expectedBubble < 0.2); // (p-1)/(m+p-1) = 1/5
    }

    /// Padding pads nothing where the work takes longer.
    void paddingThatIsTooShort()
    {
        OptionValues options = twoStages(2);
        options["stage-delay"] = "1:2";
        const auto padded = [&](std::int64_t forwardNs) {
            Run run = makeRun(options);
            int before = 0; // steps of a forward before its padding
            for (const Step &step : run.plan.steps)
                before += isCompute(step) && step.kind != StepKind::Pad && step.pass == Pass::Forward &&
                                  step.stage == 0 && step.microBatch == 0
                              ? 1
                              : 0;
            addIterations(run, 2, [=](const Step &step, int, int) {
                return step.pass == Pass::Forward && isCompute(step) ? forwardNs / before : std::int64_t{10};
            });
            return summarize(run);
        };
        const RunSummary shortOne = padded(3'000'000);
        QVERIFY(shortOne.pipeline->forward && shortOne.pipeline->backward);
        QCOMPARE(shortOne.pipeline->forward->tooShort, shortOne.pipeline->forward->paddings);
        QCOMPARE(shortOne.pipeline->forward->paddings, 8); // 2 stages, 2 micro-batches, 2 steps
        QVERIFY(shortOne.pipeline->backward->covers());
        const std::vector<Text> said = paddingFindings(shortOne);
        QCOMPARE(said.size(), 1U);
        QCOMPARE(said.front().id, TextId::PaddingForwardShort);
        QCOMPARE(said.front().args[1], std::string("1 ms"));
        QVERIFY(paddingFindings(padded(900'000)).empty());
        QVERIFY(paddingFindings(summarize(makeRun(layer("mlp", "training", 2)))).empty());
    }
};

QTEST_APPLESS_MAIN(TestPipelineTimes)
#include "tst_pipeline_times.moc"

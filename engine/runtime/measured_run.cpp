// SPDX-License-Identifier: MIT
#include "engine/runtime/measured_run.h"

#include "engine/plan/traffic.h"
#include "engine/runtime/baseline.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/libraries.h"
#include "engine/runtime/median.h"
#include "engine/runtime/reference_check.h"
#include "engine/runtime/started_ranks.h"
#include "engine/runtime/weights.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace shardscope {

namespace {

constexpr int kLeastSteps = 3;
constexpr int kBaselineRepetitions = 7;
/// Share of the budget that baselines may use beside the timed steps.
constexpr double kBaselineShare = 0.2;

/// One experiment on one rank.
class MeasuredRun
{
public:
    MeasuredRun(const Experiment &experiment, double budgetSeconds, RankSession &session)
        : m_plan(buildPlan(experiment, session.device().transport())), m_budgetSeconds(budgetSeconds),
          m_session(session), m_source(experiment.seed), m_executor(m_plan, session.groups)
    {
    }

    /// Exit code 0, 3 when a check failed, 130 when cancelled.
    int run();

private:
    void makeValues();
    bool check();
    bool iterate(int iteration, bool warmup);
    [[nodiscard]] bool iterations();
    [[nodiscard]] int fitting(double seconds, int least, int most) const;
    [[nodiscard]] int affordableSteps() const;
    void tellChoices();
    void baselines();
    void baseline(const Step &step, int repetitions, std::vector<BaselineEvent> &done);
    void memory();
    void delay();
    [[nodiscard]] const Experiment &experiment() const { return m_plan.experiment; }

    Plan m_plan;
    double m_budgetSeconds;
    RankSession &m_session;
    ValueSource m_source;
    NamedTensors m_values;
    Executor m_executor;
    std::int64_t m_lastIterationNs = 0;
    std::vector<std::int64_t> m_stepNs; ///< of timed iterations
    std::vector<std::int64_t> m_orderedNs;
};

NamedTensors generateAll(const Plan &plan, const ValueSource &source, const RankSession &session,
                         const NamedTensors &known)
{
    NamedTensors values;
    const int rank = session.world().rank();
    for (const Tensor &tensor : plan.tensors) {
        if (!tensor.generated || !holds(tensor, plan.mesh(), rank))
            continue;
        const bool parameter = tensor.role == TensorRole::Weight || tensor.role == TensorRole::Bias;
        const auto found = known.find(tensor.name);
        values[tensor.name] =
            parameter && found != known.end()
                ? found->second
                : generate(tensor, localRegion(tensor, plan.mesh(), rank), source).to(session.device().torch());
    }
    return values;
}

int MeasuredRun::run()
{
    m_session.setOrigin();
    makeValues();
    if (m_session.cancelled())
        return kCancelled;
    const bool passed = check();
    m_values.clear(); // the executor has them
    if (!iterations())
        return kCancelled;
    if (m_session.first())
        for (Text &remark : m_session.device().closingRemarks(medianOf(m_orderedNs), medianOf(m_stepNs)))
            m_session.say(std::move(remark));
    tellChoices();
    baselines();
    memory();
    return passed ? 0 : 3;
}

void MeasuredRun::makeValues()
{
    m_session.progress(TextId::ProgressValues);
    m_values = generateAll(m_plan, m_source, m_session, {});
    m_executor.setInputs(m_values);
}

bool MeasuredRun::check()
{
    m_session.progress(TextId::ProgressCheck);
    const Plan plan = buildPlan(checkedExperiment(experiment()), m_session.device().transport());
    Executor executor(plan, m_session.groups);
    executor.setInputs(generateAll(plan, m_source, m_session, m_values));
    Trace unrecorded;
    executor.run(unrecorded);
    const auto checks = checkResults(plan, executor, m_source, m_session.world());
    if (m_session.first())
        for (const CheckEvent &event : checks)
            m_session.events.add(event);
    m_session.events.flush();
    return std::all_of(checks.begin(), checks.end(), [](const CheckEvent &event) { return event.passed; });
}

bool MeasuredRun::iterations()
{
    for (int i = 0; i < experiment().warmup; ++i) {
        m_session.progress(TextId::ProgressWarmup, {std::to_string(i + 1), std::to_string(experiment().warmup)});
        if (!iterate(i, true))
            return false;
    }
    int steps = experiment().warmup > 0 ? affordableSteps() : experiment().steps;
    for (int i = 0; i < steps; ++i) {
        m_session.progress(TextId::ProgressStep, {std::to_string(i + 1), std::to_string(steps)}, double(i) / steps);
        if (!iterate(experiment().warmup + i, false))
            return false;
        if (i == 0 && experiment().warmup == 0)
            steps = affordableSteps();
    }
    return true;
}

/// How often something that takes as long as the last iteration fits `seconds`; the same on every rank.
int MeasuredRun::fitting(double seconds, int least, int most) const
{
    const std::int64_t slowest = std::max<std::int64_t>(1, maximumOverRanks(m_session.world(), m_lastIterationNs));
    const double count = seconds * 1e9 / double(slowest);
    return count >= most ? most : std::max(std::min(least, most), int(count));
}

int MeasuredRun::affordableSteps() const
{
    return m_budgetSeconds > 0 ? fitting(m_budgetSeconds, kLeastSteps, experiment().steps) : experiment().steps;
}

/// False when cancelled instead.
bool MeasuredRun::iterate(int iteration, bool warmup)
{
    if (m_session.cancelled())
        return false;
    const int rank = m_session.world().rank();
    Trace trace;
    trace.rank = rank;
    trace.iteration = iteration;
    trace.warmup = warmup;
    trace.spans.reserve(m_plan.steps.size());
    m_session.world().barrier();
    m_executor.run(trace, [this] { delay(); });
    for (SpanEvent &span : trace.spans)
        m_session.events.add(std::move(span));
    for (const HopEvent &hop : trace.hops)
        m_session.events.add(hop);
    m_session.events.add(IterationEvent{rank, iteration, warmup, trace.startNs, trace.endNs});
    m_session.publish();
    m_lastIterationNs = trace.endNs - trace.startNs;
    if (!warmup) {
        m_stepNs.push_back(m_lastIterationNs);
        m_orderedNs.push_back(trace.orderedNs);
    }
    return true;
}

/// Steps whose algorithm is the library's, as far as it has told.
void MeasuredRun::tellChoices()
{
    if (!m_session.first())
        return;
    const std::vector<LibraryChoice> choices = m_session.device().libraryChoices();
    for (const Step &step : m_plan.steps) {
        if (!step.collective || step.collective->algorithm != Algorithm::Library)
            continue;
        const Collective &collective = *step.collective;
        const bool byParts = collective.op == CollectiveOp::AllGather || collective.op == CollectiveOp::ReduceScatter;
        const std::int64_t called = collective.payloadBytes / (byParts ? m_plan.groupSize(collective) : 1);
        const auto choice = std::ranges::find_if(
            choices, [&](const LibraryChoice &each) { return each.op == collective.op && each.bytes == called; });
        if (choice != choices.end())
            m_session.events.add(CarriedEvent{step.id, choice->algorithm, choice->protocol});
    }
}

void MeasuredRun::delay()
{
    const auto &late = experiment().delay;
    if (late && late->rank == m_session.world().rank())
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(late->milliseconds));
}

/// Collectives of one size cost the same wherever they stand: each is measured once and reported for every step.
void MeasuredRun::baselines()
{
    const bool communicates = std::any_of(m_plan.steps.begin(), m_plan.steps.end(),
                                          [](const Step &step) { return step.collective.has_value(); });
    if (!communicates)
        return;
    m_session.progress(TextId::ProgressBaseline);
    const int repetitions = m_budgetSeconds > 0
                                ? fitting(kBaselineShare * m_budgetSeconds, kLeastSteps, kBaselineRepetitions)
                                : kBaselineRepetitions;
    std::vector<BaselineEvent> done;
    for (const Step &step : m_plan.steps)
        if (step.collective)
            baseline(step, repetitions, done);
    if (m_session.first())
        for (const BaselineEvent &event : done)
            m_session.events.add(event);
    m_session.events.flush();
}

/// Ranks of other stages, or of other groups along the axis, see the same transfer.
bool sameTransfer(const Collective &a, const Collective &b)
{
    return a.op == b.op && a.algorithm == b.algorithm && a.payloadBytes == b.payloadBytes && a.elements == b.elements &&
           a.gatherDim == b.gatherDim && a.axis == b.axis && a.replicas == b.replicas && a.reduce == b.reduce;
}

void MeasuredRun::baseline(const Step &step, int repetitions, std::vector<BaselineEvent> &done)
{
    for (const BaselineEvent &event : done)
        if (sameTransfer(*m_plan.steps[std::size_t(event.step)].collective, *step.collective)) {
            BaselineEvent same = event;
            same.step = step.id;
            done.push_back(std::move(same));
            return;
        }
    std::vector<std::int64_t> mine;
    for (int i = 0; i < repetitions; ++i) {
        const auto record = m_executor.repeatCollective(step);
        mine.push_back(record ? m_session.stopwatch().between(record->start, record->end) : 0);
    }
    done.push_back(baselineOf(m_plan, step, m_session.world().gather(mine)));
}

void MeasuredRun::memory()
{
    const std::int64_t most = maximumOverRanks(m_session.world(), m_executor.peakBytes());
    if (m_session.first())
        m_session.events.write(
            MemoryEvent{.measuredBytesPerRank = most, .formulaBytesPerRank = peakBytesPerRank(m_plan)});
}

/// Every rank finds the same; rank 0 says it.
bool dtypeAvailable(DType dtype, RankSession &session)
{
    const auto &working = session.device().workingDtypes();
    if (std::find(working.begin(), working.end(), dtype) != working.end())
        return true;
    std::string allowed;
    for (const DType each : working)
        addToList(allowed, name(each));
    if (session.first())
        session.events.write(
            MessageEvent{.level = MessageEvent::Level::Error,
                         .text = {TextId::DTypeMissing,
                                  {std::string(name(dtype)), libraryVersions().at("libtorch"), std::move(allowed),
                                   session.device().missingKernel(dtype).value_or("")}},
                         .remedy = {},
                         .detail = {}});
    return false;
}

/// What the times of the run do not show.
void explainProducts(const Experiment &experiment, RankSession &session)
{
    if (!session.first())
        return;
    std::vector<Text> remarks = session.device().remarks(experiment);
    if (experiment.weightDtype == WeightDType::Int8)
        remarks.push_back({TextId::WeightsThroughProducts, {std::string(name(experiment.dtype))}});
    for (Text &remark : remarks)
        session.say(std::move(remark));
}

EndEvent endOf(int exitCode)
{
    EndEvent end;
    end.exitCode = exitCode;
    if (exitCode == kCancelled)
        end.status = EndEvent::Status::Cancelled;
    else if (exitCode == kBadArguments || exitCode == kFailed)
        end.status = EndEvent::Status::Failed;
    return end;
}

} // namespace

void RankSession::progress(TextId stage, std::vector<std::string> args, double fraction)
{
    if (first() || started)
        events.write(ProgressEvent{.stage = {stage, std::move(args)}, .fraction = fraction});
}

void RankSession::say(Text text)
{
    MessageEvent message;
    message.text = std::move(text);
    events.write(message);
}

bool RankSession::cancelled()
{
    return maximumOverRanks(world(), commands.cancelArrived() ? 1 : 0) != 0;
}

void RankSession::publish()
{
    started ? started->collectEvents() : events.flush();
}

void RankSession::setOrigin()
{
    const std::int64_t origin = world().gather({Stopwatch::rawNs()}).front();
    stopwatch().setOrigin(origin + (started ? started->clockAheadNs() : 0));
}

EndEvent measureRun(const RunCommand &command, RankSession &session)
{
    const auto experiment = readExperiment(command.experiment, Unused::Allow);
    if (!experiment) {
        if (session.first())
            session.events.write(MessageEvent{
                .level = MessageEvent::Level::Error, .text = experiment.problem(), .remedy = {}, .detail = {}});
        return endOf(kBadArguments);
    }
    if (!dtypeAvailable(experiment->dtype, session))
        return endOf(kBadArguments);
    setThreads(experiment->threads > 0 ? experiment->threads : session.threads);
    explainProducts(*experiment, session);
    int exitCode = kDone;
    {
        MeasuredRun run(*experiment, command.budgetSeconds, session);
        exitCode = run.run();
    }
    session.device().releaseUnusedMemory();
    return endOf(exitCode);
}

} // namespace shardscope

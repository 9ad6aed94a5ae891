// SPDX-License-Identifier: MIT
#include "tests/cuda/fake_gpu.h"

#include "engine/cuda/completion.h"
#include "engine/cuda/cuda_stopwatch.h"

#include <QtTest>

#include <cstdlib>

using namespace shardscope;

namespace {

/// A rank's two streams, on a GPU whose clock is far from the host's.
struct TwoStreams {
    explicit TwoStreams(std::int64_t skewNs) : compute(fake::makeStream(skewNs)), transfers(fake::makeStream(skewNs)) {}

    cudaStream_t compute;
    cudaStream_t transfers;
    cudaStream_t current = compute;
    CudaStopwatch stopwatch{fake::cuda(), [this] { return current; }, fake::hostNs};

    Moment markOn(cudaStream_t stream)
    {
        current = stream;
        const Moment moment = stopwatch.mark();
        current = compute;
        return moment;
    }
    /// `later` begins when what `earlier` has been told so far has ended.
    void order(cudaStream_t earlier, cudaStream_t later)
    {
        CudaEvent event(fake::cuda(), CudaEvent::Timing::Off);
        event.record(earlier);
        event.holdBack(later);
    }
};

} // namespace

class TestCudaStopwatch : public QObject
{
    Q_OBJECT

private slots:
    void init() { fake::reset(); }
    void durationsAreExact();
    void aSeriesStandsInTheHostsTime_data();
    void aSeriesStandsInTheHostsTime();
    void everySeriesIsAnchoredAnew();
    void overlapIsSeen();
    void launchesAreTimedBeside();
    void emptyPairsAreTheNoiseFloor();
    void offMeansNoEvents();
    void waitsForEveryStream();
    void aHangEndsInTime();
    void aBusyStreamIsNoHang();
};

void TestCudaStopwatch::durationsAreExact()
{
    TwoStreams gpu(0);
    gpu.stopwatch.start();
    const std::vector<std::int64_t> lengths{1, 999, 1'000, 123'457, 7'654'321, 1};
    std::vector<Moment> moments{gpu.stopwatch.mark()};
    for (const std::int64_t length : lengths) {
        fake::work(gpu.compute, length);
        moments.push_back(gpu.stopwatch.mark());
    }
    for (std::size_t i = 0; i < lengths.size(); ++i)
        QCOMPARE(gpu.stopwatch.between(moments[i], moments[i + 1]), lengths[i]);
}

void TestCudaStopwatch::aSeriesStandsInTheHostsTime_data()
{
    QTest::addColumn<qint64>("skew");
    QTest::newRow("same") << qint64{0};
    QTest::newRow("ahead") << qint64{5'000'000'000};
    QTest::newRow("behind") << qint64{-900'000'000};
}

void TestCudaStopwatch::aSeriesStandsInTheHostsTime()
{
    QFETCH(qint64, skew);
    TwoStreams gpu(skew);
    gpu.stopwatch.setOrigin(fake::hostNs());
    gpu.stopwatch.start();
    const Moment start = gpu.stopwatch.mark();
    fake::work(gpu.compute, 50'000);
    const Moment end = gpu.stopwatch.mark();
    const std::int64_t onHost = fake::endOf(gpu.compute) - skew;
    gpu.stopwatch.setOrigin(0);
    QVERIFY(gpu.stopwatch.anchorUncertaintyNs() > 0);
    QVERIFY(std::abs(gpu.stopwatch.ns(end) - onHost) <= gpu.stopwatch.anchorUncertaintyNs());
    QCOMPARE(gpu.stopwatch.between(start, end), 50'000);
    const std::int64_t absolute = gpu.stopwatch.ns(end);
    gpu.stopwatch.setOrigin(1'000);
    QCOMPARE(gpu.stopwatch.ns(end), absolute - 1'000);
}

void TestCudaStopwatch::everySeriesIsAnchoredAnew()
{
    TwoStreams gpu(0);
    gpu.stopwatch.start();
    fake::work(gpu.compute, 900'000'000); // a float of milliseconds could not tell 1 ns after that
    static_cast<void>(gpu.stopwatch.mark());
    while (fake::hostNs() < fake::endOf(gpu.compute)) {
    }
    gpu.stopwatch.start();
    const Moment start = gpu.stopwatch.mark();
    fake::work(gpu.compute, 1);
    QCOMPARE(gpu.stopwatch.between(start, gpu.stopwatch.mark()), 1);
    QCOMPARE(gpu.stopwatch.marks(), std::size_t{2});
}

/// A collective of 30 us beside 20 us of computation: 20 us of it are hidden, whatever a host's timer saw.
void TestCudaStopwatch::overlapIsSeen()
{
    TwoStreams gpu(123);
    gpu.stopwatch.start();
    gpu.order(gpu.compute, gpu.transfers);
    const Moment sends = gpu.markOn(gpu.transfers);
    fake::work(gpu.transfers, 30'000);
    const Moment sent = gpu.markOn(gpu.transfers);
    const Moment computes = gpu.stopwatch.mark();
    fake::work(gpu.compute, 20'000);
    const Moment computed = gpu.stopwatch.mark();
    gpu.order(gpu.transfers, gpu.compute);
    const Moment both = gpu.stopwatch.mark();
    const auto at = [&](Moment moment) { return gpu.stopwatch.ns(moment); };
    QCOMPARE(gpu.stopwatch.between(sends, sent), 30'000);
    QCOMPARE(gpu.stopwatch.between(computes, computed), 20'000);
    // Which of the two was ordered first costs the look at the clock in between, never more.
    const std::int64_t hidden = std::min(at(sent), at(computed)) - std::max(at(sends), at(computes));
    QVERIFY2(hidden > 19'000 && hidden <= 20'000, qPrintable(QString::number(hidden)));
    QCOMPARE(at(both), at(sent)); // the computation went on when the collective had ended
}

/// What the host sees between two marks has nothing to do with what the GPU does between them.
void TestCudaStopwatch::launchesAreTimedBeside()
{
    TwoStreams gpu(5'000'000'000);
    gpu.stopwatch.start();
    const Moment start = gpu.stopwatch.mark();
    const std::int64_t before = Stopwatch::rawNs();
    fake::work(gpu.compute, 900'000);
    QTest::qSleep(3);
    const std::int64_t after = Stopwatch::rawNs();
    const Moment end = gpu.stopwatch.mark();
    QCOMPARE(gpu.stopwatch.between(start, end), 900'000);
    QVERIFY(gpu.stopwatch.orderedNs(start, end) >= after - before);
    QVERIFY(gpu.stopwatch.orderedNs(start, end) <= Stopwatch::rawNs() - before + 1'000'000'000);
    QCOMPARE(gpu.stopwatch.orderedNs(start, Moment{}), 0);
    Stopwatch cpu;
    QCOMPARE(cpu.orderedNs(cpu.mark(), cpu.mark()), 0); // its calls do the work
}

void TestCudaStopwatch::emptyPairsAreTheNoiseFloor()
{
    TwoStreams gpu(77);
    QCOMPARE(gpu.stopwatch.noiseFloorNs(), 0);
}

void TestCudaStopwatch::offMeansNoEvents()
{
    TwoStreams gpu(0);
    gpu.stopwatch.setRunning(false);
    gpu.stopwatch.start();
    QVERIFY(gpu.stopwatch.mark() == Moment{});
    QCOMPARE(gpu.stopwatch.ns(Moment{}), 0);
    QCOMPARE(gpu.stopwatch.marks(), std::size_t{0});
}

void TestCudaStopwatch::waitsForEveryStream()
{
    TwoStreams gpu(0);
    gpu.stopwatch.start();
    fake::work(gpu.transfers, 5'000'000);
    CudaEvent here(fake::cuda(), CudaEvent::Timing::Off);
    CudaEvent there(fake::cuda(), CudaEvent::Timing::Off);
    here.record(gpu.compute);
    there.record(gpu.transfers);
    CompletionWatch watch;
    watch.stopwatch = &gpu.stopwatch;
    watch.last = {&here, &there};
    waitForCompletion(watch);
    QVERIFY(fake::hostNs() >= fake::endOf(gpu.transfers));
}

void TestCudaStopwatch::aHangEndsInTime()
{
    TwoStreams gpu(0);
    gpu.stopwatch.start();
    fake::work(gpu.compute, 1'000);
    static_cast<void>(gpu.stopwatch.mark());
    fake::hang(gpu.compute);
    static_cast<void>(gpu.stopwatch.mark());
    CudaEvent last(fake::cuda(), CudaEvent::Timing::Off);
    last.record(gpu.compute);
    int asked = 0;
    CompletionWatch watch;
    watch.stopwatch = &gpu.stopwatch;
    watch.last = {&last};
    watch.requireHealthy = [&asked] { ++asked; };
    watch.limit = std::chrono::milliseconds(300);
    QElapsedTimer timer;
    timer.start();
    try {
        waitForCompletion(watch);
        QFAIL("it waited for a stream that hangs, and came back");
    } catch (const CudaError &error) {
        QVERIFY2(QByteArray(error.what()).contains("timed out"), error.what());
        QVERIFY2(QByteArray(error.what()).contains("after mark 1"), error.what());
    }
    QVERIFY(timer.elapsed() >= 300);
    QVERIFY(timer.elapsed() < 1300); // the limit and a second
    QVERIFY(asked > 3);
}

/// As long as marks are passed the device is at work, however long it takes in all.
void TestCudaStopwatch::aBusyStreamIsNoHang()
{
    TwoStreams gpu(0);
    gpu.stopwatch.start();
    // The fake's clock goes on by 100 ns with every look: each piece takes thousands of looks, all of them together
    // far longer than the limit.
    for (int i = 0; i < 120; ++i) {
        fake::work(gpu.compute, 100'000);
        static_cast<void>(gpu.stopwatch.mark());
    }
    CudaEvent last(fake::cuda(), CudaEvent::Timing::Off);
    last.record(gpu.compute);
    CompletionWatch watch;
    watch.stopwatch = &gpu.stopwatch;
    watch.last = {&last};
    watch.limit = std::chrono::milliseconds(500);
    QElapsedTimer timer;
    timer.start();
    waitForCompletion(watch);
    QVERIFY2(timer.elapsed() > 500, "too fast to say anything about the limit");
}

QTEST_GUILESS_MAIN(TestCudaStopwatch)
#include "tst_stopwatch.moc"

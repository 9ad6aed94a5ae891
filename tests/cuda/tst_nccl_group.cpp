// SPDX-License-Identifier: MIT
#include "tests/cuda/fake_gpu.h"

#include "engine/cuda/cuda_stopwatch.h"
#include "engine/cuda/nccl_group.h"
#include "engine/runtime/baseline.h"

#include <QtTest>

#include <numeric>
#include <thread>

using namespace shardscope;

namespace {

constexpr std::chrono::milliseconds kShort{300};

ncclUniqueId freshId()
{
    ncclUniqueId id{};
    fake::nccl().getUniqueId(&id);
    return id;
}

NcclGroup::Settings settings(int rank, int size, const ncclUniqueId &id)
{
    NcclGroup::Settings result;
    result.rank = rank;
    result.size = size;
    result.id = id;
    result.name = "test";
    result.timeout = std::chrono::seconds(20);
    return result;
}

/// What every rank of a group does, each on a thread with a stream of its own.
void inRanks(int ranks, const std::function<void(int rank, NcclGroup &group, cudaStream_t stream)> &body)
{
    const ncclUniqueId id = freshId();
    std::vector<std::thread> threads;
    std::vector<std::string> problems;
    problems.resize(std::size_t(ranks));
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            try {
                const cudaStream_t stream = fake::makeStream();
                NcclGroup group(fake::nccl(), settings(rank, ranks, id));
                body(rank, group, stream);
            } catch (const std::exception &error) {
                problems[std::size_t(rank)] = error.what();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const std::string &problem : problems)
        QVERIFY2(problem.empty(), problem.c_str());
}

/// Until the fake has worked off what is on the stream.
void drain(cudaStream_t stream)
{
    while (fake::endOf(stream) < 0)
        std::this_thread::yield();
}

NcclBuffer bufferOf(std::vector<float> &values)
{
    return {values.data(), values.size(), ncclFloat32};
}

std::string failureOf(const std::function<void()> &body)
{
    try {
        body();
    } catch (const NcclError &error) {
        return error.what();
    }
    return {};
}

} // namespace

class TestNcclGroup : public QObject
{
    Q_OBJECT

private slots:
    void init() { fake::reset(); }
    void everyCollectiveMovesTheData_data();
    void everyCollectiveMovesTheData();
    void messagesGoBothWaysAtOnce();
    void anOrderInProgressStandsBeforeItReturns();
    void waitingAndTransferAreToldApart();
    void aPeerThatDoesNotCome();
    void whatNcclRefusesIsSaid();
    void anAsynchronousErrorIsNamed();
    void aGroupThatFailedIsLeftAlone();
    void aSlowGoodbyeEndsInTime();
    void versions();
};

void TestNcclGroup::everyCollectiveMovesTheData_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {2, 3, 4, 8})
        QTest::addRow("N = %d", ranks) << ranks;
}

void TestNcclGroup::everyCollectiveMovesTheData()
{
    QFETCH(int, ranks);
    constexpr std::size_t kCount = 5;
    inRanks(ranks, [ranks](int rank, NcclGroup &group, cudaStream_t stream) {
        const auto require = [](bool condition, const char *what) {
            if (!condition)
                throw std::runtime_error(what);
        };
        const float sum = float(ranks * (ranks - 1) / 2);
        std::vector<float> mine(kCount, float(rank));
        group.allReduce(bufferOf(mine), ncclSum, stream);
        drain(stream);
        require(mine == std::vector<float>(kCount, sum), "all-reduce");
        mine.assign(kCount, float(rank));
        group.allReduce(bufferOf(mine), ncclMax, stream);
        drain(stream);
        require(mine == std::vector<float>(kCount, float(ranks - 1)), "maximum");
        mine.assign(kCount, float(rank));
        group.reduce(bufferOf(mine), ncclSum, stream);
        drain(stream);
        require(mine == std::vector<float>(kCount, rank == 0 ? sum : float(rank)), "reduce");
        mine.assign(kCount, float(rank + 7));
        group.broadcast(bufferOf(mine), stream);
        drain(stream);
        require(mine == std::vector<float>(kCount, 7), "broadcast");
        std::vector<float> whole(kCount * std::size_t(ranks), -1);
        mine.assign(kCount, float(rank));
        group.allGather(bufferOf(mine), whole.data(), stream);
        drain(stream);
        for (std::size_t i = 0; i < whole.size(); ++i)
            require(whole[i] == float(i / kCount), "all-gather");
        std::iota(whole.begin(), whole.end(), 0.F);
        group.reduceScatter(whole.data(), bufferOf(mine), ncclSum, stream);
        drain(stream);
        for (std::size_t i = 0; i < kCount; ++i)
            require(mine[i] == float(ranks) * float(std::size_t(rank) * kCount + i), "reduce-scatter");
    });
    QCOMPARE(fake::destroyedCommunicators(), ranks);
}

/// A ring's hop: each sends to the next and receives from the one before. One after the other would never end.
void TestNcclGroup::messagesGoBothWaysAtOnce()
{
    inRanks(4, [](int rank, NcclGroup &group, cudaStream_t stream) {
        std::vector<float> mine(3, float(rank));
        std::vector<float> other(3, -1);
        group.exchange({{bufferOf(mine), (rank + 1) % 4}}, {{bufferOf(other), (rank + 3) % 4}}, stream);
        drain(stream);
        if (other != std::vector<float>(3, float((rank + 3) % 4)))
            throw std::runtime_error("what arrived is not what was sent");
    });
}

/// What is recorded after an order times it, however often NCCL has answered "in progress" before.
void TestNcclGroup::anOrderInProgressStandsBeforeItReturns()
{
    fake::NcclBehaviour slow;
    slow.joinInProgress = 5;
    slow.orderInProgress = 7;
    slow.transferNs = 40'000;
    fake::behave(slow);
    inRanks(2, [](int, NcclGroup &group, cudaStream_t stream) {
        CudaStopwatch stopwatch(
            fake::cuda(), [stream] { return stream; }, fake::hostNs);
        stopwatch.start();
        std::vector<float> values(2, 1);
        const Moment start = stopwatch.mark();
        group.allReduce(bufferOf(values), ncclSum, stream);
        const Moment end = stopwatch.mark();
        drain(stream);
        if (stopwatch.between(start, end) < 40'000)
            throw std::runtime_error("the end was recorded before the collective stood on the stream");
    });
}

/// A rank that is 20 ms late: the others' collective takes 20 ms longer, its own only the transfer. Without any common
/// clock the transfer is the least over the ranks, and the rest is waiting.
void TestNcclGroup::waitingAndTransferAreToldApart()
{
    constexpr std::int64_t kLate = 20'000'000;
    constexpr std::int64_t kTransfer = 1'660'000;
    fake::NcclBehaviour behaviour;
    behaviour.transferNs = kTransfer;
    fake::behave(behaviour);
    std::vector<std::int64_t> durations(4);
    std::vector<cudaStream_t> streams;
    for (int rank = 0; rank < 4; ++rank)
        streams.push_back(fake::makeStream(std::int64_t{rank} * 1'000'000'000)); // four clocks
    // Idle streams begin when they are told to: keeping all of them busy until a common time makes the start exact.
    for (int rank = 0; rank < 4; ++rank)
        fake::work(streams[std::size_t(rank)], rank == 2 ? kLate : 0);
    const ncclUniqueId id = freshId();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 4; ++rank)
        threads.emplace_back([&, rank] {
            const cudaStream_t stream = streams[std::size_t(rank)];
            NcclGroup group(fake::nccl(), settings(rank, 4, id));
            CudaEvent start(fake::cuda(), CudaEvent::Timing::On);
            CudaEvent end(fake::cuda(), CudaEvent::Timing::On);
            std::vector<float> values(1, 1);
            start.record(stream);
            group.allReduce(bufferOf(values), ncclSum, stream);
            end.record(stream);
            drain(stream);
            float ms = 0;
            fake::cuda().eventElapsedTime(&ms, start.get(), end.get());
            durations[std::size_t(rank)] = std::llround(double(ms) * 1e6);
        });
    for (std::thread &thread : threads)
        thread.join();
    const std::int64_t transfer = *std::min_element(durations.begin(), durations.end());
    QCOMPARE(transfer, kTransfer);
    QCOMPARE(durations[2], kTransfer); // the late one's own
    for (const int rank : {0, 1, 3}) {
        // Its start stands where its stream was told to begin, a few looks at the clock after the late one's.
        const std::int64_t wait = durations[std::size_t(rank)] - transfer;
        QVERIFY2(wait > kLate - 1'000'000 && wait <= kLate, qPrintable(QString::number(wait)));
    }
}

void TestNcclGroup::aPeerThatDoesNotCome()
{
    NcclGroup::Settings alone = settings(0, 2, freshId());
    alone.timeout = kShort;
    QElapsedTimer timer;
    timer.start();
    const std::string words = failureOf([&] { NcclGroup group(fake::nccl(), alone); });
    QVERIFY2(words.find("timed out after 300 ms") != std::string::npos, words.c_str());
    QVERIFY(timer.elapsed() >= kShort.count());
    QVERIFY(timer.elapsed() < kShort.count() + 1000);
}

void TestNcclGroup::whatNcclRefusesIsSaid()
{
    fake::NcclBehaviour refusing;
    refusing.refusal = ncclSystemError;
    refusing.lastError = "no space left on device";
    fake::behave(refusing);
    NcclGroup group(fake::nccl(), settings(0, 1, freshId()));
    std::vector<float> values(1);
    const std::string words = failureOf([&] { group.allReduce(bufferOf(values), ncclSum, fake::makeStream()); });
    QCOMPARE(QByteArray(words.c_str()), "NCCL, all-reduce: unhandled system error: no space left on device");
}

void TestNcclGroup::anAsynchronousErrorIsNamed()
{
    fake::NcclBehaviour failing;
    failing.asyncError = ncclRemoteError;
    failing.lastError = "socket closed by 10.0.0.2";
    fake::behave(failing);
    NcclGroup group(fake::nccl(), settings(0, 1, freshId()));
    group.requireHealthy(); // nothing was ordered yet
    std::vector<float> values(1);
    group.allReduce(bufferOf(values), ncclSum, fake::makeStream());
    const std::string words = failureOf([&] { group.requireHealthy(); });
    QVERIFY2(words.find("remote process exited") != std::string::npos, words.c_str());
    QVERIFY2(words.find("socket closed by 10.0.0.2") != std::string::npos, words.c_str());
}

void TestNcclGroup::aGroupThatFailedIsLeftAlone()
{
    fake::NcclBehaviour failing;
    failing.asyncError = ncclRemoteError;
    failing.leaveNever = true;
    fake::behave(failing);
    QElapsedTimer timer;
    timer.start();
    {
        NcclGroup group(fake::nccl(), settings(0, 1, freshId()));
        std::vector<float> values(1);
        group.allReduce(bufferOf(values), ncclSum, fake::makeStream());
        QVERIFY(!failureOf([&] { group.requireHealthy(); }).empty());
    }
    QVERIFY(timer.elapsed() < 5000); // its goodbye would wait for 20 s
    QCOMPARE(fake::destroyedCommunicators(), 0);
}

void TestNcclGroup::aSlowGoodbyeEndsInTime()
{
    fake::NcclBehaviour slow;
    slow.leaveNever = true;
    fake::behave(slow);
    NcclGroup::Settings impatient = settings(0, 1, freshId());
    impatient.timeout = kShort;
    QElapsedTimer timer;
    timer.start();
    {
        NcclGroup group(fake::nccl(), impatient);
    }
    QVERIFY(timer.elapsed() >= kShort.count());
    QVERIFY(timer.elapsed() < kShort.count() + 1000);
    QCOMPARE(fake::destroyedCommunicators(), 0);
}

void TestNcclGroup::versions()
{
    requireNcclVersion(fake::nccl());
    QCOMPARE(ncclVersionText(22809), std::string("2.28.9"));
    fake::NcclBehaviour other;
    for (const int version : {NCCL_VERSION_CODE - 1, 21403, 30000}) {
        other.version = version;
        fake::behave(other);
        const std::string words = failureOf([] { requireNcclVersion(fake::nccl()); });
        QVERIFY2(words.find("NCCL " + ncclVersionText(version)) != std::string::npos, words.c_str());
        QVERIFY2(words.find(ncclVersionText(NCCL_VERSION_CODE)) != std::string::npos, words.c_str());
    }
    other.version = NCCL_VERSION_CODE + 100;
    fake::behave(other);
    requireNcclVersion(fake::nccl());
}

QTEST_GUILESS_MAIN(TestNcclGroup)
#include "tst_nccl_group.moc"

// SPDX-License-Identifier: MIT
// Collectives against sums and joins made by hand, in forked ranks; the test itself stays without threads.
#include "tests/runtime/rank_harness.h"
#include "tests/runtime/tensor_checks.h"

#include "engine/plan/hop_schedule.h"
#include "engine/runtime/torch_types.h"
#include "engine/runtime/value_source.h"

#include <QtTest>
#include <algorithm>
#include <numeric>

using namespace shardscope;

namespace {

/// A different tensor on every rank, the same in every process that asks.
at::Tensor addendOf(int rank, std::int64_t elements, at::ScalarType type)
{
    at::Tensor floats = at::empty({elements}, at::kFloat);
    ValueSource(7).fill(floats.data_ptr<float>(), elements, "rank " + std::to_string(rank), 0, 1.0F);
    return floats.to(type);
}

at::Tensor sumByHand(int ranks, std::int64_t elements, at::ScalarType type)
{
    at::Tensor sum = at::zeros({elements}, at::kDouble);
    for (int rank = 0; rank < ranks; ++rank)
        sum.add_(addendOf(rank, elements, type));
    return sum;
}

/// The same bits on every rank.
bool agree(Communicator &communicator, const at::Tensor &tensor)
{
    const at::Tensor mine = tensor.contiguous().view(-1);
    at::Tensor all;
    communicator.allGather(mine, all, 0, Algorithm::Library);
    for (int rank = 0; rank < communicator.size(); ++rank)
        if (!at::equal(all.narrow(0, rank * mine.numel(), mine.numel()), mine))
            return false;
    return true;
}

} // namespace

class TestCollectives : public QObject
{
    Q_OBJECT

private slots:
    void allReduceOfEveryAlgorithm_data();
    void allReduceOfEveryAlgorithm();
    void unevenAndEmptyChunks();
    void directSumsInRankOrder();
    void allGatherAlongEachDimension();
    void reduceScatterAlongEachDimension();
    void countsWhatItSends();
    void unequalSlicesAreRefused();
};

void TestCollectives::allReduceOfEveryAlgorithm_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 3, 4, 5})
        QTest::addRow("N = %d", ranks) << ranks;
}

void TestCollectives::allReduceOfEveryAlgorithm()
{
    QFETCH(int, ranks);
    verify(inRanks(ranks, [](Communicator &communicator, const Expect &expect) {
        for (const Algorithm algorithm : kAlgorithms)
            for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
                if (algorithm != Algorithm::Library &&
                    algorithmProblem(CollectiveOp::AllReduce, algorithm, communicator.size()))
                    continue;
                at::Tensor tensor = addendOf(communicator.rank(), 1000, type);
                const CollectiveRecord record = communicator.allReduce(tensor, algorithm);
                const at::Tensor expected = sumByHand(communicator.size(), 1000, type);
                const double limit = type == at::kBFloat16 ? 1e-2 : type == at::kHalf ? 2e-3 : 1e-6;
                const std::string what = std::string(name(algorithm)) + " " + c10::toString(type);
                expect(relative(tensor, expected) < limit, what + ": wrong sum");
                expect(agree(communicator, tensor), what + ": ranks differ");
                expect(communicator.stopwatch().between(record.start, record.end) >= 0, what + ": times");
            }
    }));
}

void TestCollectives::unevenAndEmptyChunks()
{
    for (const int ranks : {3, 4})
        verify(inRanks(ranks, [](Communicator &communicator, const Expect &expect) {
            for (const Algorithm algorithm : kAlgorithms)
                for (const std::int64_t elements : {1, 2, 3, 5, 7, 1001}) {
                    if (algorithm != Algorithm::Library &&
                        algorithmProblem(CollectiveOp::AllReduce, algorithm, communicator.size()))
                        continue;
                    at::Tensor tensor = addendOf(communicator.rank(), elements, at::kDouble);
                    communicator.allReduce(tensor, algorithm);
                    expect(relative(tensor, sumByHand(communicator.size(), elements, at::kDouble)) < 1e-14,
                           std::string(name(algorithm)) + " of " + std::to_string(elements));
                }
        }));
}

void TestCollectives::directSumsInRankOrder()
{
    verify(inRanks(4, [](Communicator &communicator, const Expect &expect) {
        at::Tensor tensor = addendOf(communicator.rank(), 999, at::kFloat);
        communicator.allReduce(tensor, Algorithm::Direct);
        at::Tensor ordered = addendOf(0, 999, at::kFloat);
        for (int rank = 1; rank < 4; ++rank)
            ordered.add_(addendOf(rank, 999, at::kFloat));
        expect(at::equal(tensor, ordered), "not the bits of ((a0 + a1) + a2) + a3");
    }));
}

void TestCollectives::allGatherAlongEachDimension()
{
    verify(inRanks(3, [](Communicator &communicator, const Expect &expect) {
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
            for (const Algorithm algorithm : {Algorithm::Library, Algorithm::Ring, Algorithm::Direct})
                for (const int dim : {0, 1}) {
                    std::vector<at::Tensor> parts;
                    for (int rank = 0; rank < 3; ++rank)
                        parts.push_back(addendOf(rank, 4 * 6, type).view({4, 6}));
                    at::Tensor whole;
                    communicator.allGather(parts[std::size_t(communicator.rank())], whole, dim, algorithm);
                    expect(at::equal(whole, at::cat(parts, dim)),
                           std::string(name(algorithm)) + " along " + std::to_string(dim) + " " + c10::toString(type));
                }
    }));
}

void TestCollectives::reduceScatterAlongEachDimension()
{
    verify(inRanks(3, [](Communicator &communicator, const Expect &expect) {
        for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
            for (const Algorithm algorithm : {Algorithm::Library, Algorithm::Ring, Algorithm::Direct})
                for (const int dim : {0, 1}) {
                    const at::Tensor addend = addendOf(communicator.rank(), 6 * 9, type).view({6, 9});
                    const at::Tensor before = addend.clone();
                    at::Tensor shard;
                    communicator.reduceScatter(addend, shard, dim, algorithm);
                    const std::int64_t width = addend.size(dim) / 3;
                    const at::Tensor expected =
                        sumByHand(3, 6 * 9, type).view({6, 9}).narrow(dim, communicator.rank() * width, width);
                    const std::string what = std::string(name(algorithm)) + " along " + std::to_string(dim);
                    expect(relative(shard, expected) < (type == at::kFloat ? 1e-6 : 1e-2), what);
                    expect(at::equal(addend, before), what + " changed its input");
                }
    }));
}

void TestCollectives::countsWhatItSends()
{
    verify(inRanks(4, [](Communicator &communicator, const Expect &expect) {
        at::Tensor tensor = at::zeros({1 << 10}, at::kFloat);
        const std::int64_t bytes = 4 << 10;
        const auto ring = communicator.allReduce(tensor, Algorithm::Ring);
        expect(ring.payloadBytes == bytes && ring.sentBytes == bytes * 3 / 2 && ring.hops.size() == 6, "ring");
        const auto direct = communicator.allReduce(tensor, Algorithm::Direct);
        expect(direct.sentBytes == bytes * 3 && direct.hops.size() == 1, "direct");
        const auto halving = communicator.allReduce(tensor, Algorithm::HalvingDoubling);
        expect(halving.sentBytes == bytes * 3 / 2 && halving.hops.size() == 4, "halving-doubling");
        const auto tree = communicator.allReduce(tensor, Algorithm::Tree);
        const auto all = communicator.gather({tree.sentBytes});
        expect(*std::max_element(all.begin(), all.end()) == bytes * 2, "tree");
        const auto library = communicator.allReduce(tensor, Algorithm::Library);
        expect(library.sentBytes == bytes * 3 / 2 && library.hops.empty() && library.scratchBytes == 0, "library");
        // Slices that are not equal: a rank counts its own, as our ring really sends them.
        at::Tensor uneven = at::zeros({10}, at::kFloat);
        const auto ours = communicator.allReduce(uneven, Algorithm::Ring);
        const auto theirs = communicator.allReduce(uneven, Algorithm::Library);
        expect(theirs.sentBytes == ours.sentBytes, "uneven library");
        const auto sums = communicator.gather({theirs.sentBytes});
        expect(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}) == 2 * 3 * 40, "uneven sum");
        at::Tensor narrow = at::zeros({1 << 10}, at::kBFloat16);
        const auto widened = communicator.allReduce(narrow, Algorithm::Library);
        expect(widened.wireDtype == DType::F32 && widened.payloadBytes == bytes / 2, "bf16 travels as f32");
        expect(widened.sentBytes == bytes * 3 / 2 && widened.scratchBytes == bytes, "bf16 counts what travels");
        at::Tensor whole;
        const auto gather = communicator.allGather(tensor, whole, 0, Algorithm::Library);
        expect(gather.payloadBytes == 4 * bytes && gather.sentBytes == 3 * bytes, "all-gather");
    }));
}

void TestCollectives::unequalSlicesAreRefused()
{
    verify(inRanks(2, [](Communicator &communicator, const Expect &expect) {
        at::Tensor shard;
        try {
            communicator.reduceScatter(at::zeros({3, 2}), shard, 0, Algorithm::Library);
            expect(false, "three rows went to two ranks");
        } catch (const std::invalid_argument &) {
        }
    }));
}

QTEST_GUILESS_MAIN(TestCollectives)
#include "tst_collectives.moc"

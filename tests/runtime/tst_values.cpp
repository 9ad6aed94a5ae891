// SPDX-License-Identifier: MIT
#include "engine/runtime/value_source.h"

#include <QtTest>

#include <cmath>
#include <vector>

using namespace shardscope;

class TestValues : public QObject
{
    Q_OBJECT

private slots:
    void sameWhicheverPartIsMade();
    void dependOnSeedAndName();
    void areAboutNormal();
    void neighboursAreUncorrelated();
    void crossTheBlockOfOneKey();
    void integersAreBalanced();
    void indicesAreUniform();
    void indicesAreTheSameWhicheverPartIsMade();
    void scale();
};

namespace {

std::vector<float> values(std::int64_t first, std::int64_t count, std::uint64_t seed = 1, const char *name = "W",
                          Values kind = Values::Random)
{
    std::vector<float> out(static_cast<std::size_t>(count));
    ValueSource(seed, kind).fill(out.data(), count, name, first, 1.0F);
    return out;
}

std::vector<std::int64_t> indices(std::int64_t first, std::int64_t count, std::int64_t bound,
                                  Values kind = Values::Random)
{
    std::vector<std::int64_t> out(static_cast<std::size_t>(count));
    ValueSource(1, kind).fillIndices(out.data(), count, "ids", first, bound);
    return out;
}

} // namespace

void TestValues::sameWhicheverPartIsMade()
{
    const auto whole = values(0, 1000);
    for (const std::int64_t begin : {0, 1, 333, 999}) {
        const auto part = values(begin, 1000 - begin);
        QVERIFY(std::equal(part.begin(), part.end(), whole.begin() + begin));
    }
}

void TestValues::dependOnSeedAndName()
{
    QVERIFY(values(0, 100) != values(0, 100, 2));
    QVERIFY(values(0, 100) != values(0, 100, 1, "W1"));
    QVERIFY(values(0, 100, 1, "W1") != values(0, 100, 1, "1W"));
    QVERIFY(values(0, 100, 1) != values(0, 100, std::uint64_t{1} << 32 | 1U)); // the upper half of the seed counts
}

void TestValues::areAboutNormal()
{
    const auto sample = values(0, 200'000);
    double sum = 0;
    double squares = 0;
    int beyondOne = 0;
    for (const float value : sample) {
        sum += double(value);
        squares += double(value) * double(value);
        beyondOne += std::abs(value) > 1 ? 1 : 0;
        QVERIFY(std::abs(value) <= std::sqrt(6.0F));
    }
    const double count = double(sample.size());
    QVERIFY(std::abs(sum / count) < 0.01);
    QVERIFY(std::abs(squares / count - 1) < 0.01);
    QVERIFY(std::abs(beyondOne / count - 0.35) < 0.01); // triangular: (1 - 1/sqrt(6))^2 = 0.350; normal: 0.317
}

void TestValues::neighboursAreUncorrelated()
{
    const auto sample = values(0, 200'000);
    for (const std::size_t distance : {1U, 2U, 64U, 1024U}) {
        double products = 0;
        for (std::size_t i = distance; i < sample.size(); ++i)
            products += double(sample[i]) * double(sample[i - distance]);
        QVERIFY(std::abs(products / double(sample.size())) < 0.01);
    }
}

void TestValues::crossTheBlockOfOneKey()
{
    const std::int64_t border = std::int64_t{1} << 31;
    const auto across = values(border - 50, 100);
    const auto behind = values(border, 50);
    QVERIFY(std::equal(behind.begin(), behind.end(), across.begin() + 50));
    QVERIFY(behind != values(0, 50)); // the counter starts again, under another key
}

void TestValues::integersAreBalanced()
{
    const auto sample = values(0, 30'000, 1, "X", Values::Integers);
    std::array<int, 3> counts{};
    for (const float value : sample) {
        QVERIFY(value == -1.0F || value == 0.0F || value == 1.0F);
        ++counts[std::size_t(value + 1)];
    }
    for (const int count : counts)
        QVERIFY(std::abs(count - 10'000) < 500);
}

void TestValues::indicesAreUniform()
{
    constexpr std::int64_t kBound = 10;
    std::array<int, kBound> counts{};
    for (const std::int64_t index : indices(0, 30'000, kBound)) {
        QVERIFY(index >= 0 && index < kBound);
        ++counts[std::size_t(index)];
    }
    for (const int count : counts)
        QVERIFY(std::abs(count - 3'000) < 300);
    for (const std::int64_t index : indices(0, 100, 1))
        QCOMPARE(index, std::int64_t(0));
    std::int64_t largest = 0;
    for (const std::int64_t index : indices(0, 1000, std::int64_t{1} << 32))
        largest = std::max(largest, index);
    QVERIFY(largest > (std::int64_t{1} << 31));
}

void TestValues::indicesAreTheSameWhicheverPartIsMade()
{
    const auto whole = indices(0, 1000, 32'000);
    const auto part = indices(333, 600, 32'000);
    QVERIFY(std::equal(part.begin(), part.end(), whole.begin() + 333));
    QVERIFY(indices(0, 1000, 32'000, Values::Integers) == whole); // token ids have no kinds
}

void TestValues::scale()
{
    QCOMPARE(valueScale(0), 1.0F);
    QCOMPARE(valueScale(1024), 1.0F / 32);
}

QTEST_GUILESS_MAIN(TestValues)
#include "tst_values.moc"

// SPDX-License-Identifier: MIT
#include "engine/plan/traffic.h"

#include "tests/plan/plan_experiments.h"

#include <QTest>

using namespace shardscope;

namespace {

const Step &onlyCollective(const Plan &plan, Pass pass)
{
    const Step *found = nullptr;
    for (const Step &step : plan.steps) {
        if (!step.collective || step.pass != pass)
            continue;
        if (found != nullptr)
            throw std::logic_error("more than one collective");
        found = &step;
    }
    if (found == nullptr)
        throw std::logic_error("no collective");
    return *found;
}

/// "all_reduce Y 1048576 1048576 f32 hops": op, tensor, payload, sent, wire dtype, hops.
QString line(const Plan &plan, Pass pass)
{
    const Step &step = onlyCollective(plan, pass);
    const Collective &c = *step.collective;
    return QString("%1 %2 %3 %4 %5 %6")
        .arg(name(c.op).data(), plan.tensor(step.inputs[0]).name.c_str())
        .arg(c.payloadBytes)
        .arg(c.sentBytesPerRank)
        .arg(name(c.wireDtype).data())
        .arg(c.hops);
}

QString forward(const OptionValues &given, Transport transport = Transport::Gloo)
{
    return line(buildPlan(experimentOf(given), transport), Pass::Forward);
}

QString backward(const OptionValues &given)
{
    return line(buildPlan(experimentOf(given)), Pass::Backward);
}

} // namespace

class TestTraffic : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void mlp();
    void decodePerToken();
    void column();
    void row();
    void algorithms();
    void wireDtype();
    void bigModelOnNccl();
    void totals();
    void sentBytesAreTheMaximum();
    void peakMemory();
};

void TestTraffic::mlp()
{
    QCOMPARE(forward({}), "all_reduce Y 1048576 1048576 f32 0");
    QCOMPARE(backward({}), "all_reduce dX 1048576 1048576 f32 0");
    QCOMPARE(forward({{"ranks", "4"}}), "all_reduce Y 1048576 1572864 f32 0");
    QCOMPARE(backward({{"ranks", "4"}}), "all_reduce dX 1048576 1572864 f32 0");
    QCOMPARE(backward({{"mlp", "swiglu"}}), "all_reduce dX 1048576 1048576 f32 0"); // one for both branches
    QCOMPARE(forward({{"ffn", "8192"}}), forward({}));                              // volume does not depend on f
}

void TestTraffic::decodePerToken()
{
    QCOMPARE(forward({{"phase", "decode"}}), "all_reduce Y 16384 16384 f32 0");
    const PassTraffic training = traffic(buildPlan(experimentOf({}))).total();
    const PassTraffic prefill = traffic(buildPlan(experimentOf({{"phase", "prefill"}}))).total();
    const PassTraffic decode = traffic(buildPlan(experimentOf({{"phase", "decode"}}))).total();
    QCOMPARE(training.collectives, 2 * prefill.collectives);
    QCOMPARE(training.sentBytesPerRank, 2 * prefill.sentBytesPerRank);
    // Per token: training has 256 of them, decode 4.
    QCOMPARE(decode.collectives * 256, 32 * training.collectives * 4);
    QCOMPARE(decode.sentBytesPerRank * 256 * 2, training.sentBytesPerRank * 4);
}

void TestTraffic::column()
{
    const OptionValues gathered{{"scheme", "column"}, {"gather-output", "on"}, {"ranks", "4"}};
    QCOMPARE(forward(gathered), "all_gather Y 4194304 3145728 f32 0");
    QCOMPARE(backward(gathered), "all_reduce dX 1048576 1572864 f32 0");
    OptionValues first = gathered;
    first["input-gradient"] = "off";
    QCOMPARE(traffic(buildPlan(experimentOf(first))).passes[std::size_t(Pass::Backward)].collectives, 0);
    const Traffic plain = traffic(buildPlan(experimentOf({{"scheme", "column"}, {"phase", "prefill"}})));
    QCOMPARE(plain.total().collectives, 0);
    QCOMPARE(plain.total().sentBytesPerRank, 0);
}

void TestTraffic::row()
{
    const OptionValues whole{{"scheme", "row"}, {"input-parallel", "off"}, {"ranks", "4"}};
    QCOMPARE(forward(whole), "all_reduce Y 1048576 1572864 f32 0");
    QCOMPARE(backward(whole), "all_gather dX 4194304 3145728 f32 0");
    const Plan cut = buildPlan(experimentOf({{"scheme", "row"}}));
    QCOMPARE(collectivesOf(cut, Pass::Forward), "all_reduce Y");
    QCOMPARE(collectivesOf(cut, Pass::Backward), "");
}

void TestTraffic::algorithms()
{
    const auto with = [](const char *algorithm) { return forward({{"ranks", "4"}, {"algorithm", algorithm}}); };
    QCOMPARE(with("ring"), "all_reduce Y 1048576 1572864 f32 6");
    QCOMPARE(with("halving-doubling"), "all_reduce Y 1048576 1572864 f32 4");
    QCOMPARE(with("tree"), "all_reduce Y 1048576 2097152 f32 4");
    QCOMPARE(with("direct"), "all_reduce Y 1048576 3145728 f32 1");
}

void TestTraffic::wireDtype()
{
    const OptionValues bf16{{"dtype", "bf16"}};
    QCOMPARE(forward(bf16), "all_reduce Y 524288 1048576 f32 0"); // Gloo cannot sum bf16: twice the bytes
    QCOMPARE(forward(bf16, Transport::Nccl), "all_reduce Y 524288 524288 bf16 0");
    QCOMPARE(forward({{"dtype", "bf16"}, {"algorithm", "ring"}}), "all_reduce Y 524288 524288 bf16 2");
    QCOMPARE(forward({{"dtype", "f16"}}), "all_reduce Y 524288 524288 f16 0");
    QCOMPARE(forward({{"dtype", "f64"}}), "all_reduce Y 2097152 2097152 f64 0");
    // A gather moves and does not add.
    QCOMPARE(forward({{"dtype", "bf16"}, {"scheme", "column"}, {"gather-output", "on"}}),
             "all_gather Y 2097152 1048576 bf16 0");
}

void TestTraffic::bigModelOnNccl()
{
    QCOMPARE(forward({{"ranks", "8"}, {"hidden", "8192"}, {"batch", "1"}, {"sequence", "4096"}, {"dtype", "bf16"}},
                     Transport::Nccl),
             "all_reduce Y 67108864 117440512 bf16 0");
}

void TestTraffic::totals()
{
    const Traffic t = traffic(buildPlan(experimentOf({{"ranks", "4"}})));
    QCOMPARE(t.passes[std::size_t(Pass::Recompute)].collectives, 0);
    QCOMPARE(t.passes[std::size_t(Pass::Optimizer)].collectives, 0);
    QCOMPARE(t.total().collectives, 2);
    QCOMPARE(t.total().payloadBytes, 2097152);
    QCOMPARE(t.total().sentBytesPerRank, 3145728);
    QCOMPARE(traffic(buildPlan(experimentOf({{"ranks", "1"}}))).total().collectives, 0);
}

void TestTraffic::sentBytesAreTheMaximum()
{
    // 5 elements in 3 chunks of 1, 2, 2: rank 0 keeps the smallest chunk twice, sends most.
    QCOMPARE(sentBytesPerRank(CollectiveOp::AllReduce, Algorithm::Ring, 3, 5, 4), 4 * (2 * 5 - 1 - 2));
    QCOMPARE(sentBytesPerRank(CollectiveOp::AllReduce, Algorithm::Library, 3, 5, 4), 4 * (2 * 5 - 1 - 2));
    QCOMPARE(sentBytesPerRank(CollectiveOp::AllReduce, Algorithm::Library, 1, 5, 4), 0);
    QCOMPARE(sentBytesPerRank(CollectiveOp::AllReduce, Algorithm::Tree, 3, 5, 4), 4 * 2 * 5);
}

void TestTraffic::peakMemory()
{
    // Row on one rank, prefill, no bias: X [6, 8] and W [8, 5] and Y [6, 5], all alive at the product.
    const OptionValues small{{"scheme", "row"}, {"phase", "prefill"}, {"ranks", "1"}, {"bias", "off"},
                             {"hidden", "5"},   {"ffn", "8"},         {"batch", "3"}, {"sequence", "2"}};
    QCOMPARE(peakBytesPerRank(buildPlan(experimentOf(small))), 4 * (6 * 8 + 8 * 5 + 6 * 5));
    OptionValues two = small;
    two["ranks"] = "2"; // X and W halved; at the all-reduce the addend and the sum of Y
    QCOMPARE(peakBytesPerRank(buildPlan(experimentOf(two))), 4 * (6 * 4 + 4 * 5 + 6 * 5 + 6 * 5));
    // Column: X whole, W [5, 4] and Y [6, 4] halves; at the gather the pieces of Y beside the whole of it.
    const OptionValues gathered{{"scheme", "column"}, {"phase", "prefill"}, {"ranks", "2"},
                                {"bias", "off"},      {"hidden", "5"},      {"ffn", "8"},
                                {"batch", "3"},       {"sequence", "2"},    {"gather-output", "on"}};
    QCOMPARE(peakBytesPerRank(buildPlan(experimentOf(gathered))), 4 * (6 * 5 + 5 * 4 + 6 * 4 + 6 * 8 + 6 * 8));
}

QTEST_GUILESS_MAIN(TestTraffic)
#include "tst_traffic.moc"

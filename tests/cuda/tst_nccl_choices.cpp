// SPDX-License-Identifier: MIT
#include "engine/cuda/nccl_choices.h"

#include <QtTest>

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace shardscope;

class TestNcclChoices : public QObject
{
    Q_OBJECT

private slots:
    void linesAreRead();
    void plansKnowTheirCollectives();
    void whatIsWrittenMeanwhileIsSeen();
    void theUsersSettingStands();
};

void TestNcclChoices::linesAreRead()
{
    const auto choices =
        parseNcclChoices("node:12:12 [0] NCCL INFO cudaDriverVersion 13000\n"
                         "node:12:12 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto LL128 "
                         "channel{Lo..Hi}={0..23}\n"
                         "node:12:12 [0] NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto LL128 "
                         "channel{Lo..Hi}={0..23}\n"
                         "node:12:12 [0] NCCL INFO AllGather: 512 Bytes -> Algo RING proto LL "
                         "channel{Lo..Hi}={0..0}\n"
                         "node:12:12 [0] NCCL INFO AllReduce: 268435456 Bytes -> Algo NVLS proto SIMPLE "
                         "channel{Lo..Hi}={0..15}");
    QCOMPARE(choices.size(), std::size_t{3});
    QVERIFY(choices[0] == (NcclChoice{"AllReduce", 1048576, "RING", "LL128"}));
    QVERIFY(choices[1] == (NcclChoice{"AllGather", 512, "RING", "LL"}));
    QVERIFY(choices[2] == (NcclChoice{"AllReduce", 268435456, "NVLS", "SIMPLE"}));
    QVERIFY(parseNcclChoices("").empty());
    QVERIFY(parseNcclChoices("NCCL WARN Bytes -> Algo\nAllReduce: many Bytes -> Algo RING proto LL").empty());
}

void TestNcclChoices::plansKnowTheirCollectives()
{
    const auto known = libraryChoicesOf({{"AllReduce", 1048576, "RING", "LL128"},
                                         {"SendRecv", 64, "RING", "SIMPLE"},
                                         {"ReduceScatter", 512, "NVLS", "SIMPLE"}});
    QCOMPARE(known.size(), std::size_t{2});
    QVERIFY(known[0].op == CollectiveOp::AllReduce && known[0].bytes == 1048576 && known[0].algorithm == "RING");
    QVERIFY(known[1].op == CollectiveOp::ReduceScatter && known[1].protocol == "SIMPLE");
}

/// As NCCL does: it opens the name that the environment gives it, and writes.
void TestNcclChoices::whatIsWrittenMeanwhileIsSeen()
{
    ::unsetenv("NCCL_DEBUG");
    const NcclChoices choices;
    QCOMPARE(QByteArray(::getenv("NCCL_DEBUG_SUBSYS")), QByteArray("TUNING"));
    const int fd = ::open(::getenv("NCCL_DEBUG_FILE"), O_WRONLY | O_TRUNC);
    QVERIFY(fd >= 0);
    QVERIFY(choices.read().empty());
    const QByteArray line = "NCCL INFO Broadcast: 64 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..0}\n";
    QCOMPARE(::write(fd, line.data(), std::size_t(line.size())), line.size());
    QCOMPARE(choices.read().size(), std::size_t{1});
    ::close(fd);
    ::unsetenv("NCCL_DEBUG");
    ::unsetenv("NCCL_DEBUG_FILE");
}

void TestNcclChoices::theUsersSettingStands()
{
    ::setenv("NCCL_DEBUG", "WARN", 1);
    const NcclChoices choices;
    QCOMPARE(QByteArray(::getenv("NCCL_DEBUG")), QByteArray("WARN"));
    QVERIFY(::getenv("NCCL_DEBUG_FILE") == nullptr);
    QVERIFY(choices.read().empty());
    ::unsetenv("NCCL_DEBUG");
}

QTEST_GUILESS_MAIN(TestNcclChoices)
#include "tst_nccl_choices.moc"

// SPDX-License-Identifier: MIT
// Who is to blame: pure functions on what the supervisor knows of each rank.
#include "engine/supervise/diagnosis.h"

#include <QTest>
#include <csignal>

namespace shardscope {
namespace {

constexpr double kTimeout = 10;

// Wait statuses as Linux encodes them (wait(2)): the signal in the low bits, an exit status in the second byte.
int killedBy(int signal)
{
    return signal;
}
int exitedWith(int status)
{
    return status << 8;
}

MessageEvent error(TextId id, const char *detail)
{
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.text = Text{id, {"?", "?"}};
    message.detail = detail;
    return message;
}

void report(std::vector<RankRecord> &ranks, std::size_t rank, int order, MessageEvent message)
{
    message.rank = static_cast<int>(rank);
    ranks[rank].error = std::move(message);
    ranks[rank].errorOrder = order;
    ranks[rank].end = EndEvent{"run", EndEvent::Status::Failed, 4, 0};
}

void die(std::vector<RankRecord> &ranks, std::size_t rank, int order, int waitStatus)
{
    ranks[rank].waitStatus = waitStatus;
    ranks[rank].endedOrder = order;
}

const char *const kPeerGone = "[../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [::1]:1";
const char *const kTimedOut = "[unbound_buffer.cc:81] Timed out waiting 4000ms for recv operation to complete";

} // namespace

class DiagnosisTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void deathBeforeItsConsequences();
    void earliestDeathWins();
    void ownErrorBeforeConsequences();
    void memoryHasItsOwnRemedy();
    void exitWithoutAWord();
    void stoppedRankBeforeThoseWhoWaited();
    void silentRankBeforeThoseWhoWaited();
    void aDelayIsBlamedFirst();
    void openFilesHaveTheirOwnRemedy();
    void onlyConsequences();
    void nobodySaysAnything();
    void definiteCauses();
    void endsMerge();
    void waitStatusInWords();
};

void DiagnosisTest::deathBeforeItsConsequences()
{
    std::vector<RankRecord> ranks(4);
    report(ranks, 0, 1, error(TextId::RankFailed, kPeerGone)); // arrived before the death was noticed
    die(ranks, 2, 2, killedBy(SIGKILL));
    report(ranks, 3, 3, error(TextId::PeerLost, "reset"));
    const MessageEvent cause = diagnose(ranks, kTimeout);
    QCOMPARE(cause.rank, 2);
    QVERIFY(cause.text == (Text{TextId::RankKilledPerhapsMemory, {"2", "signal 9 (SIGKILL)"}}));
    QCOMPARE(cause.remedy.id, TextId::LessMemoryRemedy);
    QVERIFY(cause.detail.empty()); // what the others met is no news
}

void DiagnosisTest::earliestDeathWins()
{
    std::vector<RankRecord> ranks(3);
    die(ranks, 1, 2, killedBy(SIGABRT));
    die(ranks, 2, 1, killedBy(SIGSEGV));
    QVERIFY(diagnose(ranks, kTimeout).text == (Text{TextId::RankKilled, {"2", "signal 11 (SIGSEGV)"}}));
}

void DiagnosisTest::ownErrorBeforeConsequences()
{
    std::vector<RankRecord> ranks(3);
    report(ranks, 2, 1, error(TextId::CollectiveTimedOut, kTimedOut));
    report(ranks, 1, 2, error(TextId::RankFailed, "expected m1 and m2 to have the same dtype"));
    report(ranks, 0, 3, error(TextId::RankFailed, kPeerGone));
    const MessageEvent cause = diagnose(ranks, kTimeout);
    QCOMPARE(cause.rank, 1);
    QCOMPARE(cause.detail, std::string("expected m1 and m2 to have the same dtype"));
    QVERIFY(cause.remedy.id != TextId::NoReason);
}

void DiagnosisTest::memoryHasItsOwnRemedy()
{
    std::vector<RankRecord> ranks(2);
    report(ranks, 1, 1, error(TextId::RankFailed, "DefaultCPUAllocator: can't allocate memory: you tried to allocate"));
    const MessageEvent cause = diagnose(ranks, kTimeout);
    QVERIFY(cause.text == (Text{TextId::RankOutOfMemory, {"1"}}));
    QCOMPARE(cause.remedy.id, TextId::LessMemoryRemedy);
}

void DiagnosisTest::exitWithoutAWord()
{
    std::vector<RankRecord> ranks(2);
    report(ranks, 0, 1, error(TextId::RankFailed, kPeerGone));
    die(ranks, 1, 2, exitedWith(7));
    QVERIFY(diagnose(ranks, kTimeout).text == (Text{TextId::RankLeft, {"1", "7"}}));
}

void DiagnosisTest::stoppedRankBeforeThoseWhoWaited()
{
    std::vector<RankRecord> ranks(3);
    report(ranks, 0, 1, error(TextId::CollectiveTimedOut, kTimedOut));
    ranks[1].stopped = true;
    report(ranks, 2, 2, error(TextId::CollectiveTimedOut, kTimedOut));
    QVERIFY(diagnose(ranks, 4).text == (Text{TextId::RankStopped, {"1", "4"}}));
    QVERIFY(diagnose(ranks, 4).detail.find("rank 0: ") != std::string::npos);
}

void DiagnosisTest::silentRankBeforeThoseWhoWaited()
{
    std::vector<RankRecord> ranks(3);
    report(ranks, 0, 1, error(TextId::CollectiveTimedOut, kTimedOut));
    report(ranks, 1, 2, error(TextId::CollectiveTimedOut, kTimedOut));
    QVERIFY(diagnose(ranks, 0.5).text == (Text{TextId::RankSilent, {"2", "0.5"}}));
}

void DiagnosisTest::aDelayIsBlamedFirst()
{
    std::vector<RankRecord> ranks(2);
    report(ranks, 0, 1, error(TextId::CollectiveTimedOut, kTimedOut));
    const MessageEvent cause = diagnose(ranks, 1, Delay{1, 2000});
    QCOMPARE(cause.rank, 1);
    QVERIFY(cause.text == (Text{TextId::RankDelayed, {"1", "1", "1:2000"}}));
    QCOMPARE(cause.remedy.id, TextId::DelayRemedy);
    // Shorter than the timeout it is only a part of the reason.
    QCOMPARE(diagnose(ranks, 1, Delay{1, 900}).text.id, TextId::RankSilent);
    QCOMPARE(diagnose(ranks, 1, Delay{1, 900}).remedy.id, TextId::DelayRemedy);
    ranks[1].stopped = true;
    QCOMPARE(diagnose(ranks, 1, Delay{1, 2000}).text.id, TextId::RankStopped);
}

void DiagnosisTest::openFilesHaveTheirOwnRemedy()
{
    std::vector<RankRecord> ranks(2);
    report(ranks, 1, 1, error(TextId::RankFailed, "socket: Too many open files"));
    QCOMPARE(diagnose(ranks, kTimeout).remedy.id, TextId::FileLimitRemedy);
}

void DiagnosisTest::onlyConsequences()
{
    std::vector<RankRecord> ranks(2);
    report(ranks, 0, 2, error(TextId::PeerLost, "later"));
    report(ranks, 1, 1, error(TextId::CollectiveTimedOut, "sooner"));
    const MessageEvent cause = diagnose(ranks, kTimeout);
    QCOMPARE(cause.rank, 1);
    QCOMPARE(cause.detail, std::string("sooner"));
}

void DiagnosisTest::nobodySaysAnything()
{
    const std::vector<RankRecord> ranks(2);
    QVERIFY(diagnose(ranks, 10).text == (Text{TextId::RanksSilent, {"10"}}));
}

void DiagnosisTest::definiteCauses()
{
    std::vector<RankRecord> ranks(3);
    QVERIFY(!hasDefiniteCause(ranks));
    report(ranks, 0, 1, error(TextId::RankFailed, kPeerGone));
    die(ranks, 0, 2, exitedWith(4)); // it said why
    QVERIFY(!hasDefiniteCause(ranks));
    die(ranks, 1, 3, exitedWith(4));
    QVERIFY(hasDefiniteCause(ranks));
}

void DiagnosisTest::endsMerge()
{
    std::vector<RankRecord> ranks(3);
    for (RankRecord &rank : ranks)
        rank.end = EndEvent{"run", EndEvent::Status::Done, 0, 5};
    QCOMPARE(mergeEnds(ranks).status, EndEvent::Status::Done);
    ranks[1].end->exitCode = 3; // one rank found a wrong number
    QCOMPARE(mergeEnds(ranks).exitCode, 3);
    ranks[2].end = EndEvent{"run", EndEvent::Status::Failed, 2, 0};
    QCOMPARE(mergeEnds(ranks).status, EndEvent::Status::Failed);
}

void DiagnosisTest::waitStatusInWords()
{
    QCOMPARE(describeWaitStatus(killedBy(SIGTERM)), std::string("signal 15 (SIGTERM)"));
    QCOMPARE(describeWaitStatus(exitedWith(3)), std::string("exit status 3"));
}

} // namespace shardscope

QTEST_GUILESS_MAIN(shardscope::DiagnosisTest)
#include "tst_diagnosis.moc"

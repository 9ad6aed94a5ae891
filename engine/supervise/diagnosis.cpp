// SPDX-License-Identifier: MIT
#include "engine/supervise/diagnosis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>
#include <sys/wait.h>

namespace shardscope {
namespace {

// What Gloo, TCPStore and the kernel say when the other side is gone or late.
constexpr std::array<std::string_view, 8> kConsequenceWords{"Connection closed by peer",
                                                            "Connection reset by peer",
                                                            "Connection refused",
                                                            "Broken pipe",
                                                            "Timed out waiting",
                                                            "timed out",
                                                            "Socket Timeout",
                                                            "Timeout waiting"};

constexpr std::array<std::string_view, 2> kFileLimitWords{"Too many open files", "EMFILE"};

// LibTorch 1.13 throws no type of its own for this.
constexpr std::array<std::string_view, 3> kMemoryWords{"can't allocate memory", "bad_alloc", "out of memory"};

std::string number(double value)
{
    std::array<char, 64> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return {digits.data(), end.ptr};
}

bool isOwnFailure(const RankRecord &rank)
{
    return rank.error && !isConsequence(*rank.error);
}

bool wasKilled(const RankRecord &rank)
{
    return rank.waitStatus && WIFSIGNALED(*rank.waitStatus);
}

/// Left without a word: neither an error nor the end of the command.
bool leftSilently(const RankRecord &rank)
{
    return rank.waitStatus && !wasKilled(rank) && !rank.error && !rank.end;
}

template <typename Predicate, typename Order>
int firstOf(const std::vector<RankRecord> &ranks, Predicate holds, Order order)
{
    int first = -1;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (holds(ranks[i]) && (first < 0 || ranks[i].*order < ranks[static_cast<std::size_t>(first)].*order))
            first = static_cast<int>(i);
    }
    return first;
}

int firstWhere(const std::vector<RankRecord> &ranks, bool (*holds)(const RankRecord &))
{
    const auto found = std::find_if(ranks.begin(), ranks.end(), holds);
    return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

MessageEvent failure(int rank, Text text, TextId remedy)
{
    MessageEvent message;
    message.level = MessageEvent::Level::Error;
    message.rank = rank;
    message.text = std::move(text);
    message.remedy = Text{remedy, {}};
    return message;
}

MessageEvent ofKilled(int rank, int waitStatus)
{
    const bool perhapsMemory = WTERMSIG(waitStatus) == SIGKILL;
    const Text text{perhapsMemory ? TextId::RankKilledPerhapsMemory : TextId::RankKilled,
                    {std::to_string(rank), describeWaitStatus(waitStatus)}};
    return failure(rank, text, perhapsMemory ? TextId::LessMemoryRemedy : TextId::CrashRemedy);
}

MessageEvent ofLeft(int rank, int waitStatus)
{
    const Text text{TextId::RankLeft, {std::to_string(rank), std::to_string(WEXITSTATUS(waitStatus))}};
    return failure(rank, text, TextId::CrashRemedy);
}

bool says(const MessageEvent &message, const auto &words)
{
    const std::string text = english(message.text) + '\n' + message.detail;
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// A rank's own words, with a remedy.
MessageEvent ofError(const MessageEvent &error)
{
    MessageEvent message = error;
    const bool noMemory = error.text.id == TextId::RankOutOfMemory || says(error, kMemoryWords);
    if (noMemory)
        message.text = Text{TextId::RankOutOfMemory, {std::to_string(error.rank)}};
    if (noMemory)
        message.remedy = Text{TextId::LessMemoryRemedy, {}};
    else if (says(error, kFileLimitWords))
        message.remedy = Text{TextId::FileLimitRemedy, {}};
    else if (message.remedy.id == TextId::NoReason)
        message.remedy = Text{TextId::RunAgainRemedy, {}};
    return message;
}

MessageEvent ofMissed(const std::vector<RankRecord> &ranks, double timeoutSeconds)
{
    const std::string seconds = number(timeoutSeconds);
    const int stopped = firstWhere(ranks, [](const RankRecord &rank) { return rank.stopped; });
    if (stopped >= 0)
        return failure(stopped, Text{TextId::RankStopped, {std::to_string(stopped), seconds}}, TextId::StoppedRemedy);
    const bool someReported = firstWhere(ranks, [](const RankRecord &rank) { return rank.error.has_value(); }) >= 0;
    const int silent = firstWhere(ranks, [](const RankRecord &rank) { return !rank.isAccountedFor() && !rank.error; });
    if (someReported && silent >= 0)
        return failure(silent, Text{TextId::RankSilent, {std::to_string(silent), seconds}}, TextId::TimeoutRemedy);
    const int reported = firstOf(
        ranks, [](const RankRecord &rank) { return rank.error.has_value(); }, &RankRecord::errorOrder);
    if (reported >= 0)
        return ofError(*ranks[static_cast<std::size_t>(reported)].error);
    return failure(-1, Text{TextId::RanksSilent, {seconds}}, TextId::TimeoutRemedy);
}

MessageEvent ofCause(const std::vector<RankRecord> &ranks, double timeoutSeconds)
{
    const auto at = [&](int rank) -> const RankRecord & { return ranks[static_cast<std::size_t>(rank)]; };
    if (const int killed = firstOf(ranks, wasKilled, &RankRecord::endedOrder); killed >= 0)
        return ofKilled(killed, *at(killed).waitStatus);
    if (const int failed = firstOf(ranks, isOwnFailure, &RankRecord::errorOrder); failed >= 0)
        return ofError(*at(failed).error);
    if (const int left = firstOf(ranks, leftSilently, &RankRecord::endedOrder); left >= 0)
        return ofLeft(left, *at(left).waitStatus);
    return ofMissed(ranks, timeoutSeconds);
}

bool wasMissed(const MessageEvent &cause)
{
    return cause.text.id == TextId::RankSilent || cause.text.id == TextId::RanksSilent || isConsequence(cause);
}

/// What the user asked for comes before any other reason why a rank is late.
void blameDelay(MessageEvent &cause, const Delay &delay, double timeoutSeconds)
{
    cause.remedy = Text{TextId::DelayRemedy, {}};
    if (delay.milliseconds < timeoutSeconds * 1000)
        return; // late by that, and by its work
    cause.rank = delay.rank;
    cause.text = Text{TextId::RankDelayed,
                      {std::to_string(delay.rank), number(timeoutSeconds),
                       std::to_string(delay.rank) + ':' + number(delay.milliseconds)}};
}

/// The other ranks' own words, one line each.
std::string wordsOfOthers(const std::vector<RankRecord> &ranks, int cause)
{
    std::string words;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (static_cast<int>(i) == cause || !ranks[i].error)
            continue;
        const std::string &detail = ranks[i].error->detail;
        words += "rank " + std::to_string(i) + ": " + detail.substr(0, detail.find('\n')) + '\n';
    }
    return words;
}

std::string_view signalName(int signal)
{
    const char *name = ::sigabbrev_np(signal);
    return name ? name : "?";
}

} // namespace

std::string describeWaitStatus(int waitStatus)
{
    if (!WIFSIGNALED(waitStatus))
        return "exit status " + std::to_string(WEXITSTATUS(waitStatus));
    const int signal = WTERMSIG(waitStatus);
    return "signal " + std::to_string(signal) + " (SIG" + std::string(signalName(signal)) + ")";
}

bool isConsequence(const MessageEvent &error)
{
    if (error.text.id == TextId::PeerLost || error.text.id == TextId::CollectiveTimedOut)
        return true;
    // What a rank has found out about another one, or about how to reach it.
    constexpr std::array kFindings{TextId::RankGone, TextId::RankLostInCollective, TextId::RanksNotJoined,
                                   TextId::RankZeroNotFound, TextId::MeshNotMade};
    if (std::find(kFindings.begin(), kFindings.end(), error.text.id) != kFindings.end())
        return false;
    return says(error, kConsequenceWords);
}

bool hasDefiniteCause(const std::vector<RankRecord> &ranks)
{
    return std::any_of(ranks.begin(), ranks.end(), [](const RankRecord &rank) {
        return wasKilled(rank) || isOwnFailure(rank) || leftSilently(rank);
    });
}

MessageEvent diagnose(const std::vector<RankRecord> &ranks, double timeoutSeconds, const std::optional<Delay> &delay)
{
    MessageEvent cause = ofCause(ranks, timeoutSeconds);
    if (delay && delay->milliseconds > 0 && wasMissed(cause))
        blameDelay(cause, *delay, timeoutSeconds);
    // Beside a rank that was killed the others' words are noise; beside one that was missed they say how it showed.
    if (cause.detail.empty() && !hasDefiniteCause(ranks))
        cause.detail = wordsOfOthers(ranks, cause.rank);
    return cause;
}

EndEvent mergeEnds(const std::vector<RankRecord> &ranks)
{
    EndEvent merged;
    for (const RankRecord &rank : ranks) {
        if (!rank.end)
            continue;
        if (rank.end->status != EndEvent::Status::Done)
            merged.status = rank.end->status;
        merged.exitCode = std::max(merged.exitCode, rank.end->exitCode);
    }
    return merged;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
// Ranks that tell each other by their store why they fail.
#include "engine/record/codec.h"
#include "engine/runtime/ranks_store_state.h"

#include <chrono>
#include <future>
#include <thread>

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kAnswerLimit = std::chrono::milliseconds(1500); ///< for ranks that live to say so
constexpr auto kLinger = std::chrono::milliseconds(1000);      ///< of rank 0, whose store the others still read
constexpr auto kStoreLimit = kAnswerLimit + kLinger + std::chrono::milliseconds(500);

std::string alive(int rank)
{
    return "alive/" + std::to_string(rank);
}

std::string informed(int rank)
{
    return "informed/" + std::to_string(rank);
}

bool saysOthersAreMissed(const MessageEvent &message)
{
    return message.text.id == TextId::PeerLost || message.text.id == TextId::CollectiveTimedOut;
}

/// Of the rank that does not answer: lost as this rank noticed it.
MessageEvent lost(const RanksStoreState &state, int rank, const MessageEvent &own, const std::string &timeoutSeconds)
{
    MessageEvent message{.level = MessageEvent::Level::Error,
                         .rank = rank,
                         .text = {TextId::RankGone, {std::to_string(rank), {}}},
                         .remedy = {TextId::RankLostRemedy, {}},
                         .detail = {}};
    const auto index = static_cast<std::size_t>(rank);
    message.text.args[1] = index < state.ranks.size() ? state.ranks[index].hostName : "?";
    if (own.text.id == TextId::CollectiveTimedOut) {
        message.text.id = TextId::RankLostInCollective;
        message.text.args.push_back(timeoutSeconds);
    }
    return message;
}

std::vector<int> silentRanks(const RanksStoreState &state)
{
    std::vector<int> silent;
    for (int rank = 0; rank < static_cast<int>(state.ranks.size()); ++rank) {
        if (!state.has(alive(rank)))
            silent.push_back(rank);
    }
    return silent;
}

MessageEvent find(const RanksStoreState &state, const MessageEvent &own, const std::string &timeoutSeconds)
{
    if (!saysOthersAreMissed(own)) {
        leaveCause(state, own);
        return own;
    }
    state.put(alive(state.rank), "yes");
    for (const auto deadline = Clock::now() + kAnswerLimit;; std::this_thread::sleep_for(kStorePause)) {
        if (state.has(kCauseKey))
            return causeLeft(state);
        const std::vector<int> silent = silentRanks(state);
        if (silent.empty())
            return own;
        if (Clock::now() >= deadline)
            return lost(state, silent.front(), own, timeoutSeconds);
    }
}

/// Rank 0 serves the store, so the others are given time to read it.
void awaitReaders(const RanksStoreState &state)
{
    state.put(informed(state.rank), "yes");
    const auto deadline = Clock::now() + kLinger;
    const auto allInformed = [&] {
        for (int rank = 0; rank < static_cast<int>(state.ranks.size()); ++rank) {
            if (!state.has(informed(rank)))
                return false;
        }
        return true;
    };
    while (state.rank == 0 && Clock::now() < deadline && !allInformed())
        std::this_thread::sleep_for(kStorePause);
}

} // namespace

void leaveCause(const RanksStoreState &state, const MessageEvent &cause)
{
    state.put(kCauseKey, encode(Event(cause)));
}

MessageEvent causeLeft(const RanksStoreState &state)
{
    MessageEvent cause;
    Decoder decoder;
    decoder.feed(
        state.text(kCauseKey),
        [&](Event &&event) {
            if (auto *message = std::get_if<MessageEvent>(&event))
                cause = std::move(*message);
        },
        [](int, const Text &) {});
    return cause;
}

MessageEvent RanksStore::explain(const MessageEvent &own, const std::string &timeoutSeconds) const
{
    // A store whose host has gone may never answer, so it is asked by a thread that the end of the process ends.
    auto found = std::make_shared<std::promise<MessageEvent>>();
    auto answer = found->get_future();
    std::thread([state = m_state, own, timeoutSeconds, found] {
        try {
            MessageEvent message = find(*state, own, timeoutSeconds);
            try {
                awaitReaders(*state);
            } catch (const std::exception &) { // gone meanwhile; the cause is known
            }
            found->set_value(std::move(message));
        } catch (const std::exception &) {
            found->set_value(saysOthersAreMissed(own) ? lost(*state, 0, own, timeoutSeconds) : own);
        }
    }).detach();
    if (answer.wait_for(kStoreLimit) == std::future_status::ready)
        return answer.get();
    return saysOthersAreMissed(own) ? lost(*m_state, 0, own, timeoutSeconds) : own;
}

} // namespace shardscope

// SPDX-License-Identifier: MIT
#include "engine/runtime/ranks_store.h"

#include "engine/record/codec.h"
#include "engine/runtime/network_route.h"
#include "engine/runtime/ranks_store_state.h"
#include "engine/runtime/told_failure.h"

#include <torch/csrc/api/include/torch/version.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <thread>

namespace shardscope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSecond = std::chrono::seconds(1);

/// The agent of torchrun 2 speaks a language that LibTorch 1 does not know.
constexpr bool kKnowsAgent = TORCH_VERSION_MAJOR >= 2;

/// LibTorch 2 would serve by libuv, which not every build has.
void chooseServer(auto &options)
{
    if constexpr (requires { options.useLibUV; })
        options.useLibUV = false;
}

std::string firstLine(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

/// LibTorch tells of every kind of address that it has tried.
std::string reasonOf(const std::string &text)
{
    constexpr std::string_view kInUse = "Address already in use";
    return text.find(kInUse) != std::string::npos ? std::string(kInUse) : firstLine(text);
}

std::string secondsText(std::chrono::milliseconds limit)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count());
}

/// Coming to the store, step by step.
class Arrival
{
public:
    Arrival(const RankContext &context, EventWriter &events, RanksStoreState &state)
        : m_context(context), m_address(*context.store), m_events(events), m_state(state),
          m_deadline(Clock::now() + m_address.limit)
    {
    }

    void run()
    {
        const bool agent = m_address.agentServes && kKnowsAgent;
        const int port = m_address.port + (m_address.agentServes && !kKnowsAgent ? 1 : 0);
        m_state.address = m_address.host + ':' + std::to_string(port);
        open(port, m_context.rank == 0 && !agent);
        // The agent outlives this program: another one may have met there before.
        std::string run = m_address.run;
        if (agent)
            run += '/' + std::to_string(m_state.store->add(run + "/starts/" + std::to_string(m_context.rank), 1));
        m_state.store = c10::make_intrusive<c10d::PrefixStore>(run, m_state.store);
        announce();
        awaitAll();
    }

private:
    void open(int port, bool serves)
    {
        if (!serves)
            awaitServer(port);
        c10d::TCPStoreOptions options;
        options.port = static_cast<std::uint16_t>(port);
        options.isServer = serves;
        options.waitWorkers = false; // it would not say for whom it waits
        options.timeout = m_address.limit;
        chooseServer(options);
        try {
            // MASTER_ADDR may be an address that this host itself does not reach.
            m_state.store = c10::make_intrusive<c10d::TCPStore>(serves ? "127.0.0.1" : m_address.host, options);
        } catch (const std::exception &error) {
            if (!serves)
                throw notFound(firstLine(error.what()), error.what());
            throw failure({TextId::StorePortTaken, {std::to_string(port), reasonOf(error.what())}}, TextId::PortRemedy);
        }
    }

    void awaitServer(int port)
    {
        while (const auto reason = tryConnecting(m_address.host, port, kSecond)) {
            if (Clock::now() >= m_deadline)
                throw notFound(*reason);
            sayWaiting(0);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }

    void announce()
    {
        const std::string size = std::to_string(m_context.worldSize);
        if (m_context.rank == 0) {
            put("size", size);
        } else {
            while (!has("size")) {
                if (Clock::now() >= m_deadline)
                    throw missing({0});
                sayWaiting(1);
                std::this_thread::sleep_for(kStorePause);
            }
            if (const std::string of = text("size"); of != size)
                throw leave(failure({TextId::WorldSizesDiffer, {std::to_string(m_context.rank), size, of}},
                                    TextId::JoinRemedy));
        }
        if (m_state.store->add("came/" + std::to_string(m_context.rank), 1) > 1)
            throw failure({TextId::RankJoinedTwice, {std::to_string(m_context.rank)}}, TextId::JoinTwiceRemedy);
        const auto route = routeTo(m_address.host);
        put(here(m_context.rank),
            bootId() + ownHostName() + '\n' + ownHostName() + '\n' + (route ? route->address : ""));
    }

    void awaitAll()
    {
        std::vector<std::string> keys;
        for (int rank = 0; rank < m_context.worldSize; ++rank)
            keys.push_back(here(rank));
        while (!m_state.store->check(keys)) {
            if (has(kCauseKey))
                throw ToldFailure(causeLeft(m_state));
            const bool late = Clock::now() >= m_deadline;
            if (late || Clock::now() >= m_nextWord) {
                const std::vector<int> absent = absentRanks();
                if (late && !absent.empty())
                    throw missing(absent);
                sayWaiting(m_context.worldSize - static_cast<int>(absent.size()));
            }
            std::this_thread::sleep_for(kStorePause);
        }
        for (const std::string &key : keys)
            m_state.ranks.push_back(presence(text(key)));
    }

    static Presence presence(const std::string &text)
    {
        const std::size_t first = text.find('\n');
        const std::size_t second = text.find('\n', first + 1);
        return {text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
    }

    [[nodiscard]] std::vector<int> absentRanks() const
    {
        std::vector<int> absent;
        for (int rank = 0; rank < m_context.worldSize; ++rank) {
            if (!has(here(rank)))
                absent.push_back(rank);
        }
        return absent;
    }

    void sayWaiting(int came)
    {
        if (Clock::now() < m_nextWord)
            return;
        m_nextWord = Clock::now() + kSecond;
        m_events.write(ProgressEvent{
            {TextId::RanksJoining, {std::to_string(came), std::to_string(m_context.worldSize), m_state.address}}, -1});
    }

    [[nodiscard]] ToldFailure failure(Text text, TextId remedy, const std::string &detail = {}) const
    {
        return {m_context.rank, std::move(text), remedy, detail};
    }
    [[nodiscard]] ToldFailure notFound(const std::string &reason, const std::string &detail = {}) const
    {
        return failure({TextId::RankZeroNotFound,
                        {std::to_string(m_context.rank), secondsText(m_address.limit), m_state.address, reason}},
                       TextId::JoinRemedy, detail);
    }
    [[nodiscard]] ToldFailure missing(const std::vector<int> &ranks) const
    {
        std::string names;
        for (const int rank : ranks)
            addToList(names, std::to_string(rank));
        const std::string many = std::to_string(ranks.size());
        return leave(failure({TextId::RanksNotJoined, {many, secondsText(m_address.limit), m_state.address, names}},
                             TextId::JoinRemedy));
    }
    /// The others are told too, before the store goes with rank 0.
    [[nodiscard]] ToldFailure leave(ToldFailure told) const
    {
        leaveCause(m_state, told.message);
        std::this_thread::sleep_for(5 * kStorePause);
        return told;
    }

    static std::string here(int rank) { return "here/" + std::to_string(rank); }
    void put(const std::string &key, const std::string &value) { m_state.put(key, value); }
    [[nodiscard]] bool has(const std::string &key) const { return m_state.has(key); }
    [[nodiscard]] std::string text(const std::string &key) const { return m_state.text(key); }

    const RankContext &m_context;
    const StoreAddress &m_address;
    EventWriter &m_events;
    RanksStoreState &m_state;
    Clock::time_point m_deadline;
    Clock::time_point m_nextWord = Clock::now() + kSecond;
};

} // namespace

RanksStore::RanksStore(const RankContext &context, EventWriter &events) : m_state(std::make_shared<State>())
{
    m_state->rank = context.rank;
    Arrival(context, events, *m_state).run();
}

RanksStore::~RanksStore() = default;

const std::string &RanksStore::address() const
{
    return m_state->address;
}

const std::vector<Presence> &RanksStore::ranks() const
{
    return m_state->ranks;
}

std::unique_ptr<MeetingPlace> RanksStore::makePlace(const std::string &interface) const
{
    return std::make_unique<MeetingPlace>(
        std::make_unique<MeetingPlace::Store>(MeetingPlace::Store{m_state->store, interface}));
}

} // namespace shardscope
